#pragma once

#include <functional>

#include "runtime/core/array/array.h"
#include "runtime/cpu/onednn/onednn.h"

namespace catena::onednn {

/// The kinds of forms that are derived from weights before they are used.
enum class WeightForm : uint8_t {
    layout,
    tiles,
    turned_tiles,
    bounded,
    scaled,
    gates,
    lanes,
    columns,
    turned_columns,
    direct,
    direct_row_major,
    depthwise
};

/// The form that `derive` computes from `array`, which is row-major, of 16-bit, 32-bit or 64-bit
/// floats. If the array is read again and again without a change, as weights are in inference, the
/// form is computed once: after a few uses it is cached with the array's storage until its elements
/// change. Not for memory that others may write (Storage::is_exposed), and not with
/// CATENA_PACKED_WEIGHTS=0. `from` and `to` distinguish forms of one kind.
Array kept_form(const Array& array, WeightForm kind, const dnnl::memory::desc& from,
                const dnnl::memory::desc& to, const std::function<Array()>& derive);

/// The cached form, or undefined while there is none: then the caller derives it into memory of its
/// own. `derive` makes the form that is cached from now on.
Array form_if_kept(const Array& array, WeightForm kind, const dnnl::memory::desc& from,
                   const dnnl::memory::desc& to, const std::function<Array()>& derive);

/// The number of computations that were saved so since the process began.
int64_t packed_uses();

}  // namespace catena::onednn
