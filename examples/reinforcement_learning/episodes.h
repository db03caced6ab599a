#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "reinforcement_learning/simulators.h"

inline double mean_of_last(const std::vector<double>& values, int64_t count) {
    const int64_t used = std::min(count, int64_t(values.size()));
    return std::accumulate(values.end() - used, values.end(), 0.0) / double(used);
}

/// Lets the agent act in the world and learn from what it observes: the return of each episode.
template <class World, class Agent>
std::vector<double> play(World& world, Agent& agent, int64_t episodes) {
    std::vector<double> returns;
    for (int64_t episode = 1; episode <= episodes; ++episode) {
        std::vector<float> observation = world.reset();
        double earned = 0;
        for (bool over = false; !over;) {
            const auto action = agent.act(observation);
            const Outcome outcome = world.step(action);
            agent.observe({observation,
                           {float(action)},
                           outcome.reward,
                           outcome.terminal,
                           world.observation()});
            observation = world.observation();
            earned += outcome.reward;
            over = outcome.over;
        }
        returns.push_back(earned);
        if (episode % 10 == 0)
            fmt::print("episode {:>5}  mean return of the last 10 {:.1f}\n", episode,
                       mean_of_last(returns, 10));
    }
    return returns;
}
