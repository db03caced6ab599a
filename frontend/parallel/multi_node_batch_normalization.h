#pragma once

#include <memory>

#include "frontend/link/normalization/batch_normalization.h"
#include "runtime/comm/communicator.h"

namespace catena {

/// Batch normalisation with the statistics of all ranks' batches together, whose numbers of rows
/// may differ. In test mode it is a BatchNormalization.
class MultiNodeBatchNormalization : public BatchNormalization {
public:
    /// A layer for `size` channels; `communicator` has the ranks whose batches belong together.
    MultiNodeBatchNormalization(int64_t size, std::shared_ptr<Communicator> communicator,
                                const BatchNormalizationLinkOptions& options = {})
        : BatchNormalization(size, options) {
        share_statistics(std::move(communicator));
    }
};

/// A copy of the model, parameters and statistics included, in which every BatchNormalization,
/// at any depth, uses the statistics of all ranks.
template <std::derived_from<Link> L>
L create_mnbn_model(const L& model, const std::shared_ptr<Communicator>& communicator) {
    L made = model;
    for (Link* link : made.links())
        if (auto* normalization = dynamic_cast<BatchNormalization*>(link))
            normalization->share_statistics(communicator);
    return made;
}

}  // namespace catena
