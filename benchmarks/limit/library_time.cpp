#include "benchmarks/limit/library_time.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <unordered_map>

#include <dnnl.hpp>

#include "runtime/core/array/device.h"
#include "runtime/cpu/convolution/convolution_primitive.h"
#include "runtime/ops/declare/library_role.h"

namespace catena::tool {
namespace {

using dnnl::memory;

double fastest(const std::function<void()>& call) {
    using Clock = std::chrono::steady_clock;
    double best = std::numeric_limits<double>::infinity(), sum = 0;
    call();  // The first run touches memory for the first time.
    for (int i = 0; i < 40 && (i < 6 || sum < 0.1); ++i) {
        const auto begin = Clock::now();
        call();
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        best = std::min(best, seconds);
        sum += seconds;
    }
    return best;
}

/// A primitive on memory of its own; no number in it is denormal or NaN.
double time_of(const dnnl::primitive& primitive,
               std::initializer_list<std::pair<int, memory::desc>> arguments) {
    std::unordered_map<int, memory> memories;
    std::vector<Array> held;
    for (const auto& [argument, desc] : arguments) {
        const int64_t count = int64_t((desc.get_size() + 3) / 4);
        held.push_back(Array::full({Dtype::float32, Shape{count}}, 0.5));
        memories.emplace(argument, memory(desc, onednn::engine(), held.back().to_fill()));
    }
    return fastest([&] {
        primitive.execute(onednn::stream(), memories);
        onednn::stream().wait();
    });
}

memory::dims dims_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

WindowSteps steps_of(const Attributes& a) {
    return {a.dims("stride"), a.dims("pad"), a.dims("dilate"), a.integer("groups")};
}

double convolution_seconds(LibraryRole role, const Shape& x, const Shape& W, const Shape& y,
                           const WindowSteps& steps) {
    using namespace dnnl;
    constexpr auto direct = algorithm::convolution_direct;
    const ConvolutionSizes s(x, W, y, steps);
    const memory::desc dx = onednn::any(s.x), dW = onednn::any(s.W), dy = onednn::any(s.y);
    const auto kind = role == LibraryRole::convolution ? prop_kind::forward_inference
                                                       : prop_kind::forward_training;
    const convolution_forward::primitive_desc f(
        {kind, direct, dx, dW, dy, s.stride, s.dilate, s.pad, s.pad_end}, onednn::engine());
    if (role == LibraryRole::convolution)
        return time_of(convolution_forward(f), {{DNNL_ARG_SRC, f.src_desc()},
                                                {DNNL_ARG_WEIGHTS, f.weights_desc()},
                                                {DNNL_ARG_DST, f.dst_desc()}});
    if (role == LibraryRole::convolution_data) {
        const convolution_backward_data::primitive_desc d(
            {direct, dx, dW, dy, s.stride, s.dilate, s.pad, s.pad_end}, onednn::engine(), f);
        return time_of(convolution_backward_data(d), {{DNNL_ARG_DIFF_DST, d.diff_dst_desc()},
                                                      {DNNL_ARG_WEIGHTS, d.weights_desc()},
                                                      {DNNL_ARG_DIFF_SRC, d.diff_src_desc()}});
    }
    const convolution_backward_weights::primitive_desc w(
        {direct, dx, dW, dy, s.stride, s.dilate, s.pad, s.pad_end}, onednn::engine(), f);
    return time_of(convolution_backward_weights(w),
                   {{DNNL_ARG_SRC, w.src_desc()},
                    {DNNL_ARG_DIFF_DST, w.diff_dst_desc()},
                    {DNNL_ARG_DIFF_WEIGHTS, w.diff_weights_desc()}});
}

/// `shape` with its last two axes exchanged, and ones in front up to `rank`.
memory::dims matrix_dims(const Shape& shape, bool transposed, int rank) {
    memory::dims dims = dims_of(shape);
    while (int(dims.size()) < rank) dims.insert(dims.begin(), 1);
    if (transposed) std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
    return dims;
}

/// Of float32 in memory as `dims` before the exchange.
memory::desc matrix_desc(const memory::dims& dims, bool transposed) {
    memory::dims strides(dims.size());
    const size_t last = dims.size() - 1, before = dims.size() - 2;
    strides[last] = transposed ? dims[before] : 1;
    strides[before] = transposed ? 1 : dims[last];
    int64_t step = dims[last] * dims[before];
    for (size_t i = before; i-- > 0; step *= dims[i]) strides[i] = step;
    return {dims, memory::data_type::f32, strides};
}

double product_seconds(const Shape& a, bool transa, const Shape& b, bool transb, const Shape& y) {
    const int rank = std::max({2, a.rank(), b.rank(), y.rank()});
    if (a.rank() < 2 || b.rank() < 2 || y.rank() < 2)
        return std::numeric_limits<double>::infinity();
    const memory::dims da = matrix_dims(a, transa, rank), db = matrix_dims(b, transb, rank),
                       dy = matrix_dims(y, false, rank);
    double best = std::numeric_limits<double>::infinity();
    for (const bool chosen : {false, true}) {
        const memory::desc wa = chosen ? onednn::any(da) : matrix_desc(da, transa),
                           wb = chosen ? onednn::any(db) : matrix_desc(db, transb),
                           wy = matrix_desc(dy, false);
        const dnnl::matmul::primitive_desc p({wa, wb, wy}, onednn::engine());
        best = std::min(best, time_of(dnnl::matmul(p), {{DNNL_ARG_SRC, p.src_desc()},
                                                        {DNNL_ARG_WEIGHTS, p.weights_desc()},
                                                        {DNNL_ARG_DST, p.dst_desc()}}));
    }
    return best;
}

bool is_float32(const ProductCall& call) {
    const auto is = [](const Type& type) { return type.dtype == Dtype::float32; };
    return std::all_of(call.inputs.begin(), call.inputs.end(), is) &&
           std::all_of(call.outputs.begin(), call.outputs.end(), is);
}

double library_seconds(const ProductCall& call) {
    const auto shape = [&](size_t i) -> const Shape& { return call.inputs[i].shape; };
    const Shape& y = call.outputs[0].shape;
    switch (const LibraryRole role = library_role_of(*call.op)) {
        case LibraryRole::matmul:
            return product_seconds(shape(0), call.attributes.flag("transa"), shape(1),
                                   call.attributes.flag("transb"), y);
        case LibraryRole::linear:
            return product_seconds(shape(0), false, shape(1), true, y);
        case LibraryRole::convolution:
            return convolution_seconds(role, shape(0), shape(1), y, steps_of(call.attributes));
        case LibraryRole::convolution_data:
            return convolution_seconds(role, y, shape(1), shape(0), steps_of(call.attributes));
        case LibraryRole::convolution_weights:
            return convolution_seconds(role, shape(0), y, shape(1), steps_of(call.attributes));
        default:
            return std::numeric_limits<double>::infinity();
    }
}

double own_seconds(const ProductCall& call) {
    // Small numbers: large ones would saturate the gates of a recurrent layer, whose exponentials
    // are denormal then, and slow.
    std::vector<Array> inputs;
    for (size_t i = 0; i < call.inputs.size(); ++i)
        inputs.push_back(call.integers[i].defined() ? call.integers[i]
                                                    : Array::full(call.inputs[i], 0.01));
    Arrays outputs;
    return fastest([&] { outputs = run_kernel(*call.op, inputs, call.attributes); });
}

}  // namespace

double fastest_seconds(const ProductCall& call) {
    const double own = own_seconds(call);
    if (!is_float32(call)) return own;
    try {
        return std::min(own, library_seconds(call));
    } catch (const dnnl::error&) {  // Sizes that oneDNN refuses.
        return own;
    }
}

}  // namespace catena::tool
