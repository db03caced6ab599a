#include "runtime/cpu/fft_kernel.h"

#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <vector>

#include "runtime/core/array/array.h"
#include "runtime/core/parallel/parallel.h"

namespace catena {
namespace {

using Complex = std::complex<double>;
using Line = std::vector<Complex>;

/// exp(-2 pi i k / n), from the first eighth of the circle, where sines and cosines are most exact.
Complex unit_root(int64_t k, int64_t n) {
    k %= n;
    if (2 * k > n) return std::conj(unit_root(n - k, n));
    if (4 * k > n) {
        const Complex mirrored = unit_root(n - 2 * k, 2 * n);
        return {-mirrored.real(), mirrored.imag()};
    }
    const double angle = 2 * std::numbers::pi * double(k) / double(n);
    if (8 * k > n) {
        const double rest = 2 * std::numbers::pi * double(n - 4 * k) / double(4 * n);
        return {std::sin(rest), -std::cos(rest)};
    }
    return {std::cos(angle), -std::sin(angle)};
}

// Plain products: those of std::complex look for infinities.
Complex times(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Transforms of one size: by its factors (Cooley and Tukey 1965), or, where one is large, as a
/// convolution with a chirp (Bluestein 1970) whose size is a power of two.
class Plan {
public:
    explicit Plan(int64_t n) : n_(n) {
        factorize();
        if (!factors_.empty() && factors_.back() > largest_factor)
            make_chirp();
        else
            make_roots();
    }

    void run(const Complex* x, Complex* y) const {
        if (inner_)
            convolve(x, y);
        else if (n_ == 1)
            y[0] = x[0];
        else
            combine(x, 1, y, n_, 0);
    }

private:
    static constexpr int64_t largest_factor = 64;

    void factorize() {
        int64_t rest = n_;
        for (int64_t p = 4; rest > 1; p = p == 4 ? 2 : p == 2 ? 3 : p + 2) {
            while (rest % p == 0) {
                factors_.push_back(p);
                rest /= p;
            }
            if (p > largest_factor && rest > 1) {
                factors_.push_back(rest);
                return;
            }
        }
    }
    void make_roots() {
        for (int64_t k = 0; k < n_; ++k) roots_.push_back(unit_root(k, n_));
    }
    void make_chirp() {
        int64_t size = 1;
        while (size < 2 * n_ - 1) size *= 2;
        inner_ = std::make_unique<Plan>(size);
        Line conjugate(static_cast<size_t>(size));
        for (int64_t k = 0; k < n_; ++k) {
            chirp_.push_back(unit_root(k * k % (2 * n_), 2 * n_));
            conjugate[size_t(k)] = conjugate[size_t((size - k) % size)] = std::conj(chirp_.back());
        }
        filter_.resize(size_t(size));
        inner_->run(conjugate.data(), filter_.data());
        for (Complex& f : filter_) f /= double(size);
    }

    /// y [size] of x[0], x[stride], ...: transforms of its parts, put together.
    void combine(const Complex* x, int64_t stride, Complex* y, int64_t size, size_t level) const {
        const int64_t p = factors_[level], part = size / p;
        for (int64_t q = 0; q < p; ++q) {
            if (part == 1)
                y[q] = x[q * stride];
            else
                combine(x + q * stride, stride * p, y + q * part, part, level + 1);
        }
        if (p == 4)
            combine_four(y, part, stride);
        else
            combine_any(y, p, part, stride);
    }
    void combine_four(Complex* y, int64_t part, int64_t stride) const {
        for (int64_t k = 0; k < part; ++k) {
            const Complex a = y[k], b = times(y[k + part], roots_[size_t(k * stride)]),
                          c = times(y[k + 2 * part], roots_[size_t(2 * k * stride)]),
                          d = times(y[k + 3 * part], roots_[size_t(3 * k * stride)]);
            const Complex even = a + c, odd = a - c, sum = b + d, difference = b - d;
            const Complex turned(difference.imag(), -difference.real());
            y[k] = even + sum;
            y[k + part] = odd + turned;
            y[k + 2 * part] = even - sum;
            y[k + 3 * part] = odd - turned;
        }
    }
    void combine_any(Complex* y, int64_t p, int64_t part, int64_t stride) const {
        Complex terms[largest_factor];
        for (int64_t k = 0; k < part; ++k) {
            for (int64_t q = 0; q < p; ++q)
                terms[q] = times(y[k + q * part], roots_[size_t(q * k * stride)]);
            for (int64_t r = 0; r < p; ++r) {
                Complex sum = terms[0];
                for (int64_t q = 1; q < p; ++q)
                    sum += times(terms[q], roots_[size_t(q * r % p * part * stride)]);
                y[k + r * part] = sum;
            }
        }
    }

    void convolve(const Complex* x, Complex* y) const {
        Line a(filter_.size()), b(filter_.size());
        for (int64_t k = 0; k < n_; ++k) a[size_t(k)] = times(x[k], chirp_[size_t(k)]);
        inner_->run(a.data(), b.data());
        // The inverse transform is the conjugate of the transform of the conjugate.
        for (size_t k = 0; k < b.size(); ++k) b[k] = std::conj(times(b[k], filter_[k]));
        inner_->run(b.data(), a.data());
        for (int64_t k = 0; k < n_; ++k) y[k] = times(std::conj(a[size_t(k)]), chirp_[size_t(k)]);
    }

    int64_t n_;
    std::vector<int64_t> factors_;
    Line roots_;
    std::unique_ptr<Plan> inner_;  ///< The plan of the chirp's size.
    Line chirp_, filter_;
};

template <class T>
void transform(const KernelCall& call) {
    const Array real = call.inputs[0].as_contiguous(), imag = call.inputs[1].as_contiguous();
    const int64_t n = real.dim(real.rank() - 1), lines = real.size() / n;
    const T *x_real = real.elements<T>(), *x_imag = imag.elements<T>();
    T *y_real = call.outputs[0].to_fill<T>(), *y_imag = call.outputs[1].to_fill<T>();
    const Plan plan(n);
    parallel_for(lines, (int64_t(1) << 12) / n + 1, [&](int64_t begin, int64_t end) {
        Line x(static_cast<size_t>(n)), y(static_cast<size_t>(n));
        for (int64_t line = begin; line < end; ++line) {
            for (int64_t k = 0; k < n; ++k)
                x[size_t(k)] = {double(x_real[line * n + k]), double(x_imag[line * n + k])};
            plan.run(x.data(), y.data());
            for (int64_t k = 0; k < n; ++k) {
                y_real[line * n + k] = T(y[size_t(k)].real());
                y_imag[line * n + k] = T(y[size_t(k)].imag());
            }
        }
    });
}

}  // namespace

void run_fft(const KernelCall& call) {
    if (call.inputs[0].dtype() == Dtype::float32)
        transform<float>(call);
    else
        transform<double>(call);
}

}  // namespace catena
