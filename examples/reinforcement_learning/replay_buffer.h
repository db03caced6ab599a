#pragma once

#include <catena/catena.h>

#include <random>
#include <vector>

/// What was seen, done and earned.
struct Transition {
    std::vector<float> observation, action;
    float reward = 0;
    bool terminal = false;  ///< Nothing can be earned afterwards.
    std::vector<float> next_observation;
};

/// Transitions as arrays: one row each.
struct TransitionBatch {
    catena::Variable observation, action, reward, continues, next_observation;
};

/// The latest transitions, from which mini-batches are drawn.
class ReplayBuffer {
public:
    explicit ReplayBuffer(size_t capacity) : capacity_(capacity) {}
    size_t size() const { return transitions_.size(); }
    void add(Transition transition) {
        if (size() < capacity_)
            transitions_.push_back(std::move(transition));
        else
            transitions_[next_] = std::move(transition);
        next_ = (next_ + 1) % capacity_;
    }
    TransitionBatch draw(int64_t n, std::mt19937_64& random) const {
        std::vector<float> observation, action, reward, continues, next_observation;
        const auto append = [](std::vector<float>& to, const std::vector<float>& from) {
            to.insert(to.end(), from.begin(), from.end());
        };
        for (int64_t i = 0; i < n; ++i) {
            const Transition& t = transitions_[random() % size()];
            append(observation, t.observation);
            append(action, t.action);
            append(next_observation, t.next_observation);
            reward.push_back(t.reward);
            continues.push_back(t.terminal ? 0.f : 1.f);
        }
        const auto rows = [&](const std::vector<float>& values) {
            return catena::Variable(catena::Array::from(values, {n, int64_t(values.size()) / n})
                                        .to(catena::current_device()));
        };
        return {rows(observation), rows(action), rows(reward), rows(continues),
                rows(next_observation)};
    }

private:
    size_t capacity_, next_ = 0;
    std::vector<Transition> transitions_;
};
