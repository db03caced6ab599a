#include "tests/cuda/cudnn_reference.h"

#ifdef CATENA_HAS_CUDNN

#include <cmath>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "runtime/core/dtype/dtype.h"

namespace catena::testing {

namespace {

using Index = std::vector<int64_t>;

int64_t offset_of(const HostTensor& t, const Index& index) {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) {
        if (index[d] < 0 || index[d] >= t.sizes[d])
            throw std::logic_error("an index outside of a tensor");
        offset += index[d] * t.steps[d];
    }
    return offset;
}

template <class T>
double read(const void* memory, int64_t offset) {
    T value;
    std::memcpy(&value, static_cast<const char*>(memory) + offset * int64_t(sizeof(T)), sizeof(T));
    return double(value);
}
template <class T>
void write(void* memory, int64_t offset, double number) {
    const T value(static_cast<float>(number));
    std::memcpy(static_cast<char*>(memory) + offset * int64_t(sizeof(T)), &value, sizeof(T));
}
template <>
void write<double>(void* memory, int64_t offset, double number) {
    std::memcpy(static_cast<char*>(memory) + offset * int64_t(sizeof number), &number,
                sizeof number);
}

void require(bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
}

void require_positions(const HostTensor& x, const HostTensor& y, const HostWindow& w,
                       const Index& size) {
    for (size_t d = 0; d < w.stride.size(); ++d) {
        const int64_t room =
            x.sizes[d + 2] + w.before[d] + w.after[d] - (size[d] - 1) * w.dilate[d] - 1;
        require(room >= 0 && room / w.stride[d] + 1 == y.sizes[d + 2], "windows do not fit");
    }
}

HostTensor box(const Index& sizes) { return {.sizes = sizes}; }

/// Calls f(element of y, its place in the window, element of x) wherever a window looks at x, for
/// one image and channel of each, which are 0 in the indices.
void for_each_tap(const HostTensor& x, const HostTensor& y, const HostWindow& w, const Index& size,
                  const std::function<void(const Index&, const Index&, const Index&)>& f) {
    const HostTensor positions = box(Index(y.sizes.begin() + 2, y.sizes.end())), taps = box(size);
    for (int64_t p = 0; p < positions.count(); ++p)
        for (int64_t t = 0; t < taps.count(); ++t) {
            const Index position = positions.index_of(p), tap = taps.index_of(t);
            Index at_x{0, 0}, at_y{0, 0}, at_w{0, 0};
            bool inside = true;
            for (size_t d = 0; d < size.size(); ++d) {
                at_y.push_back(position[d]);
                at_w.push_back(tap[d]);
                at_x.push_back(position[d] * w.stride[d] - w.before[d] + tap[d] * w.dilate[d]);
                inside = inside && at_x.back() >= 0 && at_x.back() < x.sizes[d + 2];
            }
            if (inside) f(at_y, at_w, at_x);
        }
}

/// Sums in double until all are there.
class Sums {
public:
    explicit Sums(const HostTensor& to) : to_(to), values_(size_t(to.count())) {}
    void add(const Index& index, double value) {
        int64_t k = 0;
        for (size_t d = 0; d < index.size(); ++d) k = k * to_.sizes[d] + index[d];
        values_.at(size_t(k)) += value;
    }
    void store() const {
        for (int64_t k = 0; k < to_.count(); ++k) to_.set(to_.index_of(k), values_[size_t(k)]);
    }

private:
    const HostTensor& to_;
    std::vector<double> values_;
};

Index with(Index index, int64_t first, int64_t second) {
    index[0] = first;
    index[1] = second;
    return index;
}

Index key_of(const Index& index) {
    Index key(index.size(), 0);
    key[1] = index[1];
    return key;
}

}  // namespace

int64_t HostTensor::count() const {
    int64_t count = 1;
    for (int64_t size : sizes) count *= size;
    return count;
}

Index HostTensor::index_of(int64_t k) const {
    Index index(sizes.size());
    for (size_t d = sizes.size(); d-- > 0; k /= sizes[d]) index[d] = k % sizes[d];
    return index;
}

double HostTensor::at(const Index& index) const {
    const int64_t offset = offset_of(*this, index);
    switch (type) {
        case CUDNN_DATA_HALF:
            return read<Half>(memory, offset);
        case CUDNN_DATA_BFLOAT16:
            return read<BFloat16>(memory, offset);
        case CUDNN_DATA_DOUBLE:
            return read<double>(memory, offset);
        default:
            return read<float>(memory, offset);
    }
}

void HostTensor::set(const Index& index, double value) const {
    const int64_t offset = offset_of(*this, index);
    switch (type) {
        case CUDNN_DATA_HALF:
            return write<Half>(memory, offset, value);
        case CUDNN_DATA_BFLOAT16:
            return write<BFloat16>(memory, offset, value);
        case CUDNN_DATA_DOUBLE:
            return write<double>(memory, offset, value);
        default:
            return write<float>(memory, offset, value);
    }
}

void host_convolution(ConvolutionResult result, const HostTensor& x, const HostTensor& W,
                      const HostTensor& y, const HostWindow& window) {
    const Index size(W.sizes.begin() + 2, W.sizes.end());
    require_positions(x, y, window, size);
    require(x.sizes[0] == y.sizes[0] && W.sizes[0] == y.sizes[1] && x.sizes[1] % W.sizes[1] == 0,
            "channels do not fit");
    const int64_t groups = x.sizes[1] / W.sizes[1], outer = W.sizes[0] / groups;
    Sums sums(result == ConvolutionResult::y ? y : result == ConvolutionResult::x ? x : W);
    for (int64_t n = 0; n < y.sizes[0]; ++n)
        for (int64_t o = 0; o < W.sizes[0]; ++o)
            for (int64_t i = 0; i < W.sizes[1]; ++i)
                for_each_tap(x, y, window, size,
                             [&](const Index& p, const Index& t, const Index& s) {
                                 const Index at_y = with(p, n, o), at_W = with(t, o, i),
                                             at_x = with(s, n, o / outer * W.sizes[1] + i);
                                 if (result == ConvolutionResult::y)
                                     sums.add(at_y, x.at(at_x) * W.at(at_W));
                                 if (result == ConvolutionResult::x)
                                     sums.add(at_x, y.at(at_y) * W.at(at_W));
                                 if (result == ConvolutionResult::W)
                                     sums.add(at_W, x.at(at_x) * y.at(at_y));
                             });
    sums.store();
}

void host_average_pooling(bool forward, const HostTensor& x, const HostTensor& y,
                          const HostWindow& window) {
    require_positions(x, y, window, window.size);
    require(x.sizes[0] == y.sizes[0] && x.sizes[1] == y.sizes[1], "images do not fit");
    const double factor = 1.0 / double(box(window.size).count());
    Sums sums(forward ? y : x);
    for (int64_t n = 0; n < y.sizes[0]; ++n)
        for (int64_t c = 0; c < y.sizes[1]; ++c)
            for_each_tap(x, y, window, window.size,
                         [&](const Index& p, const Index&, const Index& s) {
                             const Index at_y = with(p, n, c), at_x = with(s, n, c);
                             forward ? sums.add(at_y, x.at(at_x) * factor)
                                     : sums.add(at_x, y.at(at_y) * factor);
                         });
    sums.store();
}

void host_normalization(const HostNormalization& n, double epsilon) {
    const double count = double(n.x.count() / n.x.sizes[1]);
    Sums means(n.mean), squares(n.inverse_deviation);
    for (int64_t k = 0; k < n.x.count(); ++k) {
        const Index at = n.x.index_of(k);
        means.add(key_of(at), n.x.at(at) / count);
    }
    means.store();
    for (int64_t k = 0; k < n.x.count(); ++k) {
        const Index at = n.x.index_of(k);
        const double centred = n.x.at(at) - n.mean.at(key_of(at));
        squares.add(key_of(at), centred * centred / count);
    }
    squares.store();
    for (int64_t c = 0; c < n.x.sizes[1]; ++c) {
        const Index key = n.mean.index_of(c);
        n.inverse_deviation.set(key, 1 / std::sqrt(n.inverse_deviation.at(key) + epsilon));
    }
    for (int64_t k = 0; k < n.x.count(); ++k) {
        const Index at = n.x.index_of(k), key = key_of(at);
        const double normal = (n.x.at(at) - n.mean.at(key)) * n.inverse_deviation.at(key);
        n.y.set(at, normal * n.scale.at(key) + n.bias.at(key));
    }
}

void host_normalization_gradient(const HostNormalizationGradient& n) {
    const double count = double(n.x.count() / n.x.sizes[1]);
    Sums gscale(n.gscale), gbias(n.gbias);
    auto normal = [&](const Index& at) {
        return (n.x.at(at) - n.mean.at(key_of(at))) * n.inverse_deviation.at(key_of(at));
    };
    for (int64_t k = 0; k < n.x.count(); ++k) {
        const Index at = n.x.index_of(k);
        gscale.add(key_of(at), n.gy.at(at) * normal(at));
        gbias.add(key_of(at), n.gy.at(at));
    }
    gscale.store();
    gbias.store();
    for (int64_t k = 0; k < n.x.count(); ++k) {
        const Index at = n.x.index_of(k), key = key_of(at);
        const double own = n.gy.at(at) - (n.gbias.at(key) + normal(at) * n.gscale.at(key)) / count;
        n.gx.set(at, own * n.scale.at(key) * n.inverse_deviation.at(key));
    }
}

}  // namespace catena::testing

#endif
