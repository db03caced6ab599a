#include "runtime/cpu/convolution/convolution_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "runtime/core/array/device.h"
#include "runtime/cpu/convolution/convolution_call.h"
#include "runtime/cpu/onednn/onednn.h"

namespace catena {
namespace {

using Indices = dnnl::memory::dims;

/// Products and sums of a sample: some milliseconds.
constexpr int64_t most_products = 2'000'000, most_samples = 4096;

uint64_t next(uint64_t random) { return random * 6364136223846793005u + 1442695040888963407u; }

/// Calls f(place) for all places of an array of these sizes.
template <class F>
void for_all(const Indices& sizes, F f) {
    Indices place(sizes.size(), 0);
    for (int64_t count = element_count(Shape(std::span<const int64_t>(sizes))); count > 0;
         --count) {
        f(std::as_const(place));
        for (size_t d = sizes.size(); d-- > 0 && ++place[d] == sizes[d];) place[d] = 0;
    }
}

/// An array in one of our layouts, in memory of its own.
class CheckedOperand {
public:
    explicit CheckedOperand(const dnnl::memory::desc& desc)
        : desc_(desc),
          memory_(Array::empty({Dtype::uint8, Shape{int64_t(desc.get_size())}}, cpu_device())),
          data_(static_cast<std::byte*>(memory_.to_fill())) {
        std::memset(data_, 0xff, desc.get_size());  // NaN
    }

    void fill(uint64_t seed) {
        const size_t bytes = desc_.get_size();
        for (size_t i = 0; i < bytes / element(); ++i) {
            seed = next(seed);
            const float value = float(int((seed >> 33) % 5) - 2);
            if (is_short()) {
                const uint16_t half = uint16_t(std::bit_cast<uint32_t>(value) >> 16);
                std::memcpy(data() + 2 * i, &half, 2);
            } else {
                std::memcpy(data() + 4 * i, &value, 4);
            }
        }
    }

    int64_t stride(size_t d) const { return desc_.data.format_desc.blocking.strides[d]; }
    int64_t offset(std::span<const int64_t> place) const {
        int64_t offset = 0;
        for (size_t d = 0; d < place.size(); ++d) offset += place[d] * stride(d);
        return offset;
    }
    float at(std::span<const int64_t> place) const { return at(offset(place)); }
    float at(int64_t offset) const {
        if (is_short()) {
            uint16_t half;
            std::memcpy(&half, data() + 2 * offset, 2);
            return std::bit_cast<float>(uint32_t(half) << 16);
        }
        float value;
        std::memcpy(&value, data() + 4 * offset, 4);
        return value;
    }

    /// Whether some element of these sizes is NaN.
    bool has_nan(const Indices& sizes) const {
        size_t inner = sizes.size() - 1;
        for (size_t d = 0; d < sizes.size(); ++d)
            if (stride(d) == 1 && sizes[d] > 1) inner = d;
        Indices lines = sizes;
        lines[inner] = 1;
        bool has = false;
        for_all(lines, [&](const Indices& begin) {
            const int64_t first = offset(begin), step = stride(inner);
            for (int64_t i = 0; i < sizes[inner]; ++i) has |= std::isnan(at(first + i * step));
        });
        return has;
    }

    bool is_short() const { return desc_.data_type() == dnnl::memory::data_type::bf16; }
    std::byte* data() const { return data_; }
    const Array& memory() const { return memory_; }

private:
    size_t element() const { return is_short() ? 2 : 4; }

    dnnl::memory::desc desc_;
    Array memory_;
    std::byte* data_;
};

int64_t product(const Indices& sizes, size_t from = 0) {
    int64_t n = 1;
    for (size_t d = from; d < sizes.size(); ++d) n *= sizes[d];
    return n;
}

/// The elements of x that the window at `position` meets, as sums over places of y, W and x.
class Definition {
public:
    Definition(const ConvolutionSizes& s, const CheckedOperand& a, const CheckedOperand& b)
        : s_(s),
          a_(a),
          b_(b),
          groups_(s.has_groups() ? s.W[0] : 1),
          ins_(s.x[1] / groups_),
          outs_(s.y[1] / groups_),
          kernel_(s.W.end() - ptrdiff_t(s.stride.size()), s.W.end()),
          positions_(s.y.begin() + 2, s.y.end()) {}

    struct Sum {
        double value = 0, absolute = 0;
    };

    Sum forward(const Indices& y) const {
        Sum sum;
        for_all(kernel_, [&](const Indices& k) {
            Indices x(s_.x.size()), W = weight(y[1], k);
            x[0] = y[0];
            for (size_t d = 0; d < k.size(); ++d)
                x[d + 2] = y[d + 2] * s_.stride[d] - s_.pad[d] + k[d] * (s_.dilate[d] + 1);
            if (!is_inside(x, s_.x)) return;
            x[1] = y[1] / outs_ * ins_;
            add_line(sum, ins_, a_.offset(x), a_.stride(1), b_.offset(W),
                     b_.stride(W.size() - k.size() - 1));
        });
        return sum;
    }

    Sum data(const Indices& x) const {
        Sum sum;
        for_all(kernel_, [&](const Indices& k) {
            Indices y(s_.y.size());
            y[0] = x[0];
            for (size_t d = 0; d < k.size(); ++d) {
                const int64_t begin = x[d + 2] + s_.pad[d] - k[d] * (s_.dilate[d] + 1);
                if (begin < 0 || begin % s_.stride[d] != 0) return;
                y[d + 2] = begin / s_.stride[d];
            }
            if (!is_inside(y, s_.y)) return;
            y[1] = x[1] / ins_ * outs_;
            Indices W = weight(y[1], k);
            const size_t channel = W.size() - k.size() - 1;
            W[channel] = x[1] % ins_;
            add_line(sum, outs_, a_.offset(y), a_.stride(1), b_.offset(W), b_.stride(channel - 1));
        });
        return sum;
    }

    Sum weights(const Indices& W) const {
        const size_t first = W.size() - kernel_.size();
        const int64_t group = s_.has_groups() ? W[0] : 0;
        Sum sum;
        const size_t last = kernel_.size() - 1;
        const int64_t inside = W[first + last] * (s_.dilate[last] + 1) -
                               s_.pad[last];  // What the first window of a line meets.
        const int64_t begin = inside < 0 ? (-inside + s_.stride[last] - 1) / s_.stride[last] : 0;
        const int64_t end = std::min(
            positions_[last], (s_.x.back() - inside + s_.stride[last] - 1) / s_.stride[last]);
        Indices lines = positions_;
        lines[last] = 1;
        for (int64_t n = 0; n < s_.x[0] && begin < end; ++n)
            for_all(lines, [&](const Indices& position) {
                Indices x(s_.x.size()), y(s_.y.size());
                x[0] = y[0] = n;
                x[1] = group * ins_ + W[first - 1];
                y[1] = group * outs_ + W[first - 2];
                for (size_t d = 0; d < position.size(); ++d) {
                    y[d + 2] = d == last ? begin : position[d];
                    x[d + 2] =
                        y[d + 2] * s_.stride[d] - s_.pad[d] + W[first + d] * (s_.dilate[d] + 1);
                }
                if (!is_inside(x, s_.x)) return;
                add_line(sum, end - begin, a_.offset(x), a_.stride(last + 2) * s_.stride[last],
                         b_.offset(y), b_.stride(last + 2));
            });
        return sum;
    }

private:
    /// Where the weights of an output channel are, for input channel 0.
    Indices weight(int64_t out, const Indices& k) const {
        Indices W = s_.has_groups() ? Indices{out / outs_, out % outs_, 0} : Indices{out, 0};
        W.insert(W.end(), k.begin(), k.end());
        return W;
    }
    static bool is_inside(const Indices& place, const Indices& sizes) {
        for (size_t d = 2; d < place.size(); ++d)
            if (place[d] < 0 || place[d] >= sizes[d]) return false;
        return true;
    }
    void add_line(Sum& sum, int64_t count, int64_t a, int64_t a_step, int64_t b,
                  int64_t b_step) const {
        for (int64_t i = 0; i < count; ++i) {
            const double product = double(a_.at(a + i * a_step)) * b_.at(b + i * b_step);
            sum.value += product;
            sum.absolute += std::abs(product);
        }
    }

    const ConvolutionSizes& s_;
    const CheckedOperand &a_, &b_;
    const int64_t groups_, ins_, outs_;
    const Indices kernel_, positions_;
};

const Indices& sizes_of_result(ConvolutionDirection direction, const ConvolutionSizes& s) {
    return direction == ConvolutionDirection::weights ? s.W
           : direction == ConvolutionDirection::data  ? s.x
                                                      : s.y;
}

int64_t products_of_element(ConvolutionDirection direction, const ConvolutionSizes& s) {
    if (direction == ConvolutionDirection::weights) return s.x[0] * product(s.y, 2);
    return product(s.W) / s.W[s.has_groups() ? 1 : 0] / (s.has_groups() ? s.W[0] : 1);
}

bool is_near(Definition::Sum expected, float got, const ConvolutionSizes& s, bool is_short) {
    if (s.clips) expected.value = std::clamp(expected.value, double(s.lowest), double(s.highest));
    return std::abs(got - expected.value) <=
           1e-5 * expected.absolute + (is_short ? 0.01 * std::abs(expected.value) : 0);
}

}  // namespace

bool is_unusual(const ConvolutionSizes& s) {
    for (size_t d = 0; d < s.stride.size(); ++d) {
        const int64_t gap = s.dilate[d] + 1, taps = s.W[s.W.size() - s.stride.size() + d],
                      size = s.x[d + 2], positions = s.y[d + 2];
        if (gap > 1 || (taps - 1) * gap + 1 > size) return true;
        for (int64_t k = 0; k < taps; ++k) {
            const int64_t first =
                k * gap - s.pad[d];  // What the window's element k meets at the first position.
            const int64_t steps = first < 0 ? (-first + s.stride[d] - 1) / s.stride[d] : 0;
            if (steps >= positions || first + steps * s.stride[d] >= size) return true;
        }
    }
    return false;
}

bool is_right(const std::shared_ptr<const ConvolutionPrimitive>& primitive,
              ConvolutionDirection direction, const ConvolutionSizes& s) {
    const auto whole = [&](const dnnl::memory::desc& one, const Indices& dims, int64_t channels,
                           MemoryOrder order) {
        return primitive->images > 0 ? onednn::slice_of_channels(dims, channels, order, s.dtype)
                                     : one;
    };
    const bool is_data = direction == ConvolutionDirection::data;
    CheckedOperand a(is_data ? whole(primitive->a.ours(), s.y, s.y_channels, s.y_order)
                             : whole(primitive->a.ours(), s.x, s.x[1], s.x_order));
    CheckedOperand b(primitive->b.ours());
    CheckedOperand result(direction == ConvolutionDirection::weights ? primitive->result.ours()
                          : is_data
                              ? whole(primitive->result.ours(), s.x, s.x[1], s.x_order)
                              : whole(primitive->result.ours(), s.y, s.y_channels, s.y_order));
    a.fill(1);
    b.fill(2);
    const Array bias = Array::zeros({Dtype::float32, Shape{s.y[1]}});
    ConvolutionCall call(primitive);
    const Array scratch =
        Array::empty({Dtype::uint8, Shape{int64_t(call.scratch_bytes()) + 1}}, cpu_device());
    std::memset(scratch.to_fill(), 0xff, call.scratch_bytes());
    call.run(a.data(), b.memory(), bias.elements<float>(), result.data(),
             {static_cast<std::byte*>(scratch.to_fill()), call.scratch_bytes()});

    const Indices& sizes = sizes_of_result(direction, s);
    if (result.has_nan(sizes)) return false;
    const Definition definition(s, a, b);
    bool is_right = true;
    const auto try_at = [&](const Indices& place) {
        const Definition::Sum expected = direction == ConvolutionDirection::weights
                                             ? definition.weights(place)
                                         : is_data ? definition.data(place)
                                                   : definition.forward(place);
        is_right = is_right && is_near(expected, result.at(place), s, result.is_short());
    };
    const int64_t samples = std::clamp<int64_t>(
        most_products / std::max<int64_t>(products_of_element(direction, s), 1), 64, most_samples);
    if (product(sizes) <= samples) {
        for_all(sizes, try_at);
        return is_right;
    }
    uint64_t random = 3;
    for (int64_t i = 0; i < samples && is_right; ++i) {
        Indices place;
        for (const int64_t size : sizes) {
            random = next(random);
            place.push_back(int64_t(random >> 33) % size);
        }
        try_at(place);
    }
    if (direction == ConvolutionDirection::weights)  // Each element of the window at least once.
        for_all(Indices(sizes.end() - ptrdiff_t(s.stride.size()), sizes.end()),
                [&](const Indices& k) {
                    Indices place(sizes.size() - k.size(), 0);
                    place.insert(place.end(), k.begin(), k.end());
                    try_at(place);
                });
    return is_right;
}

}  // namespace catena
