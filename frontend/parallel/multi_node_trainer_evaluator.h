#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "frontend/trainer/extensions/evaluator.h"
#include "runtime/comm/communicator.h"

namespace catena::extensions {

/// An Evaluator whose results are unweighted means over all ranks. Created by
/// create_multi_node_evaluator.
class MultiNodeEvaluator final : public Evaluator {
public:
    /// An evaluator around one of this rank; ValueError for a null communicator.
    MultiNodeEvaluator(Evaluator actual, std::shared_ptr<Communicator> communicator)
        : Evaluator(std::move(actual)),
          communicator_(given(std::move(communicator), "MultiNodeEvaluator")) {}
    std::map<std::string, double> evaluate() override;

private:
    std::shared_ptr<Communicator> communicator_;
};

/// An evaluator whose ranks evaluate their own batches and whose root aggregates all results: for
/// evaluations other than means, and for parts of different lengths. Derive from it:
///
///     struct Bleu : ct::extensions::GenericMultiNodeEvaluator {
///         using GenericMultiNodeEvaluator::GenericMultiNodeEvaluator;
///         std::vector<ct::Array> calc_local(const ct::Batch& batch) override;
///         std::map<std::string, double> aggregate(std::span<const std::vector<ct::Array>> all)
///         override;
///     };
class GenericMultiNodeEvaluator : public Extension {
public:
    /// Evaluates the iterator's batches; ValueError when it repeats.
    GenericMultiNodeEvaluator(std::shared_ptr<Communicator> communicator, Iterator& iterator,
                              Converter converter = {}, int root = 0);
    /// Evaluates one batch, in test mode and without a graph.
    virtual std::vector<Array> calc_local(const Batch& batch) = 0;
    /// Aggregates all results, of batch 0 of rank 0, 1, ..., then of batch 1; called on the root
    /// only. The returned values are reported there, under NAME/...
    virtual std::map<std::string, double> aggregate(
        std::span<const std::vector<Array>> results) = 0;

    void operator()(Trainer& trainer) override;
    /// Evaluates and returns the values; empty except on the root.
    std::map<std::string, double> evaluate();
    void finalize() override { iterator_.finalize(); }
    std::string default_name() const override { return "validation"; }
    AnyTrigger trigger() const override { return {1, "epoch"}; }
    int priority() const override { return priority_writer; }

    /// The device to which batches are moved; null: not moved. A converter does not move them.
    Device* device = nullptr;
    /// A function called on the root with the number of results so far, each time a result of every
    /// rank has arrived.
    std::function<void(int64_t)> progress_hook;

private:
    std::shared_ptr<Communicator> communicator_;
    Iterator& iterator_;
    Converter converter_;
    int root_;
};

}  // namespace catena::extensions

namespace catena {

/// An Evaluator with its results averaged over all ranks; extend every rank's trainer with it.
inline extensions::MultiNodeEvaluator create_multi_node_evaluator(
    extensions::Evaluator actual, std::shared_ptr<Communicator> communicator) {
    return {std::move(actual), std::move(communicator)};
}

}  // namespace catena
