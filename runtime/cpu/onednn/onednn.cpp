#include "runtime/cpu/onednn/onednn.h"

#include <omp.h>

#include "runtime/core/system/error.h"
#include "runtime/core/system/per_thread.h"

namespace catena::onednn {

dnnl::engine& engine() {
    // Never destroyed: caches that refer to it may outlive any static.
    static auto* engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
    return *engine;
}

dnnl::stream& stream() {
    static constinit PerThread<dnnl::stream> stream;
    return stream.get([] { return dnnl::stream(engine()); });
}

dnnl::memory::data_type data_type_of(Dtype dtype) {
    CATENA_ASSERT(dtype == Dtype::float32 || dtype == Dtype::bfloat16,
                  "others are converted before");
    return dtype == Dtype::bfloat16 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;
}

dnnl::memory::desc ordered(std::span<const int64_t> dims, MemoryOrder order, Dtype dtype) {
    return slice_of_channels(dims, dims.size() > 1 ? dims[1] : 0, order, dtype);
}
dnnl::memory::desc ordered(std::initializer_list<int64_t> dims) {
    return ordered(std::span(dims.begin(), dims.size()));
}

dnnl::memory::desc slice_of_channels(std::span<const int64_t> dims, int64_t channels,
                                     MemoryOrder order, Dtype dtype) {
    Shape whole{dims};
    if (dims.size() > 1) whole[1] = channels;
    const Strides strides = strides_in(order, whole);
    dnnl_memory_desc_t desc;  // The C++ interface takes its lists on the heap.
    dnnl::error::wrap_c_api(dnnl_memory_desc_init_by_strides(
                                &desc, int(dims.size()), dims.data(),
                                dnnl::memory::convert_to_c(data_type_of(dtype)), strides.begin()),
                            "could not describe an array");
    return dnnl::memory::desc(desc);
}

dnnl::memory::desc any(const dnnl::memory::dims& dims, Dtype dtype) {
    return {dims, data_type_of(dtype), dnnl::memory::format_tag::any};
}

Array scratch(const dnnl::memory::desc& desc) {
    return Array::empty({Dtype::uint8, Shape{int64_t(desc.get_size())}}, cpu_device());
}

dnnl::memory memory(const dnnl::memory::desc& desc, const void* data) {
    return {desc, engine(), const_cast<void*>(data)};
}

OneThread::OneThread() : threads_(omp_get_max_threads()) {
    if (threads_ > 1) omp_set_num_threads(1);
}
OneThread::~OneThread() {
    if (threads_ > 1) omp_set_num_threads(threads_);
}

Tensor::Tensor(const dnnl::memory::desc& ours, const dnnl::memory::desc& theirs, bool is_input)
    : ours_(ours), theirs_(theirs), is_input_(is_input) {
    if (is_converted())
        reorder_ = dnnl::reorder(dnnl::reorder::primitive_desc(engine(), from(), engine(), to()));
}

}  // namespace catena::onednn
