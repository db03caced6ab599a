#include "runtime/cpu/convolution/pointwise_convolution.h"

#include <algorithm>
#include <optional>

#include "runtime/core/array/in_order.h"
#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/product/measured_product.h"
#include "runtime/cpu/product/sgemm.h"
#include "runtime/cpu/machine.h"

namespace catena {
namespace {

// Positions of an image from which on products of row-major images are faster.
constexpr int64_t least_forward = 196, least_data = 784, least_weights = 49;

/// The sizes of x [N, C, spatial...] and y [N, O, spatial...] as matrices.
struct Matrices {
    int64_t images, in, out, positions;
    bool last;  ///< Channels are last, in both.
    /// Whether the kernel moves over x in steps that skip some of it: then the matrices are of what
    /// the steps visit.
    bool skips;
};

/// Whether a kernel of one element moves over x without padding, in steps that skip some of it.
bool skips(const Array& x, const Array& W, const Array& y, const WindowSteps& steps) {
    bool any = false;
    for (int d = 2; d < x.rank(); ++d) {
        const int64_t stride = steps.stride[d - 2];
        if (W.dim(d) != 1 || steps.pad[d - 2] != 0 || (y.dim(d) - 1) * stride >= x.dim(d))
            return false;
        any = any || stride > 1;
    }
    return any;
}

std::optional<Matrices> matrices(const ConvolutionTask& t) {
    const Array &x = t.x(), &W = t.W(), &y = t.y();
    Matrices m{x.dim(0), x.dim(1), y.dim(1), 1, false, skips(x, W, y, t.steps)};
    for (int d = 2; d < x.rank(); ++d) {
        const bool visits_all =
            W.dim(d) == 1 && t.steps.stride[d - 2] == 1 && t.steps.pad[d - 2] == 0;
        if (!m.skips && (!visits_all || x.dim(d) != y.dim(d))) return std::nullopt;
        m.positions *= y.dim(d);
    }
    const auto x_order = memory_order(x.shape(), x.strides()),
               y_order = memory_order(y.shape(), y.strides());
    if (t.steps.groups != 1 || !x_order || !y_order) return std::nullopt;
    // With one channel or one position an array is in both orders.
    const bool x_either = m.in == 1 || m.positions == 1, y_either = m.out == 1 || m.positions == 1;
    if (x_order != y_order && !x_either && !y_either) return std::nullopt;
    m.last = x_either ? (y_either || y_order == MemoryOrder::channels_last)
                      : x_order == MemoryOrder::channels_last;
    return m;
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

// Elements of x, or of memory like it, are `x`; where steps skip some, only those that they visit.

void multiply(const Matrices& m, const float* x, const float* W, const float* bias, float* y) {
    if (m.last) {
        const int64_t rows = m.images * m.positions;
        for (int64_t i = 0; bias && i < rows; ++i) std::copy_n(bias, m.out, y + i * m.out);
        sgemm(false, true, rows, m.out, m.in, 1, x, m.in, W, m.in, bias ? 1 : 0, y, m.out);
        return;
    }
    for (int64_t i = 0; i < m.images; ++i, x += m.in * m.positions, y += m.out * m.positions) {
        if (bias)
            for (int64_t o = 0; o < m.out; ++o)
                std::fill_n(y + o * m.positions, m.positions, bias[o]);
        sgemm(false, false, m.out, m.positions, m.in, 1, W, m.in, x, m.positions, bias ? 1 : 0, y,
              m.positions);
    }
}

void multiply_data(const Matrices& m, const float* gy, const float* W, float* gx) {
    if (m.last) {
        sgemm(false, false, m.images * m.positions, m.in, m.out, 1, gy, m.out, W, m.in, 0, gx,
              m.in);
        return;
    }
    for (int64_t i = 0; i < m.images; ++i, gy += m.out * m.positions, gx += m.in * m.positions)
        sgemm(true, false, m.in, m.positions, m.out, 1, W, m.in, gy, m.positions, 0, gx,
              m.positions);
}

void multiply_weights(const Matrices& m, const float* x, const float* gy, float* gW) {
    if (m.last) {
        sgemm(true, false, m.out, m.in, m.images * m.positions, 1, gy, m.out, x, m.in, 0, gW, m.in);
        return;
    }
    for (int64_t i = 0; i < m.images; ++i, x += m.in * m.positions, gy += m.out * m.positions)
        sgemm(false, true, m.out, m.in, m.positions, 1, gy, m.positions, x, m.positions,
              i > 0 ? 1 : 0, gW, m.in);
}

MeasuredProduct measured(const Matrices& m, const float* x, const float* W, float* y) {
    return {.m = m.images * m.positions, .n = m.out, .k = m.in, .a = x, .b = W, .c = y};
}

bool fits(const ConvolutionTask& t) {
    const std::optional<Matrices> m = matrices(t);
    if (!m) return false;
    switch (t.epilogue.kind()) {
        case Epilogue::Kind::tail:
            return false;
        case Epilogue::Kind::statistics:
            return order_of(t.result) == MemoryOrder::channels_last && m->last &&
                   is_measured_in_tiles(measured(*m, nullptr, nullptr, nullptr));
        default:
            break;
    }
    switch (t.direction) {
        case ConvolutionDirection::data:
            return m->last || m->positions >= least_data;
        case ConvolutionDirection::weights:
            return m->last || m->positions >= least_weights;
        default:
            if ((m->last || m->skips) && !is_small_beside(t.W(), t.y())) return false;
            return m->last || m->positions >= least_forward;
    }
}

bool run_data(const ConvolutionTask& t, const Matrices& m) {
    const float *const gy = t.a.elements<float>(), *const W = t.b.elements<float>();
    const Array& gx = t.result;
    if (!m.skips) {
        multiply_data(m, gy, W, gx.to_fill<float>());
        return true;
    }
    const Array to = visited_of(gx, t.a, t.steps), made = ordered_as(gx, to.shape());
    multiply_data(m, gy, W, made.to_fill<float>());
    float* const all = gx.to_fill<float>();
    parallel_for(gx.size(), machine::elements_of_a_thread,
                 [&](int64_t begin, int64_t end) { std::fill(all + begin, all + end, 0.0f); });
    copy_elements(made, to);
    return true;
}

bool run(const ConvolutionTask& t) {
    const Matrices m = matrices(t).value();
    if (t.is(ConvolutionDirection::data)) return run_data(t, m);
    const Array images = m.skips ? visited(t.x(), t.y(), t.steps) : t.x();
    const float *const x = images.elements<float>(), *const b = t.b.elements<float>();
    float* const to = t.result.to_fill<float>();
    if (t.epilogue.statistics)
        return multiply_and_measure(measured(m, x, b, to), *t.epilogue.statistics);
    if (t.is_forward())
        multiply(m, x, b, t.epilogue.bias_elements(), to);
    else
        multiply_weights(m, x, b, to);
    return true;
}

}  // namespace

const ConvolutionWay& product_way() {
    static constexpr ConvolutionWay way{"product", fits, prepare_nothing<run>};
    return way;
}

}  // namespace catena
