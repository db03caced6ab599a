// libcatena_c against sums in double, for every kind of processors that this one is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "runtime/c/scratch.h"
#include "runtime/core/array/array.h"
#include "runtime/program/run/code_library.h"

namespace catena::testing {
namespace {

template <class T>
struct Functions {
    std::string level;
    void (*product)(const catena_c_product*, const T*, const T*, T*, void*);
    void (*convolution)(const catena_c_convolution*, const T*, const T*, T*, void*);
    void (*data)(const catena_c_convolution*, const T*, const T*, T*, void*);
    void (*weights)(const catena_c_convolution*, const T*, const T*, T*, void*);
};

#define FUNCTIONS(suffix, level)                                                           \
    {#level, catena_c_product_##suffix##_##level, catena_c_convolution_##suffix##_##level, \
     catena_c_convolution_data_##suffix##_##level,                                         \
     catena_c_convolution_weights_##suffix##_##level}

template <class T>
std::vector<Functions<T>> all_functions() {
    std::vector<Functions<T>> known;
    if constexpr (sizeof(T) == 4) {
        known.push_back(FUNCTIONS(f32, scalar));
#if defined(__x86_64__)
        known.push_back(FUNCTIONS(f32, avx2));
        known.push_back(FUNCTIONS(f32, avx512));
#endif
    } else {
        known.push_back(FUNCTIONS(f64, scalar));
#if defined(__x86_64__)
        known.push_back(FUNCTIONS(f64, avx2));
        known.push_back(FUNCTIONS(f64, avx512));
#endif
    }
    const std::vector<std::string> levels = program::code_levels();
    std::erase_if(known, [&](const auto& f) {
        return std::find(levels.begin(), levels.end(), f.level) == levels.end();
    });
    return known;
}

template <class T>
std::vector<T> waves(size_t count, double phase) {
    std::vector<T> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = T(std::sin(phase + double(i) * 1.7));
    return values;
}

/// Aligned scratch with a guard behind it.
struct Scratch {
    explicit Scratch(size_t bytes) : bytes(bytes), memory(bytes + 128, 0x5a) {
        begin = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) % 64;
    }
    bool guard_is_whole() const {
        return std::all_of(static_cast<const uint8_t*>(begin) + bytes,
                           memory.data() + memory.size(), [](uint8_t c) { return c == 0x5a; });
    }
    size_t bytes;
    std::vector<uint8_t> memory;
    uint8_t* begin;
};

template <class T>
void expect_near(const std::vector<T>& y, const std::vector<double>& truth, int64_t additions) {
    const double most = double(additions + 8) * (sizeof(T) == 4 ? 1e-7 : 2e-16);
    for (size_t i = 0; i < y.size(); ++i)
        ASSERT_NEAR(y[i], truth[i], most * (1 + std::abs(truth[i]))) << "element " << i;
}

template <class T>
void check_product(const Functions<T>& f, int64_t m, int64_t n, int64_t k, bool transa,
                   bool transb) {
    SCOPED_TRACE(f.level + " " + std::to_string(m) + "x" + std::to_string(k) + "x" +
                 std::to_string(n) + (transa ? " a'" : "") + (transb ? " b'" : ""));
    const std::vector<T> a = waves<T>(size_t(m * k), 0), b = waves<T>(size_t(k * n), 1);
    const catena_c_product p = {
        m, n, k, transa ? 1 : k, transa ? m : 1, transb ? 1 : n, transb ? k : 1};
    std::vector<double> truth(size_t(m * n));
    for (int64_t i = 0; i < m; ++i)
        for (int64_t c = 0; c < k; ++c)
            for (int64_t j = 0; j < n; ++j)
                truth[size_t(i * n + j)] += double(a[size_t(i * p.a_row + c * p.a_inner)]) *
                                            double(b[size_t(c * p.b_inner + j * p.b_column)]);
    std::vector<T> y(size_t(m * n), T(77));
    Scratch scratch(catena_c_product_scratch(&p, sizeof(T)));
    f.product(&p, a.data(), b.data(), y.data(), scratch.begin);
    expect_near(y, truth, k);
    EXPECT_TRUE(scratch.guard_is_whole());
}

template <class T>
void check_products() {
    for (const Functions<T>& f : all_functions<T>()) {
        for (int64_t m : {1, 3, 5, 14, 33})
            for (int64_t n : {1, 7, 32, 65})
                for (int64_t k : {1, 16, 37})
                    for (int t = 0; t < 4; ++t) check_product(f, m, n, k, t & 1, t & 2);
        for (int t = 0; t < 4; ++t) check_product(f, 131, 530, 270, t & 1, t & 2);
        check_product(f, 5, 7, 0, false, false);
    }
}

TEST(CLibrary, products_of_floats) { check_products<float>(); }
TEST(CLibrary, products_of_doubles) { check_products<double>(); }

int64_t count(const int64_t (&size)[3]) { return size[0] * size[1] * size[2]; }

/// Calls f(element of x or -1, of W, of y) for every product that a convolution sums.
template <class F>
void for_each_term(const catena_c_convolution& c, F&& f) {
    const int64_t filters = c.filters / c.groups, channels = c.channels / c.groups,
                  taps = count(c.kernel), places = count(c.positions);
    for (int64_t n = 0; n < c.batch; ++n)
        for (int64_t o = 0; o < c.filters; ++o)
            for (int64_t p = 0; p < places; ++p)
                for (int64_t k = 0; k < channels; ++k)
                    for (int64_t tap = 0; tap < taps; ++tap) {
                        int64_t at = 0, place = p, digit = tap, step = 1;
                        bool inside = true;
                        for (int d = 2; d >= 0; --d) {
                            const int64_t x = place % c.positions[d] * c.stride[d] - c.pad[d] +
                                              digit % c.kernel[d] * c.dilate[d];
                            inside = inside && x >= 0 && x < c.size[d];
                            at += x * step, step *= c.size[d];
                            place /= c.positions[d], digit /= c.kernel[d];
                        }
                        if (inside)
                            f(size_t((n * c.channels + o / filters * channels + k) * step + at),
                              size_t((o * channels + k) * taps + tap),
                              size_t((n * c.filters + o) * places + p));
                    }
}

template <class T>
void check_convolution(const Functions<T>& f, const catena_c_convolution& c) {
    SCOPED_TRACE(f.level);
    const std::vector<T> x = waves<T>(size_t(c.batch * c.channels * count(c.size)), 0),
                         W = waves<T>(size_t(c.filters * c.channels / c.groups * count(c.kernel)),
                                      1),
                         y = waves<T>(size_t(c.batch * c.filters * count(c.positions)), 2);
    std::vector<double> tx(x.size()), tW(W.size()), ty(y.size());
    for_each_term(c, [&](size_t i, size_t k, size_t o) {
        ty[o] += double(x[i]) * double(W[k]);
        tx[i] += double(y[o]) * double(W[k]);
        tW[k] += double(x[i]) * double(y[o]);
    });
    const int64_t additions =
        c.batch * c.channels * c.filters * std::max(count(c.kernel), count(c.positions));
    Scratch scratch(catena_c_convolution_scratch(&c, sizeof(T)));
    std::vector<T> gx(x.size(), T(77)), gW(W.size(), T(77)), made(y.size(), T(77));
    f.convolution(&c, x.data(), W.data(), made.data(), scratch.begin);
    expect_near(made, ty, additions);
    f.data(&c, y.data(), W.data(), gx.data(), scratch.begin);
    expect_near(gx, tx, additions);
    f.weights(&c, x.data(), y.data(), gW.data(), scratch.begin);
    expect_near(gW, tW, additions);
    EXPECT_TRUE(scratch.guard_is_whole());
}

template <class T>
void check_convolutions() {
    auto shape = [](int64_t batch, int64_t channels, int64_t filters, int64_t groups, Dims size,
                    Dims kernel, Dims stride, Dims pad, Dims dilate) {
        catena_c_convolution c = {batch, channels, filters, groups, {}, {}, {}, {}, {}, {}};
        for (int d = 0; d < 3; ++d) {
            c.size[d] = size[d], c.kernel[d] = kernel[d], c.stride[d] = stride[d],
            c.pad[d] = pad[d], c.dilate[d] = dilate[d];
            c.positions[d] =
                (size[d] + 2 * pad[d] - (kernel[d] - 1) * dilate[d] - 1) / stride[d] + 1;
        }
        return c;
    };
    for (const Functions<T>& f : all_functions<T>()) {
        check_convolution(f,
                          shape(2, 3, 5, 1, {1, 9, 7}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}));
        check_convolution(
            f, shape(2, 4, 6, 2, {1, 11, 12}, {1, 3, 4}, {1, 2, 3}, {0, 2, 3}, {1, 2, 1}));
        check_convolution(f,
                          shape(1, 2, 3, 1, {5, 6, 7}, {2, 3, 1}, {2, 1, 2}, {1, 0, 0}, {1, 1, 1}));
        check_convolution(f,
                          shape(2, 6, 4, 1, {1, 5, 8}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}));
        check_convolution(f,
                          shape(1, 1, 1, 1, {1, 1, 4}, {1, 1, 3}, {1, 1, 1}, {0, 0, 4}, {1, 1, 1}));
        check_convolution(
            f, shape(1, 9, 17, 1, {1, 40, 40}, {1, 5, 5}, {1, 1, 1}, {0, 2, 2}, {1, 1, 1}));
    }
}

TEST(CLibrary, convolutions_of_floats_and_their_gradients) { check_convolutions<float>(); }
TEST(CLibrary, convolutions_of_doubles_and_their_gradients) { check_convolutions<double>(); }

}  // namespace
}  // namespace catena::testing
