#include "runtime/cpu/convolution_kernel.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"
#include "runtime/cpu/onednn.h"

namespace catena {
namespace {

using dnnl::memory;

enum class Direction : int64_t { forward, forward_bias, data, weights };

/// Sizes of one convolution in oneDNN's terms; also the key of the cache.
struct Sizes {
    memory::dims x, W, y, stride, pad, pad_end, dilate;

    Sizes(const Shape& x_shape, const Shape& W_shape, const Shape& y_shape,
          const WindowSteps& steps)
        : x(x_shape.begin(), x_shape.end()),
          W(W_shape.begin(), W_shape.end()),
          y(y_shape.begin(), y_shape.end()) {
        for (int i = 0; i < x_shape.rank() - 2; ++i) {
            int64_t span = (y[i + 2] - 1) * steps.stride[i] + (W[i + 2] - 1) * steps.dilate[i] + 1;
            stride.push_back(steps.stride[i]);
            pad.push_back(steps.pad[i]);
            pad_end.push_back(std::max(steps.pad[i], span - x[i + 2] - steps.pad[i]));
            dilate.push_back(steps.dilate[i] - 1);
        }
        if (steps.groups > 1) {
            W[0] /= steps.groups;
            W.insert(W.begin(), steps.groups);
        }
    }
    std::vector<int64_t> key(Direction direction) const {
        std::vector<int64_t> key{int64_t(direction), int64_t(W.size())};
        for (const memory::dims* each : {&x, &W, &y, &stride, &pad, &pad_end, &dilate})
            key.insert(key.end(), each->begin(), each->end());
        return key;
    }
};

/// A primitive with the layouts it chose. a and b are its inputs in the order of our functions.
struct Convolution {
    dnnl::primitive primitive;
    int a_argument, b_argument, result_argument;
    onednn::Tensor a, b, result;
    memory::desc scratchpad, bias;
};

/// The layouts to ask for. Blocked ones are faster even with the reorders they cost, but for
/// gradients towards few channels, where most of a block would be empty (measured).
memory::desc layout(const memory::dims& dims, bool blocked) {
    return blocked ? onednn::any(dims) : onednn::plain(dims);
}

std::shared_ptr<Convolution> make(Direction direction, const Sizes& s) {
    using namespace dnnl;
    constexpr auto direct = algorithm::convolution_direct;
    bool grouped = s.W.size() > s.x.size();
    bool blocked = direction != Direction::data || grouped || s.x[1] >= 8;
    memory::desc x = layout(s.x, blocked), W = onednn::any(s.W), y = layout(s.y, blocked);
    primitive_attr attributes;
    attributes.set_scratchpad_mode(scratchpad_mode::user);
    auto made = std::make_shared<Convolution>();
    made->bias = onednn::plain({s.y[1]});
    bool with_bias = direction == Direction::forward_bias;
    convolution_forward::desc forward =
        with_bias ? convolution_forward::desc(prop_kind::forward_training, direct, x, W, made->bias,
                                              y, s.stride, s.dilate, s.pad, s.pad_end)
                  : convolution_forward::desc(prop_kind::forward_training, direct, x, W, y,
                                              s.stride, s.dilate, s.pad, s.pad_end);
    convolution_forward::primitive_desc hint(forward, attributes, onednn::engine());
    memory::desc plain_x = onednn::plain(s.x), plain_W = onednn::plain(s.W),
                 plain_y = onednn::plain(s.y);
    if (direction == Direction::data) {
        convolution_backward_data::primitive_desc desc(
            {direct, x, W, y, s.stride, s.dilate, s.pad, s.pad_end}, attributes, onednn::engine(),
            hint);
        *made = {convolution_backward_data(desc),
                 DNNL_ARG_DIFF_DST,
                 DNNL_ARG_WEIGHTS,
                 DNNL_ARG_DIFF_SRC,
                 {plain_y, desc.diff_dst_desc(), true},
                 {plain_W, desc.weights_desc(), true},
                 {plain_x, desc.diff_src_desc(), false},
                 desc.scratchpad_desc(),
                 made->bias};
    } else if (direction == Direction::weights) {
        convolution_backward_weights::primitive_desc desc(
            {direct, x, W, y, s.stride, s.dilate, s.pad, s.pad_end}, attributes, onednn::engine(),
            hint);
        *made = {convolution_backward_weights(desc),
                 DNNL_ARG_SRC,
                 DNNL_ARG_DIFF_DST,
                 DNNL_ARG_DIFF_WEIGHTS,
                 {plain_x, desc.src_desc(), true},
                 {plain_y, desc.diff_dst_desc(), true},
                 {plain_W, desc.diff_weights_desc(), false},
                 desc.scratchpad_desc(),
                 made->bias};
    } else {
        *made = {convolution_forward(hint),
                 DNNL_ARG_SRC,
                 DNNL_ARG_WEIGHTS,
                 DNNL_ARG_DST,
                 {plain_x, hint.src_desc(), true},
                 {plain_W, hint.weights_desc(), true},
                 {plain_y, hint.dst_desc(), false},
                 hint.scratchpad_desc(),
                 made->bias};
    }
    return made;
}

/// Making a primitive generates code; each is made once per process.
std::shared_ptr<Convolution> find(Direction direction, const Sizes& sizes) {
    static std::mutex mutex;
    static auto* known = new std::map<std::vector<int64_t>, std::shared_ptr<Convolution>>;
    std::lock_guard lock(mutex);
    std::shared_ptr<Convolution>& found = (*known)[sizes.key(direction)];
    if (!found) found = make(direction, sizes);
    return found;
}

void run_float(Direction direction, const Sizes& sizes, const Array& a, const Array& b,
               const Array& bias, const Array& result) {
    std::shared_ptr<Convolution> convolution = find(direction, sizes);
    Array held_a, held_b, held_result, workspace = onednn::scratch(convolution->scratchpad);
    memory opened = convolution->result.open(result, held_result);
    std::unordered_map<int, memory> arguments{
        {convolution->a_argument, convolution->a.open(a, held_a)},
        {convolution->b_argument, convolution->b.open(b, held_b)},
        {convolution->result_argument, opened},
        {DNNL_ARG_SCRATCHPAD, onednn::memory(convolution->scratchpad, workspace)}};
    if (bias.defined()) arguments[DNNL_ARG_BIAS] = onednn::memory(convolution->bias, bias);
    convolution->primitive.execute(onednn::stream(), arguments);
    convolution->result.close(opened, result);
    onednn::stream().wait();
}

/// Calls f(x index, W index, y index) for every multiplication of the convolution: the definition,
/// for dtypes that oneDNN does not know. Parallel over nothing; y varies slowest.
template <class F>
void for_each_product(const Shape& x, const Shape& W, const Shape& y, const WindowSteps& steps,
                      F&& f) {
    int64_t xs[3] = {1, 1, 1}, ks[3] = {1, 1, 1}, ys[3] = {1, 1, 1};
    int64_t stride[3] = {1, 1, 1}, pad[3] = {}, dilate[3] = {1, 1, 1};
    int lead = 3 - (x.rank() - 2);
    for (int i = 0; i < x.rank() - 2; ++i) {
        xs[lead + i] = x[i + 2], ks[lead + i] = W[i + 2], ys[lead + i] = y[i + 2];
        stride[lead + i] = steps.stride[i], pad[lead + i] = steps.pad[i],
                      dilate[lead + i] = steps.dilate[i];
    }
    int64_t in_group = W[1], out_group = W[0] / steps.groups;
    for (int64_t n = 0; n < y[0]; ++n)
        for (int64_t o = 0; o < y[1]; ++o)
            for (int64_t p = 0; p < ys[0] * ys[1] * ys[2]; ++p) {
                int64_t at[3] = {p / (ys[1] * ys[2]), p / ys[2] % ys[1], p % ys[2]};
                int64_t y_index = (n * y[1] + o) * ys[0] * ys[1] * ys[2] + p;
                for (int64_t c = 0; c < in_group; ++c)
                    for (int64_t k = 0; k < ks[0] * ks[1] * ks[2]; ++k) {
                        int64_t tap[3] = {k / (ks[1] * ks[2]), k / ks[2] % ks[1], k % ks[2]};
                        int64_t x_index = n * x[1] + o / out_group * in_group + c;
                        bool inside = true;
                        for (int i = 0; i < 3; ++i) {
                            int64_t position = at[i] * stride[i] - pad[i] + tap[i] * dilate[i];
                            inside &= position >= 0 && position < xs[i];
                            x_index = x_index * xs[i] + position;
                        }
                        if (inside)
                            f(x_index, (o * in_group + c) * ks[0] * ks[1] * ks[2] + k, y_index);
                    }
            }
}

Array contiguous_float(const Array& array, Dtype dtype) {
    return array.defined() ? array.astype(dtype).as_contiguous() : array;
}

/// Gives f arrays in float32 or float64 and stores what it wrote.
template <class F>
void in_working_dtype(const Array& result, F&& f) {
    Dtype dtype = result.dtype() == Dtype::float64 ? Dtype::float64 : Dtype::float32;
    if (result.size() == 0) return;
    Array working =
        dtype == result.dtype() ? result : Array::empty({dtype, result.shape()}, result.device());
    f(dtype, working);
    if (!(working == result)) copy_elements(working, result);
}

bool any_empty(const Array& a, const Array& b) { return a.size() == 0 || b.size() == 0; }

void fill_zero(const Array& array) {
    std::memset(array.raw_data(), 0, size_t(array.size()) * size_of(array.dtype()));
}

}  // namespace

void convolve(const Array& x, const Array& W, const Array& b, const WindowSteps& steps,
              const Array& y) {
    in_working_dtype(y, [&](Dtype dtype, const Array& result) {
        Array from = contiguous_float(x, dtype), by = contiguous_float(W, dtype),
              bias = contiguous_float(b, dtype);
        if (dtype == Dtype::float32 && !any_empty(x, W))
            return run_float(b.defined() ? Direction::forward_bias : Direction::forward,
                             Sizes(x.shape(), W.shape(), y.shape(), steps), from, by, bias, result);
        fill_zero(result);
        visit_dtype(dtype, [&](auto zero) {
            using T = decltype(zero);
            T* sums = result.data<T>();
            int64_t per_channel = result.size() / (y.dim(0) * y.dim(1));
            if (bias.defined())
                for (int64_t i = 0; i < result.size(); ++i)
                    sums[i] = bias.data<T>()[i / per_channel % y.dim(1)];
            const T *px = from.data<T>(), *pw = by.data<T>();
            for_each_product(x.shape(), W.shape(), y.shape(), steps,
                             [&](int64_t ix, int64_t iw, int64_t iy) {
                                 sums[iy] = T(sums[iy] + px[ix] * pw[iw]);
                             });
        });
    });
}

void convolve_data(const Array& gy, const Array& W, const WindowSteps& steps, const Array& gx) {
    in_working_dtype(gx, [&](Dtype dtype, const Array& result) {
        Array from = contiguous_float(gy, dtype), by = contiguous_float(W, dtype);
        if (dtype == Dtype::float32 && !any_empty(gy, W))
            return run_float(Direction::data, Sizes(gx.shape(), W.shape(), gy.shape(), steps), from,
                             by, Array(), result);
        fill_zero(result);
        visit_dtype(dtype, [&](auto zero) {
            using T = decltype(zero);
            T* sums = result.data<T>();
            const T *pg = from.data<T>(), *pw = by.data<T>();
            for_each_product(gx.shape(), W.shape(), gy.shape(), steps,
                             [&](int64_t ix, int64_t iw, int64_t iy) {
                                 sums[ix] = T(sums[ix] + pg[iy] * pw[iw]);
                             });
        });
    });
}

void convolve_weights(const Array& x, const Array& gy, const WindowSteps& steps, const Array& gW) {
    in_working_dtype(gW, [&](Dtype dtype, const Array& result) {
        Array from = contiguous_float(x, dtype), by = contiguous_float(gy, dtype);
        if (dtype == Dtype::float32 && !any_empty(x, gy))
            return run_float(Direction::weights, Sizes(x.shape(), gW.shape(), gy.shape(), steps),
                             from, by, Array(), result);
        fill_zero(result);
        visit_dtype(dtype, [&](auto zero) {
            using T = decltype(zero);
            T* sums = result.data<T>();
            const T *px = from.data<T>(), *pg = by.data<T>();
            for_each_product(x.shape(), gW.shape(), gy.shape(), steps,
                             [&](int64_t ix, int64_t iw, int64_t iy) {
                                 sums[iw] = T(sums[iw] + px[ix] * pg[iy]);
                             });
        });
    });
}

}  // namespace catena
