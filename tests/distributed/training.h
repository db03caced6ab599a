#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/catena.h"

namespace catena {

/// A perceptron with two layers, batch-independent, its parameters a function of the seed.
struct SmallNet : Chain {
    Linear l1{6, 16}, l2{16, 3};
    SmallNet() { add_children({{"l1", l1}, {"l2", l2}}); }
    Variable operator()(const Variable& x) { return l2(tanh(l1(x))); }
};

struct TrainingRun {
    std::shared_ptr<Communicator> communicator;  ///< Null: one process on whole batches.
    bool compiled = false;
    enum { update_with_loss, backward_by_optimizer, plain_backward } style = backward_by_optimizer;
    MultiNodeOptimizerOptions exchange = {};
    int64_t seed = 3;
    int first_step = 0, last_step = 6;
    std::string snapshot;  ///< Saved there after every step when not empty, and loaded before
                           ///< `first_step` > 0.
    int dies_at = -1;      ///< Rank 1 kills its process before this step.
};

/// All parameters of the model, one behind the other.
std::vector<float> parameters_of(Link& model);
/// Four rows of a sine, which differ from seed to seed.
Variable wave_rows(int seed, int64_t features);

/// Rows of one batch, divisible by up to 4 ranks.
inline constexpr int64_t batch_rows = 12;

/// Trains SmallNet with Adam on this rank's rows; returns all parameters, flat.
std::vector<float> train(const TrainingRun& run);

/// k ranks on batches of B/k rows against one on B, in all ways to write the loop.
void check_training(const std::shared_ptr<Communicator>& communicator);
void check_double_buffering(const std::shared_ptr<Communicator>& communicator);
/// `to_the_bit`: where sums are in rank order.
void check_sharding(const std::shared_ptr<Communicator>& communicator, bool to_the_bit = true);
void check_first_update(const std::shared_ptr<Communicator>& communicator);
/// The differentiable functions: values, gradients, eager and compiled.
void check_functions(Communicator& communicator);
/// scatter_dataset, iterator, evaluator, snapshot, batch normalisation.
void check_parallel_tools(const std::shared_ptr<Communicator>& communicator,
                          const std::string& folder);

/// Models over several ranks, and what their trainers use.
void check_trainer_tools(const std::shared_ptr<Communicator>& communicator,
                         const std::string& folder);

}  // namespace catena
