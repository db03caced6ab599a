// Chainer's ddpg_pendulum: deep deterministic policy gradients (Lillicrap et al. 2016) swing a
// pendulum up.
#include <filesystem>

#include "examples/reinforcement_learning/episodes.h"
#include "examples/reinforcement_learning/replay_buffer.h"
#include "examples/reinforcement_learning/simulators.h"
#include "examples/support/example.h"
#include "runtime/graph/call/recorder.h"

namespace ct = catena;

struct Options {
    std::string out = "ddpg_result";
    int64_t batch_size = 64, episodes = 1000, units = 100, replay_start_size = 500;
    double reward_scale = 0.001, tau = 0.01, noise_scale = 0.4, alpha = 0.001;
};

/// The value of an action in a situation.
struct QFunction : ct::Chain {
    ct::Linear l0, l1, l2;
    explicit QFunction(int64_t units)
        : l0(Pendulum::observation_size + Pendulum::action_size, units),
          l1(units, units),
          l2(units, 1, {.initialW = ct::initializers::HeNormal(1e-3)}) {
        add_children({{"l0", l0}, {"l1", l1}, {"l2", l2}});
    }
    ct::Variable operator()(const ct::Variable& observation, const ct::Variable& action) {
        return l2(ct::relu(l1(ct::relu(l0(ct::concat({observation, action}, 1))))));
    }
};

/// The action to take in a situation.
struct Policy : ct::Chain {
    ct::Linear l0, l1, l2;
    explicit Policy(int64_t units)
        : l0(Pendulum::observation_size, units),
          l1(units, units),
          l2(units, Pendulum::action_size, {.initialW = ct::initializers::HeNormal(1e-3)}) {
        add_children({{"l0", l0}, {"l1", l1}, {"l2", l2}});
    }
    ct::Variable operator()(const ct::Variable& x) {
        return Pendulum::most_torque * ct::tanh(l2(ct::relu(l1(ct::relu(l0(x))))));
    }
};

/// target += tau (source - target), for all parameters.
static void follow(const ct::Link& target, const ct::Link& source, double tau) {
    const auto no_graph = ct::no_backprop_mode();
    const std::vector<ct::Parameter*> to = target.params(), from = source.params();
    for (size_t i = 0; i < to.size(); ++i) ct::assign(*to[i], *to[i] + tau * (*from[i] - *to[i]));
}

class Agent {
public:
    Agent(const Options& options, uint64_t seed)
        : options_(options),
          random_(seed),
          q_(options.units),
          target_q_(q_),
          policy_(options.units),
          target_policy_(policy_),
          q_optimizer_({.alpha = options.alpha, .eps = 1e-5}),
          policy_optimizer_(options.alpha / 10) {
        q_optimizer_.setup(q_);
        policy_optimizer_.setup(policy_);
    }

    /// The policy's action, with noise to find better ones.
    float act(const std::vector<float>& observation) {
        const auto no_graph = ct::no_backprop_mode();
        const ct::Array x =
            ct::Array::from(observation, {1, int64_t(observation.size())}).to(ct::current_device());
        const double noise = std::normal_distribution<double>(0, options_.noise_scale)(random_);
        return float(action_(x).item<double>() + noise);
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
    }
    Policy& policy() { return policy_; }

private:
    ct::Variable update(const ct::Variable& observation, const ct::Variable& action,
                        const ct::Variable& reward, const ct::Variable& continues,
                        const ct::Variable& next) {
        constexpr double gamma = 0.99;
        ct::Variable goal;
        {
            const auto no_graph = ct::no_backprop_mode();
            goal = reward + gamma * continues * target_q_(next, target_policy_(next));
        }
        const ct::Variable q_loss = ct::mean_squared_error(goal, q_(observation, action));
        q_.cleargrads();
        q_loss.backward();
        q_optimizer_.update();

        const ct::Variable policy_loss = -ct::mean(q_(observation, policy_(observation)));
        policy_.cleargrads();
        policy_loss.backward();
        policy_optimizer_.update();

        follow(target_q_, q_, options_.tau);
        follow(target_policy_, policy_, options_.tau);
        return q_loss;
    }

    const Options& options_;
    std::mt19937_64 random_;
    QFunction q_, target_q_;
    Policy policy_, target_policy_;
    ct::Adam q_optimizer_, policy_optimizer_;
    ReplayBuffer buffer_{100000};
    ct::StaticFunction<ct::Variable(ct::Variable)> action_ =
        ct::static_graph([this](const ct::Variable& x) { return policy_(x); }, "action");
    ct::StaticFunction<ct::Variable(ct::Variable, ct::Variable, ct::Variable, ct::Variable,
                                    ct::Variable)>
        update_ = ct::static_graph(
            [this](const ct::Variable& observation, const ct::Variable& action,
                   const ct::Variable& reward, const ct::Variable& continues,
                   const ct::Variable& next) {
                return update(observation, action, reward, continues, next);
            },
            "ddpg_update");
};

static void train(examples::Example& example, const Options& options) {
    Pendulum world(example.seed + 1);
    Agent agent(options, example.seed);
    const std::vector<double> returns = play(world, agent, options.episodes);
    std::filesystem::create_directories(options.out);
    ct::save_npz(options.out + "/policy_final.npz", agent.policy());
    example.result("mean return of the last episodes", mean_of_last(returns, 10),
                   examples::Better::larger);
    example.print_times([&] { agent.learn(); }, 50);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example("Learns to swing a pendulum up");
    example.flag("-b,--batch-size", options.batch_size, "transitions in a mini-batch");
    example.flag("-e,--episodes", options.episodes, "attempts");
    example.flag("-o,--out", options.out, "folder for the policy");
    example.flag("-u,--unit", options.units, "units of a layer");
    example.flag("--reward-scale", options.reward_scale, "factor of rewards");
    example.flag("--replay-start-size", options.replay_start_size,
                 "transitions before learning begins");
    example.flag("--tau", options.tau, "how fast the target networks follow");
    example.flag("--noise-scale", options.noise_scale, "deviation of the noise on actions");
    example.flag("--alpha", options.alpha,
                 "step size of Adam for the values; a tenth for the policy");
    return example.run(argc, argv, [&] { train(example, options); });
}
