#pragma once

#include <functional>

#include "runtime/core/array.h"
#include "runtime/cpu/onednn.h"

namespace catena::onednn {

/// What is computed from weights before they are used.
enum class WeightForm : uint8_t { layout, tiles, turned_tiles };

/// What `derive` computes from `array`, which is row-major, float32 or bfloat16. What is read again and again without a change, as weights
/// are in inference, is computed once: after a few uses the derived form is kept with the array's storage until its elements
/// change. Not for memory that others may write (Storage::is_exposed), and not with CATENA_PACKED_WEIGHTS=0. `from` and `to`
/// tell forms of one kind apart.
Array kept_form(const Array& array, WeightForm kind, const dnnl::memory::desc& from, const dnnl::memory::desc& to,
                const std::function<Array()>& derive);

/// `array` in the layout that `tensor` has inside, kept in the same way. `held` keeps the result's memory alive.
dnnl::memory open_packed(const Tensor& tensor, const Array& array, Array& held);

/// How many computations were saved so since the process began.
int64_t packed_uses();

}  // namespace catena::onednn
