// Pooling with Caffe's windows: their number is rounded up, and none begins behind the image.
#include "runtime/ops/pooling/pooling.h"

#include "frontend/caffe/caffe.pb.h"
#include "frontend/caffe/layer_reader.h"
#include "frontend/caffe/windows.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/layout/slicing.h"

namespace catena::caffe {
namespace {

using PoolingParameters = format::PoolingParameter;

struct Windows {
    PoolingParameters::PoolMethod method;
    bool everywhere = false;  ///< Whether the only window is the whole image.
    bool round_up = true;
    PerAxis kernel, stride, pad;
};

/// One of the two image axes.
struct Side {
    int64_t size, kernel, stride, pad;

    int64_t windows(bool round_up) const {
        const int64_t count = pooling_windows(size, kernel, stride, pad, round_up);
        if (count < 1)
            fail<ShapeError>("caffe: Pooling: a window of {} in an image of {}, padded by {}",
                             kernel, size, pad);
        return count;
    }
    /// By how much the last window exceeds the padded image.
    int64_t excess(int64_t count) const {
        return std::max<int64_t>(0, (count - 1) * stride + kernel - size - 2 * pad);
    }
    /// A window's mean over its full extent, times this, is the mean over the part inside the
    /// padded image.
    std::vector<float> corrections(int64_t count) const {
        std::vector<float> factors;
        for (int64_t i = 0; i < count; ++i)
            factors.push_back(
                float(double(kernel) / double(std::min(kernel, size + 2 * pad - i * stride))));
        return factors;
    }
};

/// The first windows of a result, where there are more.
Variable cut(const Variable& y, int64_t rows, int64_t columns) {
    Variable part = y.shape()[2] > rows ? slice_axis(y, 2, 0, rows) : y;
    return y.shape()[3] > columns ? slice_axis(part, 3, 0, columns) : part;
}

/// Means over windows of which the last may exceed the padded image; the excess does not count.
Variable caffe_means(const Variable& x, const Windows& w, const Side& rows, const Side& columns,
                     int64_t n, int64_t m) {
    const int64_t below = rows.excess(n), behind = columns.excess(m);
    if (below == 0 && behind == 0)
        return cut(average_pooling_2d(x, w.kernel, w.stride, w.pad), n, m);
    const Variable padded =
        pad(x, {0, 0, w.pad[0], w.pad[1]}, {0, 0, w.pad[0] + below, w.pad[1] + behind});
    const Variable means = cut(average_pooling_2d(padded, w.kernel, w.stride), n, m);
    const Variable by_row(Array::from(rows.corrections(n), {n, 1}), false),
        by_column(Array::from(columns.corrections(m), {m}), false);
    return means * cast(by_row * by_column, x.dtype());
}

Variable pooled(const Variable& x, Windows w) {
    if (x.rank() != 4)
        fail<ShapeError>("caffe: Pooling: x has 4 axes [N,C,H,W], not {}", to_string(x.shape()));
    if (w.everywhere) {
        w.kernel = {x.shape()[2], x.shape()[3]};
        w.stride = 1;
        w.pad = 0;
    }
    w.stride = per_axis("Pooling", "stride", w.stride, 2, 1);
    w.pad = per_axis("Pooling", "pad", w.pad, 2, 0);
    const Side rows{x.shape()[2], w.kernel[0], w.stride[0], w.pad[0]};
    const Side columns{x.shape()[3], w.kernel[1], w.stride[1], w.pad[1]};
    const int64_t n = rows.windows(w.round_up), m = columns.windows(w.round_up);
    if (w.method == PoolingParameters::AVE) return caffe_means(x, w, rows, columns, n, m);
    return cut(
        max_pooling_2d(x, w.kernel, {.stride = w.stride, .pad = w.pad, .cover_all = w.round_up}), n,
        m);
}

PerAxis pair(bool has_two, uint32_t h, uint32_t w, uint32_t both) {
    return has_two ? PerAxis{int64_t(h), int64_t(w)} : PerAxis{int64_t(both), int64_t(both)};
}

LayerFunction read_pooling(const LayerInFile& layer) {
    const PoolingParameters& p = layer->pooling_param();
    if (p.pool() == PoolingParameters::STOCHASTIC) layer.unsupported("stochastic pooling");
    Windows windows{.method = p.pool(),
                    .everywhere = p.global_pooling(),
                    .round_up = p.round_mode() == PoolingParameters::CEIL};
    windows.kernel =
        pair(p.has_kernel_h() || p.has_kernel_w(), p.kernel_h(), p.kernel_w(), p.kernel_size());
    windows.stride =
        pair(p.has_stride_h() || p.has_stride_w(), p.stride_h(), p.stride_w(), p.stride());
    windows.pad = pair(p.has_pad_h() || p.has_pad_w(), p.pad_h(), p.pad_w(), p.pad());
    for (int i = 0; i < 2 && !windows.everywhere; ++i)
        if (windows.kernel[i] < 1 || windows.stride[i] < 1 || windows.pad[i] >= windows.kernel[i])
            layer.wrong(
                fmt::format("has windows of {} at every {}, padded by {}; both must be positive, "
                            "and the padding less than "
                            "the window",
                            windows.kernel[i], windows.stride[i], windows.pad[i]));
    return of_one([windows](const Variable& x) { return pooled(x, windows); });
}

const int pooling_added = add_layer_readers({{"Pooling", read_pooling}});

}  // namespace
}  // namespace catena::caffe
