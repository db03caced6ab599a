#pragma once

#include <vector>

#include <dnnl.hpp>

#include "runtime/core/array.h"
#include "runtime/core/device.h"
#include "runtime/core/memory_order.h"

namespace catena::onednn {

dnnl::engine& engine();
dnnl::stream& stream();  ///< This thread's.

/// float32, or bfloat16 for that.
dnnl::memory::data_type data_type_of(Dtype dtype);
/// In the given order.
dnnl::memory::desc ordered(const dnnl::memory::dims& dims, MemoryOrder order = MemoryOrder::row_major,
                           Dtype dtype = Dtype::float32);
/// The same: dims[1] channels of an array that has `channels` of them.
dnnl::memory::desc slice_of_channels(const dnnl::memory::dims& dims, int64_t channels, MemoryOrder order,
                                     Dtype dtype = Dtype::float32);
/// In the layout that the primitive chooses.
dnnl::memory::desc any(const dnnl::memory::dims& dims, Dtype dtype = Dtype::float32);

/// Uninitialised memory from the device's pool for a tensor in some layout.
Array scratch(const dnnl::memory::desc& desc);
dnnl::memory memory(const dnnl::memory::desc& desc, const void* data);

/// Makes oneDNN use the calling thread alone while alive: primitives made, and what runs without one.
class OneThread {
public:
    OneThread();
    ~OneThread();
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

private:
    int threads_;
};

/// An input or output of a primitive: row-major outside, possibly another layout
/// inside.
class Tensor {
public:
    Tensor() = default;
    Tensor(const dnnl::memory::desc& ours, const dnnl::memory::desc& theirs, bool is_input);
    /// Converts an input to the primitive's layout, or allocates an output in it.
    dnnl::memory open(const void* data, Array& held) const;
    /// Converts an output back.
    void close(const dnnl::memory& opened, void* data) const;

    bool is_converted() const { return reordered_; }
    const dnnl::memory::desc& ours() const { return ours_; }
    const dnnl::memory::desc& theirs() const { return theirs_; }

private:
    dnnl::memory::desc ours_, theirs_;
    dnnl::reorder reorder_;
    bool reordered_ = false, is_input_ = false;
};

}  // namespace catena::onednn
