#include "runtime/cpu/convolution/pointwise_convolution.h"

#include <algorithm>
#include <optional>

#include "runtime/core/array/memory_order.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/product/measured_product.h"
#include "runtime/cpu/product/sgemm.h"

namespace catena {
namespace {

// Positions of an image from which on products of row-major images are faster.
constexpr int64_t least_forward = 196, least_data = 784, least_weights = 49;

/// The sizes of x [N, C, spatial...] and y [N, O, spatial...] as matrices.
struct Matrices {
    int64_t images, in, out, positions;
    bool last;  ///< Channels are last, in both.
};

std::optional<Matrices> matrices(const Array& x, const Array& W, const Array& y,
                                 const WindowSteps& steps) {
    Matrices m{x.dim(0), x.dim(1), y.dim(1), 1, false};
    for (int d = 2; d < x.rank(); ++d) {
        const size_t axis = size_t(d - 2);
        if (W.dim(d) != 1 || steps.stride[int(axis)] != 1 || steps.pad[int(axis)] != 0 ||
            x.dim(d) != y.dim(d))
            return std::nullopt;
        m.positions *= x.dim(d);
    }
    const auto x_order = memory_order(x.shape(), x.strides()),
               y_order = memory_order(y.shape(), y.strides());
    if (steps.groups != 1 || !x_order || !y_order) return std::nullopt;
    // With one channel or one position an array is in both orders.
    const bool x_either = m.in == 1 || m.positions == 1, y_either = m.out == 1 || m.positions == 1;
    if (x_order != y_order && !x_either && !y_either) return std::nullopt;
    m.last = x_either ? (y_either || y_order == MemoryOrder::channels_last)
                      : x_order == MemoryOrder::channels_last;
    return m;
}

/// Whether a kernel of one element moves over x without padding, in steps that skip some of it.
bool skips(const Array& x, const Array& W, const Array& y, const WindowSteps& steps) {
    bool any = false;
    for (int d = 2; d < x.rank(); ++d) {
        const int64_t stride = steps.stride[d - 2];
        if (W.dim(d) != 1 || steps.pad[d - 2] != 0 || (y.dim(d) - 1) * stride >= x.dim(d))
            return false;
        any = any || stride > 1;
    }
    return any && memory_order(x.shape(), x.strides());
}

/// What the steps visit of x.
Array visited_of(const Array& x, const Array& y, const WindowSteps& steps) {
    Shape shape = y.shape();
    shape[1] = x.dim(1);
    Strides strides = x.strides();
    for (int d = 2; d < x.rank(); ++d) strides[d] *= steps.stride[d - 2];
    return x.view(shape, strides, x.body()->offset);
}

/// Memory for it without gaps, in the same memory order.
Array ordered_as(const Array& x, const Shape& shape) {
    return Array::empty({x.dtype(), shape}, x.device())
        .view(shape, strides_in(*memory_order(x.shape(), x.strides()), shape), 0);
}

/// A copy of it.
Array visited(const Array& x, const Array& y, const WindowSteps& steps) {
    const Array from = visited_of(x, y, steps), made = ordered_as(x, from.shape());
    copy_elements(from, made);
    return made;
}

/// Whether there are so few positions of a batch that bringing the weights into the library's
/// layout would take as long as convolving: 196 positions, 2048 to 512 channels, 1.7 and 0.9 ms. A
/// single image is left to the library, which keeps weights packed in inference.
bool is_small_beside(const Array& W, const Array& y) {
    constexpr int64_t least_positions = 64, most_positions = 256, least_weights = int64_t(1) << 19;
    const int64_t positions = y.size() / y.dim(1);
    return positions >= least_positions && positions <= most_positions && W.size() >= least_weights;
}

WindowSteps one_by_one(WindowSteps steps) {
    for (int64_t& stride : steps.stride) stride = 1;
    return steps;
}

}  // namespace

bool convolve_as_product(const Array& x, const Array& W, const Array& b, const WindowSteps& steps,
                         const Array& y) {
    if (is_small_beside(W, y) && skips(x, W, y, steps))
        return convolve_as_product(visited(x, y, steps), W, b, one_by_one(steps), y);
    const std::optional<Matrices> m = matrices(x, W, y, steps);
    if (!m || (m->last ? !is_small_beside(W, y) : m->positions < least_forward)) return false;
    const float* from = x.elements<float>();
    float* to = y.to_fill<float>();
    const float* bias = b.defined() ? b.elements<float>() : nullptr;
    if (m->last) {
        const int64_t rows = m->images * m->positions;
        for (int64_t i = 0; bias && i < rows; ++i) std::copy_n(bias, m->out, to + i * m->out);
        sgemm(false, true, rows, m->out, m->in, 1, from, m->in, W.elements<float>(), m->in,
              bias ? 1 : 0, to, m->out);
        return true;
    }
    for (int64_t i = 0; i < m->images;
         ++i, from += m->in * m->positions, to += m->out * m->positions) {
        if (bias)
            for (int64_t o = 0; o < m->out; ++o)
                std::fill_n(to + o * m->positions, m->positions, bias[o]);
        sgemm(false, false, m->out, m->positions, m->in, 1, W.elements<float>(), m->in, from,
              m->positions, bias ? 1 : 0, to, m->positions);
    }
    return true;
}

bool convolve_as_product(const Array& x, const Array& W, const WindowSteps& steps, const Array& y,
                         ColumnStatistics& statistics) {
    if (skips(x, W, y, steps))
        return convolve_as_product(visited(x, y, steps), W, one_by_one(steps), y, statistics);
    const std::optional<Matrices> m = matrices(x, W, y, steps);
    if (!m || !m->last) return false;
    return multiply_and_measure({.m = m->images * m->positions,
                                 .n = m->out,
                                 .k = m->in,
                                 .a = x.elements<float>(),
                                 .b = W.elements<float>(),
                                 .c = y.to_fill<float>()},
                                statistics);
}

bool convolve_data_as_product(const Array& gy, const Array& W, const WindowSteps& steps,
                              const Array& gx) {
    if (skips(gx, W, gy, steps)) {
        const Array to = visited_of(gx, gy, steps), made = ordered_as(gx, to.shape());
        if (!convolve_data_as_product(gy, W, one_by_one(steps), made)) return false;
        float* const all = gx.to_fill<float>();
        parallel_for(gx.size(), 20'000,
                     [&](int64_t begin, int64_t end) { std::fill(all + begin, all + end, 0.0f); });
        copy_elements(made, to);
        return true;
    }
    const std::optional<Matrices> m = matrices(gx, W, gy, steps);
    if (!m || (!m->last && m->positions < least_data)) return false;
    const float *from = gy.elements<float>(), *by = W.elements<float>();
    float* to = gx.to_fill<float>();
    if (m->last) {
        sgemm(false, false, m->images * m->positions, m->in, m->out, 1, from, m->out, by, m->in, 0,
              to, m->in);
        return true;
    }
    for (int64_t i = 0; i < m->images;
         ++i, from += m->out * m->positions, to += m->in * m->positions)
        sgemm(true, false, m->in, m->positions, m->out, 1, by, m->in, from, m->positions, 0, to,
              m->positions);
    return true;
}

bool convolve_weights_as_product(const Array& x, const Array& gy, const WindowSteps& steps,
                                 const Array& gW) {
    if (skips(x, gW, gy, steps))
        return convolve_weights_as_product(visited(x, gy, steps), gy, one_by_one(steps), gW);
    const std::optional<Matrices> m = matrices(x, gW, gy, steps);
    if (!m || (!m->last && m->positions < least_weights)) return false;
    const float *images = x.elements<float>(), *from = gy.elements<float>();
    float* to = gW.to_fill<float>();
    if (m->last) {
        sgemm(true, false, m->out, m->in, m->images * m->positions, 1, from, m->out, images, m->in,
              0, to, m->in);
        return true;
    }
    for (int64_t i = 0; i < m->images;
         ++i, images += m->in * m->positions, from += m->out * m->positions)
        sgemm(false, true, m->out, m->in, m->positions, 1, from, m->positions, images, m->positions,
              i > 0 ? 1 : 0, to, m->in);
    return true;
}

}  // namespace catena
