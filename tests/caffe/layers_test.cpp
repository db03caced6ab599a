// Layers and options beyond those of Chainer's CaffeFunction, against Caffe's definitions written
// out.
#include <cmath>
#include <functional>

#include "runtime/graph/settings/config.h"
#include "tests/caffe/net_file.h"

namespace catena::testing {
namespace {

/// Runs the only layer on x.
Variable run(const NetFile& file, const Variable& x) { return file.load()({{"x", x}}, {"y"})[0]; }

/// What the only layer gives for each element of x.
void expect_each(const NetFile& file, const std::function<double(double)>& f) {
    const Variable x = some_array({2, 3, 4});
    std::vector<double> expected;
    for (float value : some_numbers(24)) expected.push_back(f(value));
    expect_close(run(file, x), {2, 3, 4}, expected);
}

TEST(CaffeLayers, elementwise_functions) {
    const std::pair<const char*, double (*)(double)> functions[] = {
        {"TanH", [](double x) { return std::tanh(x); }},
        {"AbsVal", [](double x) { return std::abs(x); }},
        {"BNLL", [](double x) { return std::log1p(std::exp(x)); }},
        {"ELU", [](double x) { return x > 0 ? x : std::expm1(x); }},
        {"Power", [](double x) { return x; }},
        {"Exp", [](double x) { return std::exp(x); }},
    };
    for (const auto& [type, f] : functions) {
        SCOPED_TRACE(type);
        NetFile file;
        file.add(type, "y", {"x"});
        expect_each(file, f);
    }
}

TEST(CaffeLayers, power_exp_and_log_scale_and_shift_first) {
    NetFile power, exponential, logarithm;
    auto& p = *power.add("Power", "y", {"x"}).mutable_power_param();
    p.set_power(2);
    p.set_scale(3);
    p.set_shift(0.5);
    expect_each(power, [](double x) { return std::pow(0.5 + 3 * x, 2); });
    auto& e = *exponential.add("Exp", "y", {"x"}).mutable_exp_param();
    e.set_base(2);
    e.set_scale(3);
    e.set_shift(0.5);
    expect_each(exponential, [](double x) { return std::pow(2, 0.5 + 3 * x); });
    auto& l = *logarithm.add("Log", "y", {"x"}).mutable_log_param();
    l.set_base(10);
    l.set_scale(3);
    l.set_shift(4);
    expect_each(logarithm, [](double x) { return std::log10(4 + 3 * x); });
}

TEST(CaffeLayers, prelu_has_a_slope_for_each_channel_or_one) {
    for (bool shared : {false, true}) {
        NetFile file;
        auto& layer = file.add("PReLU", "y", {"x"});
        layer.mutable_prelu_param()->set_channel_shared(shared);
        NetFile::add_blob(layer, shared ? std::vector<int64_t>{} : std::vector<int64_t>{3},
                          shared ? std::vector<float>{0.5f} : std::vector<float>{0.5f, 2, -1});
        const std::vector<float> x = some_numbers(24);
        std::vector<double> expected;
        for (size_t i = 0; i < 24; ++i) {
            const double slope = shared ? 0.5 : std::vector<double>{0.5, 2, -1}[i / 4 % 3];
            expected.push_back(x[i] >= 0 ? x[i] : slope * x[i]);
        }
        expect_close(run(file, some_array({2, 3, 4})), {2, 3, 4}, expected);
    }
}

TEST(CaffeLayers, means_over_windows_that_exceed_the_image_count_what_lies_inside) {
    for (int64_t pad : {0, 1}) {
        const int64_t size = 6, kernel = 3, stride = 2;
        NetFile file;
        auto& p = *file.add("Pooling", "y", {"x"}).mutable_pooling_param();
        p.set_pool(caffe::format::PoolingParameter::AVE);
        p.set_kernel_size(kernel);
        p.set_stride(stride);
        p.set_pad(uint32_t(pad));
        const std::vector<float> x = some_numbers(size * size);
        int64_t count = (size + 2 * pad - kernel + stride - 1) / stride + 1;
        if ((count - 1) * stride >= size + pad) --count;
        std::vector<double> expected;
        for (int64_t i = 0; i < count; ++i)
            for (int64_t j = 0; j < count; ++j) {
                const int64_t top = i * stride - pad, left = j * stride - pad;
                const int64_t bottom = std::min(top + kernel, size + pad),
                              right = std::min(left + kernel, size + pad);
                double sum = 0;
                for (int64_t r = std::max<int64_t>(top, 0); r < std::min(bottom, size); ++r)
                    for (int64_t c = std::max<int64_t>(left, 0); c < std::min(right, size); ++c)
                        sum += x[size_t(r * size + c)];
                expected.push_back(sum / double((bottom - top) * (right - left)));
            }
        expect_close(run(file, some_array({1, 1, size, size})), {1, 1, count, count}, expected);
    }
}

TEST(CaffeLayers, no_pooling_window_begins_behind_the_image) {
    // Rounded up there are 3 windows on 4 elements padded by 1; the third would begin at element 5.
    NetFile file;
    auto& p = *file.add("Pooling", "y", {"x"}).mutable_pooling_param();
    p.set_kernel_size(2);
    p.set_stride(3);
    p.set_pad(1);
    const Variable x(Array::from(std::vector<float>{1, 2, 3, 4}, {1, 1, 1, 4}), false);
    expect_close(run(file, x), {1, 1, 1, 2}, {1, 4});
    p.set_round_mode(caffe::format::PoolingParameter::FLOOR);
    expect_close(run(file, x), {1, 1, 1, 2}, {1, 4});
}

TEST(CaffeLayers, rounding_down_drops_the_last_window) {
    NetFile file;
    auto& p = *file.add("Pooling", "y", {"x"}).mutable_pooling_param();
    p.set_kernel_size(2);
    p.set_stride(2);
    const Variable x(Array::from(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 1, 3, 3}),
                     false);
    expect_close(run(file, x), {1, 1, 2, 2}, {5, 6, 8, 9});
    p.set_round_mode(caffe::format::PoolingParameter::FLOOR);
    expect_close(run(file, x), {1, 1, 1, 1}, {5});
}

TEST(CaffeLayers, local_response_within_a_channel) {
    NetFile file;
    auto& p = *file.add("LRN", "y", {"x"}).mutable_lrn_param();
    p.set_local_size(3);
    p.set_alpha(2);
    p.set_beta(0.6f);
    p.set_norm_region(caffe::format::LRNParameter::WITHIN_CHANNEL);
    const std::vector<float> x = some_numbers(20);
    std::vector<double> expected;
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 5; ++c) {
            double squares = 0;
            for (int i = std::max(r - 1, 0); i < std::min(r + 2, 4); ++i)
                for (int j = std::max(c - 1, 0); j < std::min(c + 2, 5); ++j)
                    squares += double(x[size_t(i * 5 + j)]) * x[size_t(i * 5 + j)];
            expected.push_back(x[size_t(r * 5 + c)] * std::pow(1 + 2 * squares / 9, -0.6));
        }
    expect_close(run(file, some_array({1, 1, 4, 5})), {1, 1, 4, 5}, expected);
}

TEST(CaffeLayers, reshape_keeps_sizes_and_replaces_some_axes) {
    NetFile file;
    auto& p = *file.add("Reshape", "y", {"x"}).mutable_reshape_param();
    for (int64_t size : {0, -1}) p.mutable_shape()->add_dim(size);
    EXPECT_EQ(run(file, some_array({2, 3, 4})).shape(), (Shape{2, 12}));
    p.set_axis(1);
    p.set_num_axes(1);
    p.mutable_shape()->clear_dim();
    for (int64_t size : {3, 1}) p.mutable_shape()->add_dim(size);
    EXPECT_EQ(run(file, some_array({2, 3, 4})).shape(), (Shape{2, 3, 1, 4}));
    p.set_axis(-1);
    p.set_num_axes(0);
    p.mutable_shape()->clear_dim();
    p.mutable_shape()->add_dim(1);
    EXPECT_EQ(run(file, some_array({2, 3, 4})).shape(), (Shape{2, 3, 4, 1}));
}

TEST(CaffeLayers, flatten_joins_axes) {
    NetFile file;
    auto& layer = file.add("Flatten", "y", {"x"});
    EXPECT_EQ(run(file, some_array({2, 3, 4, 5})).shape(), (Shape{2, 60}));
    layer.mutable_flatten_param()->set_end_axis(2);
    EXPECT_EQ(run(file, some_array({2, 3, 4, 5})).shape(), (Shape{2, 12, 5}));
}

TEST(CaffeLayers, products_along_other_axes_and_of_transposed_weights) {
    const std::vector<float> W = some_numbers(12), x = some_numbers(24);
    for (bool transposed : {false, true}) {
        NetFile file;
        auto& layer = file.add("InnerProduct", "y", {"x"});
        layer.mutable_inner_product_param()->set_axis(2);
        layer.mutable_inner_product_param()->set_bias_term(false);
        layer.mutable_inner_product_param()->set_transpose(transposed);
        std::vector<float> stored(12);
        for (size_t o = 0; o < 3; ++o)
            for (size_t i = 0; i < 4; ++i)
                stored[transposed ? i * 3 + o : o * 4 + i] = W[o * 4 + i];
        NetFile::add_blob(
            layer, transposed ? std::vector<int64_t>{4, 3} : std::vector<int64_t>{3, 4}, stored);
        std::vector<double> expected;
        for (size_t r = 0; r < 6; ++r)
            for (size_t o = 0; o < 3; ++o) {
                double sum = 0;
                for (size_t i = 0; i < 4; ++i) sum += double(W[o * 4 + i]) * x[r * 4 + i];
                expected.push_back(sum);
            }
        expect_close(run(file, some_array({2, 3, 4})), {2, 3, 3}, expected);
    }
}

TEST(CaffeLayers, a_dilated_convolution) {
    NetFile file;
    auto& layer = file.add("Convolution", "y", {"x"});
    layer.mutable_convolution_param()->add_dilation(2);
    layer.mutable_convolution_param()->set_bias_term(false);
    NetFile::add_blob(layer, {1, 1, 1, 3}, {1, 10, 100});
    const Variable x(Array::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {1, 1, 1, 6}), false);
    expect_close(run(file, x), {1, 1, 1, 2}, {531, 642});
}

TEST(CaffeLayers, softmax_along_any_axis) {
    NetFile file;
    file.add("Softmax", "y", {"x"}).mutable_softmax_param()->set_axis(-1);
    const Variable x(Array::from(std::vector<float>{0, 0, 0, std::log(3.0f)}, {1, 2, 2}), false);
    expect_close(run(file, x), {1, 2, 2}, {0.5, 0.5, 0.25, 0.75});
}

TEST(CaffeLayers, statistics_of_no_batch_are_zero) {
    NetFile file;
    auto& layer = file.add("BatchNorm", "y", {"x"});
    layer.mutable_batch_norm_param()->set_use_global_stats(true);
    layer.mutable_batch_norm_param()->set_eps(0.25);
    NetFile::add_blob(layer, {1}, {7});
    NetFile::add_blob(layer, {1}, {7});
    NetFile::add_blob(layer, {1}, {0});
    expect_close(run(file, Variable(Array::from(std::vector<float>{1, 2}, {2, 1}), false)), {2, 1},
                 {2, 4}, 1e-4);
}

TEST(CaffeLayers, blobs_of_doubles_are_read) {
    NetFile file;
    auto& layer = file.add("Bias", "y", {"x"});
    auto& blob = *layer.add_blobs();
    blob.mutable_shape()->add_dim(2);
    blob.add_double_data(0.5);
    blob.add_double_data(-0.5);
    expect_close(run(file, Variable(Array::from(std::vector<float>{1, 2}, {1, 2}), false)), {1, 2},
                 {1.5, 1.5});
}

TEST(CaffeLayers, the_loss_is_divided_as_the_file_says) {
    using Mode = caffe::format::LossParameter;
    const std::pair<Mode::NormalizationMode, double> divisors[] = {
        {Mode::FULL, 4}, {Mode::VALID, 3}, {Mode::BATCH_SIZE, 2}, {Mode::NONE, 1}};
    const Variable x(Array::zeros({Dtype::float32, {2, 3, 2}}), false);
    const Variable t(Array::from(std::vector<int32_t>{0, 1, 2, 9}, {2, 1, 2}), false);
    for (const auto& [mode, divisor] : divisors) {
        NetFile file;
        auto& layer = file.add("SoftmaxWithLoss", "y", {"x", "t"});
        layer.add_top("probabilities");
        layer.mutable_loss_param()->set_ignore_label(9);
        layer.mutable_loss_param()->set_normalization(mode);
        const auto net = file.load();
        const std::vector<Variable> tops = net({{"x", x}, {"t", t}}, {"y", "probabilities"});
        expect_close(tops[0], {}, {3 * std::log(3.0) / divisor});
        expect_close(tops[1], {2, 3, 2}, std::vector<double>(12, 1.0 / 3));
    }
    NetFile old;
    auto& layer = old.add("SoftmaxWithLoss", "y", {"x", "t"});
    layer.mutable_loss_param()->set_ignore_label(9);
    layer.mutable_loss_param()->set_normalize(false);
    expect_close(old.load()({{"x", x}, {"t", t}}, {"y"})[0], {}, {3 * std::log(3.0) / 2});
}

}  // namespace
}  // namespace catena::testing
