#pragma once

#include "runtime/core/array.h"
#include "runtime/cpu/onednn.h"

namespace catena::onednn {

/// `array`, which is row-major float32, in the layout that `tensor` has inside.
/// What is read again and again without a change, as weights are in inference, is converted once: after a few uses the
/// converted form is kept with the array's storage until its elements change. Not for memory that others may
/// write (Storage::is_exposed), and not with CATENA_PACKED_WEIGHTS=0. `held` keeps the result's memory alive.
dnnl::memory open_packed(const Tensor& tensor, const Array& array, Array& held);

/// How many conversions were saved so since the process began.
int64_t packed_uses();

}  // namespace catena::onednn
