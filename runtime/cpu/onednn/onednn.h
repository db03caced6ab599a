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
/// The oneDNN stream of this thread.
dnnl::stream& stream();

/// oneDNN's type for float32 or bfloat16.
dnnl::memory::data_type data_type_of(Dtype dtype);
/// The description of a tensor in the given memory order.
dnnl::memory::desc ordered(std::span<const int64_t> dims,
                           MemoryOrder order = MemoryOrder::row_major,
                           Dtype dtype = Dtype::float32);
dnnl::memory::desc ordered(std::initializer_list<int64_t> dims);
/// The description of a slice: dims[1] channels of an array that has `channels` of them, in the
/// given memory order.
dnnl::memory::desc slice_of_channels(std::span<const int64_t> dims, int64_t channels,
                                     MemoryOrder order, Dtype dtype = Dtype::float32);
/// The description of a tensor in the layout that the primitive chooses.
dnnl::memory::desc any(const dnnl::memory::dims& dims, Dtype dtype = Dtype::float32);

/// Uninitialised memory from the device's pool for a tensor in some layout.
Array scratch(const dnnl::memory::desc& desc);
dnnl::memory memory(const dnnl::memory::desc& desc, const void* data);

/// Makes oneDNN use the calling thread alone while alive, for primitives that are made and for
/// calls that run without one.
class OneThread {
public:
    OneThread();
    ~OneThread();
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

private:
    int threads_;
};

/// An input or output of a primitive: outside in one of Catena's layouts, inside possibly in
/// another one.
class Tensor {
public:
    Tensor() = default;
    Tensor(const dnnl::memory::desc& ours, const dnnl::memory::desc& theirs, bool is_input);

    bool is_converted() const { return ours_ != theirs_; }
    const dnnl::memory::desc& ours() const { return ours_; }
    const dnnl::memory::desc& theirs() const { return theirs_; }
    /// The conversion between both layouts: of an input to the primitive's, of an output to
    /// Catena's.
    const dnnl::reorder& reorder() const { return reorder_; }
    const dnnl::memory::desc& from() const { return is_input_ ? ours_ : theirs_; }
    const dnnl::memory::desc& to() const { return is_input_ ? theirs_ : ours_; }

private:
    dnnl::memory::desc ours_, theirs_;
    dnnl::reorder reorder_;
    bool is_input_ = false;
};

}  // namespace catena::onednn
