#pragma once

#include "frontend/link/normalization/batch_normalization.h"

namespace catena {

/// Batch normalisation that is corrected towards the running averages in training mode, within
/// limits (Ioffe 2017, arXiv:1702.03275). In test mode, and in what it saves, it is a
/// BatchNormalization.
class BatchRenormalization : public BatchNormalization {
public:
    /// rmax and dmax limit the correction of the deviation and the mean; with the defaults 1 and 0
    /// there is none.
    explicit BatchRenormalization(int64_t size, double rmax = 1, double dmax = 0,
                                  const BatchNormalizationLinkOptions& options = {})
        : BatchNormalization(size, options), rmax(rmax), dmax(dmax) {}

    double rmax, dmax;  ///< Limits of the correction; may be changed between calls.

protected:
    /// Normalises by the corrected statistics; ValueError if statistics are shared among ranks.
    Variable normalized_by_batch(const Variable& x, const Variable& scale, const Variable& shift,
                                 bool finetune) override;
};

}  // namespace catena
