#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frontend/trainer/extension.h"
#include "frontend/trainer/triggers.h"
#include "runtime/comm/communicator.h"

namespace catena::extensions {

/// Options of an ObservationAggregator.
struct ObservationAggregatorOptions {
    std::string aggregated_key = {};  ///< The key of the result; by default the original key.
    /// The trigger with which the ranks exchange their values.
    AnyTrigger comm_trigger = {1, "iteration"};
    /// A function that maps all values since the last exchange, rank after rank, to one; by default
    /// the mean.
    std::function<double(const std::vector<double>&)> aggregator = {};
};

/// Reports, on every rank, one number aggregated from the values of all ranks under `original_key`.
/// All ranks must add it to their trainer. Reports nothing when no rank has a value.
class ObservationAggregator : public Extension {
public:
    /// An extension for the values that are reported under `original_key`.
    ObservationAggregator(std::shared_ptr<Communicator> communicator, std::string original_key,
                          ObservationAggregatorOptions options = {});
    void operator()(Trainer& trainer) override;
    void serialize(const Serializer& s) override;
    std::string default_name() const override { return "ObservationAggregator"; }
    int priority() const override { return priority_editor; }

private:
    std::shared_ptr<Communicator> communicator_;
    std::string original_key_;
    ObservationAggregatorOptions options_;
    std::vector<double> history_;
};

}  // namespace catena::extensions

namespace catena::triggers {

/// An EarlyStoppingTrigger on the mean of options.monitor over all ranks, which is reported under
/// that name + `suffix`: all ranks stop in the same iteration.
class MultiNodeEarlyStoppingTrigger final : public Trigger {
public:
    /// The trigger of `options`, whose checks are made by all ranks together.
    explicit MultiNodeEarlyStoppingTrigger(std::shared_ptr<Communicator> communicator,
                                           EarlyStoppingOptions options = {},
                                           const std::string& suffix = "_aggregated");
    bool operator()(Trainer& trainer) override;
    std::optional<TrainingLength> training_length() const override {
        return actual_.training_length();
    }
    bool is_over(const Trainer& trainer) const override { return actual_.is_over(trainer); }
    void serialize(const Serializer& s) override { actual_.serialize(s); }

private:
    extensions::ObservationAggregator aggregator_;
    EarlyStoppingTrigger actual_;
};

}  // namespace catena::triggers
