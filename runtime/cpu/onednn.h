#pragma once

#include <vector>

#include <dnnl.hpp>

#include "runtime/core/array.h"
#include "runtime/core/device.h"

namespace catena::onednn {

dnnl::engine& engine();
dnnl::stream& stream();  ///< This thread's.

/// float32, row-major.
dnnl::memory::desc plain(const dnnl::memory::dims& dims);
/// float32, in whatever layout the primitive likes best.
dnnl::memory::desc any(const dnnl::memory::dims& dims);

/// Uninitialised memory from the device's pool for a tensor in some layout.
Array scratch(const dnnl::memory::desc& desc);
dnnl::memory memory(const dnnl::memory::desc& desc, const Array& array);

/// A tensor that goes into or comes out of a primitive: row-major for us, perhaps another layout
/// for it.
class Tensor {
public:
    Tensor() = default;
    Tensor(const dnnl::memory::desc& ours, const dnnl::memory::desc& theirs, bool is_input);
    /// Brings an input into the primitive's layout, or gives memory for an output in it.
    dnnl::memory open(const Array& array, Array& held) const;
    /// Brings an output back.
    void close(const dnnl::memory& opened, const Array& array) const;

private:
    dnnl::memory::desc ours_, theirs_;
    dnnl::reorder reorder_;
    bool reordered_ = false, is_input_ = false;
};

}  // namespace catena::onednn
