#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include <dnnl.hpp>

#include "runtime/core/array/array.h"
#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"

namespace catena::onednn {

dnnl::engine& engine();
dnnl::stream& stream();  ///< This thread's.

/// Of float32 or bfloat16.
dnnl::memory::data_type data_type_of(Dtype dtype);
/// In the given order.
dnnl::memory::desc ordered(std::span<const int64_t> dims,
                           MemoryOrder order = MemoryOrder::row_major,
                           Dtype dtype = Dtype::float32);
dnnl::memory::desc ordered(std::initializer_list<int64_t> dims);
/// The same: dims[1] channels of an array that has `channels` of them.
dnnl::memory::desc slice_of_channels(std::span<const int64_t> dims, int64_t channels,
                                     MemoryOrder order, Dtype dtype = Dtype::float32);
/// In the layout that the primitive chooses.
dnnl::memory::desc any(const dnnl::memory::dims& dims, Dtype dtype = Dtype::float32);

/// Uninitialised memory from the device's pool for a tensor in some layout.
Array scratch(const dnnl::memory::desc& desc);
dnnl::memory memory(const dnnl::memory::desc& desc, const void* data);

/// Makes oneDNN use the calling thread alone while alive: primitives made, and what runs without
/// one.
class OneThread {
public:
    OneThread();
    ~OneThread();
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

private:
    int threads_;
};

/// An input or output of a primitive: in one of our layouts outside, possibly in another one
/// inside.
class Tensor {
public:
    Tensor() = default;
    Tensor(const dnnl::memory::desc& ours, const dnnl::memory::desc& theirs, bool is_input);

    bool is_converted() const { return ours_ != theirs_; }
    const dnnl::memory::desc& ours() const { return ours_; }
    const dnnl::memory::desc& theirs() const { return theirs_; }
    /// The conversion: of an input to their layout, of an output to ours.
    const dnnl::reorder& reorder() const { return reorder_; }
    const dnnl::memory::desc& from() const { return is_input_ ? ours_ : theirs_; }
    const dnnl::memory::desc& to() const { return is_input_ ? theirs_ : ours_; }

private:
    dnnl::memory::desc ours_, theirs_;
    dnnl::reorder reorder_;
    bool is_input_ = false;
};

}  // namespace catena::onednn
