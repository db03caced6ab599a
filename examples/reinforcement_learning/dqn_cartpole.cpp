// Chainer's dqn_cartpole: deep Q-learning (Mnih et al. 2015; double, van Hasselt et al. 2016) keeps
// a pole upright.
#include <filesystem>

#include "reinforcement_learning/episodes.h"
#include "reinforcement_learning/replay_buffer.h"
#include "reinforcement_learning/simulators.h"
#include "support/example.h"

namespace ct = catena;

struct Options {
    std::string target_type = "dqn", out = "dqn_result";
    int64_t batch_size = 64, episodes = 1000, units = 100, replay_start_size = 500,
            iterations_to_decay_epsilon = 5000, target_update_freq = 100;
    double reward_scale = 0.01, min_epsilon = 0.01, alpha = 0.001;
};

/// The value of each action in a situation.
struct QFunction : ct::Chain {
    ct::Linear l0, l1, l2;
    explicit QFunction(int64_t units)
        : l0(CartPole::observation_size, units), l1(units, units), l2(units, CartPole::actions) {
        add_children({{"l0", l0}, {"l1", l1}, {"l2", l2}});
    }
    ct::Variable operator()(const ct::Variable& x) { return l2(ct::relu(l1(ct::relu(l0(x))))); }
};

class Agent {
public:
    Agent(const Options& options, uint64_t seed)
        : options_(options),
          random_(seed),
          q_(options.units),
          target_q_(q_),
          optimizer_({.alpha = options.alpha, .eps = 1e-2}) {
        optimizer_.setup(q_);
    }

    int act(const std::vector<float>& observation) {
        if (std::uniform_real_distribution<double>(0, 1)(random_) < epsilon())
            return int(random_() % CartPole::actions);
        const auto no_graph = ct::no_backprop_mode();
        const ct::Array x =
            ct::Array::from(observation, {1, int64_t(observation.size())}).to(ct::current_device());
        return best_action_(x).item<int>();
    }
    void observe(Transition transition) {
        transition.reward *= float(options_.reward_scale);
        buffer_.add(std::move(transition));
        if (int64_t(buffer_.size()) >= options_.replay_start_size) learn();
    }
    /// One iteration on transitions that were seen.
    void learn() {
        const TransitionBatch b = buffer_.draw(options_.batch_size, random_);
        update_(b.observation, b.action, b.reward, b.continues, b.next_observation);
        if (++iterations_ % options_.target_update_freq == 0) target_q_.copyparams(q_);
    }
    QFunction& q() { return q_; }

private:
    double epsilon() const {  ///< Share of actions that are tried at random.
        const double done = double(iterations_) / double(options_.iterations_to_decay_epsilon);
        return std::max(options_.min_epsilon, 1 - done * (1 - options_.min_epsilon));
    }
    ct::Variable update(const ct::Variable& observation, const ct::Variable& action,
                        const ct::Variable& reward, const ct::Variable& continues,
                        const ct::Variable& next) {
        constexpr double gamma = 0.99;
        ct::Variable value_of_next;
        {
            const auto no_graph = ct::no_backprop_mode();
            const ct::Variable target = target_q_(next);
            value_of_next = options_.target_type == "dqn"
                                ? ct::max(target, 1)
                                : ct::select_item(target, ct::argmax(q_(next), 1));
        }
        const ct::Variable goal =
            ct::flatten(reward) + gamma * ct::flatten(continues) * value_of_next;
        const ct::Variable value =
            ct::select_item(q_(observation), ct::cast(ct::flatten(action), ct::Dtype::int32));
        const ct::Variable loss =
            ct::mean(ct::huber_loss(ct::expand_dims(value, 1), ct::expand_dims(goal, 1), 1.0));
        q_.cleargrads();
        loss.backward();
        optimizer_.update();
        return loss;
    }

    const Options& options_;
    std::mt19937_64 random_;
    QFunction q_, target_q_;
    ct::Adam optimizer_;
    ReplayBuffer buffer_{100000};
    int64_t iterations_ = 0;
    ct::StaticFunction<ct::Variable(ct::Variable)> best_action_ = ct::static_graph(
        [this](const ct::Variable& x) { return ct::argmax(q_(x), 1); }, "best_action");
    ct::StaticFunction<ct::Variable(ct::Variable, ct::Variable, ct::Variable, ct::Variable,
                                    ct::Variable)>
        update_ = ct::static_graph(
            [this](const ct::Variable& observation, const ct::Variable& action,
                   const ct::Variable& reward, const ct::Variable& continues,
                   const ct::Variable& next) {
                return update(observation, action, reward, continues, next);
            },
            "dqn_update");
};

static void train(examples::Example& example, const Options& options) {
    CartPole world(example.seed + 1);
    Agent agent(options, example.seed);
    const std::vector<double> returns = play(world, agent, options.episodes);
    std::filesystem::create_directories(options.out);
    ct::save_npz(options.out + "/model_final.npz", agent.q());
    example.result("mean return of the last episodes", mean_of_last(returns, 20),
                   examples::Better::larger);
    example.print_times([&] { agent.learn(); }, 50);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Learns to keep a pole upright");
    example.flag("-b,--batch-size", options.batch_size, "transitions in a mini-batch");
    example.flag("-e,--episodes", options.episodes, "attempts");
    example.flag("-o,--out", options.out, "folder for the model");
    example.flag("-u,--unit", options.units, "units of a layer");
    example.choice("--target-type", options.target_type, {"dqn", "double_dqn"},
                   "how the best next action is valued");
    example.flag("--reward-scale", options.reward_scale, "factor of rewards");
    example.flag("--replay-start-size", options.replay_start_size,
                 "transitions before learning begins");
    example.flag("--iterations-to-decay-epsilon", options.iterations_to_decay_epsilon,
                 "until few actions are random");
    example.flag("--min-epsilon", options.min_epsilon, "share of random actions in the end");
    example.flag("--target-update-freq", options.target_update_freq,
                 "iterations between copies to the target network");
    example.flag("--alpha", options.alpha, "step size of Adam");
    return example.run(argc, argv, [&] { train(example, options); });
}
