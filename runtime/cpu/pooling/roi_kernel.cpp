#include "runtime/cpu/pooling/roi_kernel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "runtime/core/parallel/parallel.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

/// Pixels of a plane with weights; unused ones have weight 0. Pixels have one, samples four.
struct Sample {
    std::array<int64_t, 4> pixels{};
    std::array<double, 4> weights{};
    bool inside = true;
};

/// The two pixels beside a place along an axis, and the second one's weight.
struct Neighbours {
    int64_t low = 0, high = 0;
    double weight = 0;
    bool inside = true;
};

Neighbours neighbours_of(double place, int64_t size) {
    if (place < -1 || place > double(size)) return {.inside = false};
    const double x = std::clamp(place, 0.0, double(size - 1));
    const int64_t low = int64_t(x);
    return {low, std::min(low + 1, size - 1), x - double(low)};
}

/// One region, and what its bins read.
class Region {
public:
    Region(const double* corners, const RegionBins& bins, int64_t height, int64_t width)
        : bins_(bins), height_(height), width_(width) {
        for (int axis = 0; axis < 2; ++axis)
            bins.aligned ? align(corners, axis) : round(corners, axis);
    }

    /// The number of places that are sampled in a bin.
    double samples() const { return double(samples_[0]) * double(samples_[1]); }

    /// Samples by which means are divided.
    double count(int64_t row, int64_t column) const {
        if (bins_.aligned) return samples();
        const auto [top, bottom] = pixels(0, row, height_);
        const auto [left, right] = pixels(1, column, width_);
        return double(std::max<int64_t>(bottom - top, 0) * std::max<int64_t>(right - left, 0));
    }

    template <class F>
    void for_each_sample(int64_t row, int64_t column, const F& f) const {
        if (bins_.aligned) return for_each_aligned(row, column, f);
        const auto [top, bottom] = pixels(0, row, height_);
        const auto [left, right] = pixels(1, column, width_);
        for (int64_t y = top; y < bottom; ++y)
            for (int64_t x = left; x < right; ++x) f(Sample{{y * width_ + x}, {1.0}});
    }

private:
    void align(const double* corners, int axis) {
        begin_[axis] = corners[axis] * bins_.scale - bins_.shift;
        double size = corners[axis + 2] * bins_.scale - bins_.shift - begin_[axis];
        if (bins_.at_least_one) size = std::max(size, 1.0);
        step_[axis] = size / double(axis == 0 ? bins_.rows : bins_.columns);
        const int64_t given = axis == 0 ? bins_.sample_rows : bins_.sample_columns;
        samples_[axis] = given > 0 ? given : std::max<int64_t>(int64_t(std::ceil(step_[axis])), 1);
    }
    void round(const double* corners, int axis) {
        begin_[axis] = std::nearbyint(corners[axis] * bins_.scale);
        const double size = std::nearbyint(corners[axis + 2] * bins_.scale) - begin_[axis] +
                            (bins_.with_far_edge ? 1 : 0);
        step_[axis] = std::max(size, 1.0) / double(axis == 0 ? bins_.rows : bins_.columns);
    }
    /// The first pixel of a bin along an axis, and the one behind its last.
    std::pair<int64_t, int64_t> pixels(int axis, int64_t bin, int64_t size) const {
        const auto inside = [&](double place) {
            return int64_t(std::clamp(place + begin_[axis], 0.0, double(size)));
        };
        return {inside(std::floor(double(bin) * step_[axis])),
                inside(std::ceil(double(bin + 1) * step_[axis]))};
    }
    double place(int axis, int64_t bin, int64_t sample) const {
        return begin_[axis] +
               step_[axis] * (double(bin) + (double(sample) + 0.5) / double(samples_[axis]));
    }
    template <class F>
    void for_each_aligned(int64_t row, int64_t column, const F& f) const {
        for (int64_t i = 0; i < samples_[0]; ++i) {
            const Neighbours y = neighbours_of(place(0, row, i), height_);
            for (int64_t j = 0; j < samples_[1]; ++j) {
                const Neighbours x = neighbours_of(place(1, column, j), width_);
                if (!y.inside || !x.inside)
                    f(Sample{.inside = false});
                else
                    f(Sample{{y.low * width_ + x.low, y.low * width_ + x.high,
                              y.high * width_ + x.low, y.high * width_ + x.high},
                             {(1 - y.weight) * (1 - x.weight), (1 - y.weight) * x.weight,
                              y.weight * (1 - x.weight), y.weight * x.weight}});
            }
        }
    }

    const RegionBins& bins_;
    int64_t height_, width_;
    double begin_[2], step_[2];
    int64_t samples_[2] = {1, 1};
};

std::vector<double> numbers_of(const Array& array) {
    const Array wide = array.astype(Dtype::float64).as_contiguous();
    return {wide.elements<double>(), wide.elements<double>() + wide.size()};
}

/// The most samples of a bin; more would be a sampling ratio or a region that was not meant.
constexpr double most_samples = 1 << 22;

/// All regions on the host, checked.
struct Regions {
    std::vector<double> corners;
    std::vector<int64_t> images;
    std::vector<Region> all;

    Regions(const char* op, const Array& regions, const Array& numbers, const RegionBins& bins,
            const Shape& x)
        : corners(numbers_of(regions)) {
        for (double number : numbers_of(numbers)) images.push_back(int64_t(number));
        constexpr double far = double(int64_t(1) << 40);  // Beyond every image; sums stay exact.
        for (size_t r = 0; r < images.size(); ++r) {
            if (images[r] < 0 || images[r] >= x[0])
                fail<ValueError>("{}: region {} is of image {}, x has {} images", op, r, images[r],
                                 x[0]);
            for (size_t k = 0; k < 4; ++k)
                if (!(std::abs(corners[4 * r + k] * bins.scale) < far))
                    fail<ValueError>("{}: region {} has a corner at {}", op, r, corners[4 * r + k]);
            all.emplace_back(corners.data() + 4 * r, bins, x[2], x[3]);
            if (all.back().samples() > most_samples)
                fail<ValueError>("{}: a bin of region {} has {:.0f} samples, it may have {:.0f}",
                                 op, r, all.back().samples(), most_samples);
        }
    }
};

template <class T>
T stored(double value) {
    if constexpr (std::is_same_v<T, double>)
        return value;
    else
        return T(float(value));
}

/// Calls f with a value of the C++ type of a float dtype.
template <class F>
void visit_float(Dtype dtype, const F& f) {
    switch (dtype) {
        case Dtype::float16:
            return f(Half());
        case Dtype::bfloat16:
            return f(BFloat16());
        case Dtype::float32:
            return f(float());
        default:
            return f(double());
    }
}

constexpr int64_t grain = 1 << 12;  ///< Elements worth a thread of their own.

}  // namespace

void average_regions(const char* op, const Array& x, const Array& regions, const Array& images,
                     const RegionBins& bins, const Array& y) {
    const Regions all(op, regions, images, bins, x.shape());
    const int64_t channels = x.dim(1), plane = x.dim(2) * x.dim(3), each = bins.rows * bins.columns;
    visit_float(x.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T* from = x.elements<T>();
        T* to = y.to_fill<T>();
        parallel_for(y.size(), grain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const int64_t bin = i % each, c = i / each % channels, r = i / (each * channels);
                const T* const pixels = from + (all.images[size_t(r)] * channels + c) * plane;
                const int64_t row = bin / bins.columns, column = bin % bins.columns;
                double sum = 0;
                all.all[size_t(r)].for_each_sample(row, column, [&](const Sample& s) {
                    for (size_t k = 0; k < 4; ++k)
                        if (s.weights[k] != 0) sum += s.weights[k] * double(pixels[s.pixels[k]]);
                });
                const double count = all.all[size_t(r)].count(row, column);
                to[i] = stored<T>(count > 0 ? sum / count : 0);
            }
        });
    });
}

void spread_regions(const char* op, const Array& gy, const Array& regions, const Array& images,
                    const RegionBins& bins, const Array& gx) {
    const Regions all(op, regions, images, bins, gx.shape());
    const int64_t channels = gx.dim(1), plane = gx.dim(2) * gx.dim(3),
                  each = bins.rows * bins.columns;
    visit_float(gx.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T* from = gy.elements<T>();
        T* to = gx.to_fill<T>();
        // A plane belongs to one thread, and its regions come in order: the sums do not depend on
        // the number of threads.
        parallel_for(
            gx.dim(0) * channels, std::max<int64_t>(grain / std::max<int64_t>(plane, 1), 1),
            [&](int64_t begin, int64_t end) {
                std::vector<double> sums(static_cast<size_t>(plane));
                for (int64_t p = begin; p < end; ++p) {
                    std::fill(sums.begin(), sums.end(), 0.0);
                    for (size_t r = 0; r < all.all.size(); ++r) {
                        if (all.images[r] != p / channels) continue;
                        for (int64_t bin = 0; bin < each; ++bin) {
                            const int64_t row = bin / bins.columns, column = bin % bins.columns;
                            const double count = all.all[r].count(row, column);
                            if (count == 0) continue;
                            const double share =
                                double(from[(int64_t(r) * channels + p % channels) * each + bin]) /
                                count;
                            all.all[r].for_each_sample(row, column, [&](const Sample& s) {
                                for (size_t k = 0; k < 4; ++k)
                                    if (s.weights[k] != 0)
                                        sums[size_t(s.pixels[k])] += s.weights[k] * share;
                            });
                        }
                    }
                    for (int64_t i = 0; i < plane; ++i)
                        to[p * plane + i] = stored<T>(sums[size_t(i)]);
                }
            });
    });
}

void largest_in_regions(const char* op, const Array& x, const Array& regions, const Array& images,
                        const RegionBins& bins, bool of_neighbours, const Array& places,
                        const Array& weights) {
    const Regions all(op, regions, images, bins, x.shape());
    const int64_t channels = x.dim(1), plane = x.dim(2) * x.dim(3), each = bins.rows * bins.columns;
    const int64_t neighbours = places.dim(0),
                  count = weights.size() / std::max<int64_t>(neighbours, 1);
    visit_float(x.dtype(), [&](auto zero) {
        using T = decltype(zero);
        const T* from = x.elements<T>();
        int64_t* to = places.to_fill<int64_t>();
        T* shares = weights.to_fill<T>();
        parallel_for(count, grain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const int64_t bin = i % each, c = i / each % channels, r = i / (each * channels);
                const int64_t start = (all.images[size_t(r)] * channels + c) * plane;
                Sample best;
                double largest = 0;
                bool found = false;
                const auto offer = [&](const Sample& s, double value) {
                    if (found && !(value > largest || (std::isnan(value) && !std::isnan(largest))))
                        return;
                    best = s, largest = value, found = true;
                };
                all.all[size_t(r)].for_each_sample(
                    bin / bins.columns, bin % bins.columns, [&](const Sample& s) {
                        double value = 0;
                        if (!s.inside) {  // For ONNX it is a zero among the others.
                            if (of_neighbours) offer(s, 0);
                            return;
                        }
                        for (size_t k = 0; k < 4; ++k) {
                            if (s.weights[k] == 0 && !of_neighbours) continue;
                            const double part = s.weights[k] * double(from[start + s.pixels[k]]);
                            if (of_neighbours)
                                offer(Sample{{s.pixels[k]}, {s.weights[k]}}, part);
                            else
                                value += part;
                        }
                        if (!of_neighbours) offer(s, value);
                    });
                for (int64_t k = 0; k < neighbours; ++k) {
                    to[k * count + i] = start + best.pixels[size_t(k)];
                    shares[k * count + i] = stored<T>(best.weights[size_t(k)]);
                }
            }
        });
    });
}

}  // namespace catena
