// The libraries at full size against float64, and numbers that are none.
#include <cmath>
#include <limits>

#include "tests/gpu/on_the_card.h"

namespace catena::testing {
namespace {

/// A convolution of ResNet-50, with its gradients.
struct Layer {
    int64_t in, out, size, window, stride;

    int64_t result() const { return (size + 2 * pad() - window) / stride + 1; }
    int64_t pad() const { return window / 2; }
};

/// Each of its layers once; sizes for images of 224.
std::vector<Layer> resnet50_layers() {
    std::vector<Layer> layers{{3, 64, 224, 7, 2}};
    int64_t channels = 64, size = 56;
    for (auto [width, stride] :
         {std::pair<int64_t, int64_t>{64, 1}, {128, 2}, {256, 2}, {512, 2}}) {
        layers.insert(layers.end(), {{channels, width, size, 1, 1},
                                     {width, width, size, 3, stride},
                                     {width, 4 * width, size / stride, 1, 1},
                                     {channels, 4 * width, size, 1, stride},
                                     {4 * width, width, size / stride, 1, 1},
                                     {width, width, size / stride, 3, 1}});
        channels = 4 * width;
        size /= stride;
    }
    return layers;
}

/// Numbers that a bfloat16 holds, different everywhere.
double number_at(int64_t index, int64_t phase) {
    const uint64_t mixed = (uint64_t(index) * 2654435761u + uint64_t(phase) * 40503u) >> 7;
    return double(int64_t(mixed % 15) - 7) / 8;
}
Array numbers(const Shape& shape, int64_t phase) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = float(number_at(int64_t(i), phase));
    return Array::from(values, shape);
}

/// Sums of float64 of single elements; x [n, in, size, size], W [out, in, k, k], gy [n, out, ...].
struct Truth {
    Layer layer;
    int64_t images;

    double x(int64_t n, int64_t c, int64_t i, int64_t j) const {
        if (i < 0 || j < 0 || i >= layer.size || j >= layer.size) return 0;
        return number_at(((n * layer.in + c) * layer.size + i) * layer.size + j, 1);
    }
    double W(int64_t o, int64_t c, int64_t i, int64_t j) const {
        return number_at(((o * layer.in + c) * layer.window + i) * layer.window + j, 2);
    }
    double gy(int64_t n, int64_t o, int64_t i, int64_t j) const {
        const int64_t size = layer.result();
        return number_at(((n * layer.out + o) * size + i) * size + j, 3);
    }
    double y(int64_t n, int64_t o, int64_t i, int64_t j) const {
        double sum = 0;
        for (int64_t c = 0; c < layer.in; ++c)
            for (int64_t a = 0; a < layer.window; ++a)
                for (int64_t b = 0; b < layer.window; ++b)
                    sum += W(o, c, a, b) * x(n, c, i * layer.stride + a - layer.pad(),
                                             j * layer.stride + b - layer.pad());
        return sum;
    }
    double gx(int64_t n, int64_t c, int64_t i, int64_t j) const {
        double sum = 0;
        for (int64_t a = 0; a < layer.window; ++a)
            for (int64_t b = 0; b < layer.window; ++b) {
                const int64_t p = i + layer.pad() - a, q = j + layer.pad() - b;
                if (p < 0 || q < 0 || p % layer.stride != 0 || q % layer.stride != 0) continue;
                if (p / layer.stride >= layer.result() || q / layer.stride >= layer.result())
                    continue;
                for (int64_t o = 0; o < layer.out; ++o)
                    sum += W(o, c, a, b) * gy(n, o, p / layer.stride, q / layer.stride);
            }
        return sum;
    }
    double gW(int64_t o, int64_t c, int64_t a, int64_t b) const {
        double sum = 0;
        for (int64_t n = 0; n < images; ++n)
            for (int64_t i = 0; i < layer.result(); ++i)
                for (int64_t j = 0; j < layer.result(); ++j)
                    sum += gy(n, o, i, j) * x(n, c, i * layer.stride + a - layer.pad(),
                                              j * layer.stride + b - layer.pad());
        return sum;
    }
};

double element(const Variable& array, const std::vector<int64_t>& at) {
    Variable part = array;
    for (int64_t index : at) part = part[index];
    return part.array().to(cpu_device()).astype(Dtype::float64).item<double>();
}

/// Of `terms` products up to 0.77 each whose sum is rounded once to `dtype` and whose summing may
/// round every time in float32.
double tolerance(double truth, int64_t terms, Dtype dtype) {
    const double of_result = dtype == Dtype::bfloat16 ? 1.0 / 256 : 0;
    return std::abs(truth) * of_result + 1e-6 * double(terms) + 1e-6;
}

TEST_F(OnTheCard, convolutions_of_resnet50_at_full_size_are_those_of_float64) {
    const DeviceScope scope(*device);
    const int64_t images = size(64, 1);
    for (Layer layer : resnet50_layers()) {
        if (images == 1)  // A trial.
            layer = {std::min<int64_t>(layer.in, 4), 4, layer.window + 3, layer.window,
                     layer.stride};
        const Truth truth{layer, images};
        const int64_t n = layer.result(), last = images - 1;
        for (Dtype dtype : {Dtype::float32, Dtype::bfloat16}) {
            SCOPED_TRACE(fmt::format("{} to {} channels of {}x{}, {}x{} in steps of {}, {}",
                                     layer.in, layer.out, layer.size, layer.size, layer.window,
                                     layer.window, layer.stride, name_of(dtype)));
            const auto there = [&](const Shape& shape, int64_t phase) {
                return numbers(shape, phase).to(*device).astype(dtype);
            };
            Variable x(there({images, layer.in, layer.size, layer.size}, 1), true);
            Variable W(there({layer.out, layer.in, layer.window, layer.window}, 2), true);
            Variable y = convolution_2d(x, W, {.stride = {layer.stride}, .pad = {layer.pad()}});
            y.set_grad(there({images, layer.out, n, n}, 3));
            y.backward();
            const int64_t o = layer.out - 1, c = layer.in - 1, s = layer.size - 1;
            const auto near = [&](const char* what, double found, double wanted, int64_t terms) {
                EXPECT_NEAR(found, wanted, tolerance(wanted, terms, dtype)) << what;
            };
            const int64_t area = layer.window * layer.window;
            near("y", element(y, {last, o, n / 2, n - 1}), truth.y(last, o, n / 2, n - 1),
                 layer.in * area);
            near("gx", element(Variable(x.grad(), false), {last, c, s / 2, s}),
                 truth.gx(last, c, s / 2, s), layer.out * area);
            near("gW", element(Variable(W.grad(), false), {o, c, layer.window - 1, 0}),
                 truth.gW(o, c, layer.window - 1, 0), images * n * n);
        }
    }
}

/// Where both are no number or the same infinity, and else near each other.
void expect_alike(const std::vector<double>& found, const std::vector<double>& wanted) {
    ASSERT_EQ(found.size(), wanted.size());
    for (size_t i = 0; i < found.size(); ++i) {
        if (std::isnan(wanted[i]))
            EXPECT_TRUE(std::isnan(found[i])) << "element " << i << " is " << found[i];
        else if (std::isinf(wanted[i]))
            EXPECT_EQ(found[i], wanted[i]) << "element " << i;
        else
            EXPECT_NEAR(found[i], wanted[i], 1e-4 * std::max(1.0, std::abs(wanted[i])))
                << "element " << i;
    }
}

TEST_F(OnTheCard, infinities_and_no_numbers_are_where_the_host_has_them) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<float> values(size_t(4 * 3 * 6 * 6));
    for (size_t i = 0; i < values.size(); ++i) values[i] = float(number_at(int64_t(i), 4));
    values[5] = float(inf), values[40] = float(-inf), values[150] = float(nan);
    const Array host = Array::from(values, {4, 3, 6, 6});
    const Array weights = numbers({5, 3, 3, 3}, 5), matrix = numbers({36, 7}, 6);
    const std::pair<const char*, std::function<Variable(const Variable&, Device&)>> functions[] = {
        {"matmul",
         [&](const Variable& x, Device& on) {
             return matmul(reshape(x, {12, 36}), Variable(matrix.to(on), false));
         }},
        {"convolution",
         [&](const Variable& x, Device& on) {
             return convolution_2d(x, Variable(weights.to(on), false), {.pad = {1}});
         }},
        {"max pooling", [](const Variable& x, Device&) { return max_pooling_2d(x, {2}); }},
        {"average pooling", [](const Variable& x, Device&) { return average_pooling_2d(x, {2}); }},
        {"softmax", [](const Variable& x, Device&) { return softmax(reshape(x, {12, 36})); }},
        {"sum", [](const Variable& x, Device&) { return sum(x, {2, 3}); }},
        {"max", [](const Variable& x, Device&) { return max(x, {1}); }},
        {"relu and exp", [](const Variable& x, Device&) { return exp(relu(x)) - tanh(x); }},
        {"sort", [](const Variable& x, Device&) { return sort(reshape(x, {12, 36}), 1); }}};
    for (const auto& [name, function] : functions) {
        SCOPED_TRACE(name);
        const auto computed = [&](Device& where) {
            const DeviceScope scope(where);
            return on_host(function(Variable(host.to(where), false), where)).to_vector<double>();
        };
        expect_alike(computed(*device), computed(cpu_device()));
    }
}

}  // namespace
}  // namespace catena::testing
