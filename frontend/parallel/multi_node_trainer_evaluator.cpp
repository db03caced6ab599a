#include "frontend/parallel/multi_node_trainer_evaluator.h"

#include "frontend/dataset/iterator/iterator.h"
#include "frontend/parallel/multi_node_evaluator.h"
#include "frontend/serializer/memory_archive.h"
#include "frontend/trainer/reporter.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/settings/config.h"

namespace catena::extensions {

std::map<std::string, double> MultiNodeEvaluator::evaluate() {
    return mean_over_ranks(*communicator_, Evaluator::evaluate());
}

GenericMultiNodeEvaluator::GenericMultiNodeEvaluator(std::shared_ptr<Communicator> communicator,
                                                     Iterator& iterator, Converter converter,
                                                     int root)
    : communicator_(given(std::move(communicator), "GenericMultiNodeEvaluator")),
      iterator_(iterator),
      converter_(std::move(converter)),
      root_(root) {
    if (iterator.repeat())
        fail<ValueError>(
            "GenericMultiNodeEvaluator: the iterator repeats, so that the evaluation would not "
            "end; "
            "make it with {{.repeat = false}}");
}

/// Batch by batch, so that the root alone holds everything; ranks without a batch send nothing.
std::map<std::string, double> GenericMultiNodeEvaluator::evaluate() {
    auto test_mode = using_config(&Config::train, false);
    auto no_graph = no_backprop_mode();
    std::vector<std::vector<Array>> results;
    iterator_.reset();
    bool more = true;
    while (more) {
        std::string own;
        if (std::optional<std::vector<Example>> examples = iterator_.next()) {
            Batch batch =
                converter_ ? converter_(*examples) : concat_examples(*examples, {.device = device});
            own = "1" + pack_arrays(calc_local(batch));
        }
        Array bytes =
            Array::from(std::vector<uint8_t>(own.begin(), own.end()), {int64_t(own.size())});
        more = communicator_->allreduce(Array::scalar<int64_t>(!own.empty())).item<int64_t>() > 0;
        for (const Array& each : communicator_->gather(bytes, root_))
            if (each.size() > 0)
                results.push_back(
                    unpack_arrays({reinterpret_cast<const char*>(each.elements<uint8_t>()) + 1,
                                   size_t(each.size() - 1)},
                                  "GenericMultiNodeEvaluator"));
        if (more && progress_hook && communicator_->rank() == root_)
            progress_hook(int64_t(results.size()));
    }
    return communicator_->rank() == root_ ? aggregate(results) : std::map<std::string, double>();
}

void GenericMultiNodeEvaluator::operator()(Trainer&) {
    Observation observation;
    for (auto& [key, value] : evaluate()) observation.emplace(name() + "/" + key, value);
    report(observation);
}

}  // namespace catena::extensions
