#include "frontend/link/normalization/batch_renormalization.h"

#include "runtime/core/system/error.h"
#include "runtime/ops/normalization/normalization.h"

namespace catena {

Variable BatchRenormalization::normalized_by_batch(const Variable& x, const Variable& scale,
                                                   const Variable& shift, bool finetune) {
    if (shares_statistics())
        fail<ValueError>("BatchRenormalization: cannot share its statistics among ranks");
    if (!options().axis.empty())
        fail<ValueError>(
            "BatchRenormalization: has no option axis; it normalises over all axes but the "
            "channels");
    const Variable y = batch_renormalization(
        x, scale, shift, rmax, dmax, avg_mean, avg_var,
        {.eps = options().eps, .decay = decay(), .update_statistics = !finetune});
    if (finetune) follow_all_batches(x);
    return y;
}

}  // namespace catena
