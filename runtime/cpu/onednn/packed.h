#pragma once

#include <functional>

#include "runtime/core/array/array.h"
#include "runtime/cpu/onednn/onednn.h"

namespace catena::onednn {

/// What is computed from weights before they are used.
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

/// What `derive` computes from `array`, which is row-major, of 16-bit, 32-bit or 64-bit floats.
/// What is read again and again without a change, as weights are in inference, is computed once:
/// after a few uses the derived form is kept with the array's storage until its elements change.
/// Not for memory that others may write (Storage::is_exposed), and not with
/// CATENA_PACKED_WEIGHTS=0. `from` and `to` tell forms of one kind apart.
Array kept_form(const Array& array, WeightForm kind, const dnnl::memory::desc& from,
                const dnnl::memory::desc& to, const std::function<Array()>& derive);

/// The same, but undefined while the form is not kept: then the caller derives it into memory of
/// its own. `derive` makes what is kept from now on.
Array form_if_kept(const Array& array, WeightForm kind, const dnnl::memory::desc& from,
                   const dnnl::memory::desc& to, const std::function<Array()>& derive);

/// How many computations were saved so since the process began.
int64_t packed_uses();

}  // namespace catena::onednn
