#include "frontend/parallel/observation_aggregator.h"

#include <numeric>

#include "frontend/serializer/memory_archive.h"
#include "frontend/serializer/serializer.h"
#include "frontend/trainer/reporter.h"
#include "frontend/trainer/trainer.h"

namespace catena {
namespace extensions {

ObservationAggregator::ObservationAggregator(std::shared_ptr<Communicator> communicator,
                                             std::string original_key,
                                             ObservationAggregatorOptions options)
    : communicator_(given(std::move(communicator), "ObservationAggregator")),
      original_key_(std::move(original_key)),
      options_(std::move(options)) {
    if (options_.aggregated_key.empty()) options_.aggregated_key = original_key_;
    if (!options_.aggregator)
        options_.aggregator = [](const std::vector<double>& all) {
            return std::accumulate(all.begin(), all.end(), 0.0) / double(all.size());
        };
}

void ObservationAggregator::operator()(Trainer& trainer) {
    Observation& observation = trainer.observation();
    if (auto found = observation.find(original_key_); found != observation.end())
        history_.push_back(found->second.value());
    if (!options_.comm_trigger(trainer)) return;
    std::vector<double> all;
    Array own = Array::from(history_, {int64_t(history_.size())});
    for (const std::string& bytes : communicator_->allgather_bytes(pack_arrays({own})))
        for (const Array& values : unpack_arrays(bytes, "ObservationAggregator"))
            for (double value : values.to_vector<double>()) all.push_back(value);
    history_.clear();
    if (!all.empty())
        observation.insert_or_assign(options_.aggregated_key, Reported(options_.aggregator(all)));
}

void ObservationAggregator::serialize(const Serializer& s) {
    s("_history", history_);
    options_.comm_trigger.serialize(s["_trigger"]);
}

}  // namespace extensions

namespace triggers {
namespace {

EarlyStoppingOptions with_monitor(EarlyStoppingOptions options, const std::string& suffix) {
    options.monitor += suffix;
    return options;
}

}  // namespace

MultiNodeEarlyStoppingTrigger::MultiNodeEarlyStoppingTrigger(
    std::shared_ptr<Communicator> communicator, EarlyStoppingOptions options,
    const std::string& suffix)
    : aggregator_(std::move(communicator), options.monitor,
                  {.aggregated_key = options.monitor + suffix}),
      actual_(with_monitor(options, suffix)) {}

bool MultiNodeEarlyStoppingTrigger::operator()(Trainer& trainer) {
    aggregator_(trainer);
    return actual_(trainer);
}

}  // namespace triggers
}  // namespace catena
