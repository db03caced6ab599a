#include <cmath>

#include <limits>

#include <gtest/gtest.h>

#include "runtime/core/array/array.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "tests/runtime/kernel_call.h"

namespace catena {
namespace {

TEST(Array, holds_what_it_was_made_from) {
    const Array x = Array::from<float>({1.5f, -2, 3});
    EXPECT_EQ(x.dtype(), Dtype::float32);
    EXPECT_EQ(x.shape(), (Shape{3}));
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1.5f, -2, 3}));
    EXPECT_EQ(x.to_vector<int32_t>(), (std::vector<int32_t>{1, -2, 3}));
    EXPECT_EQ(Array::scalar(7.0).item<int64_t>(), 7);
    EXPECT_THROW(Array::from(std::vector<float>{1, 2, 3}, {2, 2}), ShapeError);
}

TEST(Array, axes_count_from_both_ends) {
    const Array x = Array::zeros({Dtype::float32, {2, 3, 5}});
    EXPECT_EQ(x.dim(0), 2);
    EXPECT_EQ(x.dim(-1), 5);
    EXPECT_EQ(x.dim(-3), 2);
    EXPECT_THROW(x.dim(3), ShapeError);
    EXPECT_THROW(x.dim(-4), ShapeError);
    EXPECT_THROW(Array::scalar(1.0f).dim(0), ShapeError);
}

TEST(Array, is_aligned_to_cache_lines) {
    for (int64_t n : {1, 17, 1000, 100'000, 3'000'000}) {
        const Array x = Array::empty({Dtype::int8, {n}});
        EXPECT_EQ(reinterpret_cast<uintptr_t>(x.raw_data()) % 64, 0u) << n;
    }
}

TEST(Array, item_needs_exactly_one_element) {
    EXPECT_EQ(Array::full({Dtype::float16, {1, 1}}, 2.5).item<double>(), 2.5);
    try {
        Array::zeros({Dtype::float32, {2, 3}}).item<float>();
        FAIL() << "not refused";
    } catch (const ShapeError& error) {
        EXPECT_NE(std::string(error.what()).find("6 elements (shape [2,3])"), std::string::npos)
            << error.what();
    }
}

TEST(Array, is_made_on_the_device_in_use) {
    Device& before = current_device();
    {
        auto scope = using_device("meta");
        EXPECT_TRUE(Array::zeros({Dtype::float32, {2}}).device().is_meta());
    }
    EXPECT_EQ(&current_device(), &before);
    EXPECT_THROW((void)using_device("tpu:0"), DeviceError);
}

TEST(Array, on_the_meta_device_has_a_type_but_no_elements) {
    DeviceScope scope(meta_device());
    const Array x = Array::empty({Dtype::float32, {1 << 20, 1 << 20}});
    EXPECT_EQ(x.storage()->data, nullptr);
    EXPECT_EQ(to_string(x), "float32[1048576,1048576] on meta");
    EXPECT_EQ(x.astype(Dtype::int8).dtype(), Dtype::int8);
    EXPECT_THROW(x.item<float>(), DeviceError);
    EXPECT_THROW(x.to_vector<float>(), DeviceError);
    EXPECT_THROW(x.raw_data(), DeviceError);
    EXPECT_THROW(x.to(cpu_device()), DeviceError);
}

TEST(Array, views_share_elements_and_know_whether_they_are_dense) {
    const Array x = Array::from(std::vector<int32_t>{0, 1, 2, 3, 4, 5}, {2, 3});
    const Array transposed = x.view({3, 2}, {1, 3}, 0);
    EXPECT_FALSE(transposed.contiguous());
    EXPECT_EQ(transposed.storage(), x.storage());
    EXPECT_EQ(transposed.to_vector<int32_t>(), (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
    EXPECT_EQ(transposed.as_contiguous().strides(), (Strides{2, 1}));
    const Array backwards = x.view({2, 3}, {-3, -1}, 5);
    EXPECT_EQ(backwards.to_vector<int32_t>(), (std::vector<int32_t>{5, 4, 3, 2, 1, 0}));
    EXPECT_TRUE(
        x.view({1, 3}, {77, 1}, 3).contiguous());  // The stride of a size 1 does not matter.
}

TEST(Array, copies_of_transpositions_agree_with_a_plain_loop) {
    for (Dtype dtype : {Dtype::int8, Dtype::float16, Dtype::float32, Dtype::float64})
        for (const Shape& shape : {Shape{3, 70, 130}, Shape{2, 5, 7}, Shape{1, 300, 9}}) {
            const Array x = test::random_array(dtype, shape, 5, -100, 100);
            const Array swapped =
                x.view({shape[0], shape[2], shape[1]}, {shape[1] * shape[2], 1, shape[2]}, 0);
            const std::vector<double> plain = x.to_vector<double>(),
                                      got = swapped.to_vector<double>();
            for (int64_t a = 0; a < shape[0]; ++a)
                for (int64_t b = 0; b < shape[1]; ++b)
                    for (int64_t c = 0; c < shape[2]; ++c)
                        ASSERT_EQ(got[size_t((a * shape[2] + c) * shape[1] + b)],
                                  plain[size_t((a * shape[1] + b) * shape[2] + c)]);
        }
}

TEST(Array, conversion_between_all_dtypes_keeps_small_integers) {
    for (int from = 0; from < dtype_count; ++from)
        for (int to = 0; to < dtype_count; ++to) {
            const Array x = Array::from<double>({0, 1, 1}).astype(Dtype(from));
            EXPECT_EQ(x.astype(Dtype(to)).to_vector<double>(), (std::vector<double>{0, 1, 1}))
                << name_of(Dtype(from)) << " to " << name_of(Dtype(to));
        }
}

TEST(Array, conversion_wraps_integers_and_truncates_floats) {
    EXPECT_EQ(Array::from<int32_t>({300, -1}).astype(Dtype::uint8).to_vector<int32_t>(),
              (std::vector<int32_t>{44, 255}));
    EXPECT_EQ(Array::from<float>({2.9f, -2.9f}).astype(Dtype::int8).to_vector<int32_t>(),
              (std::vector<int32_t>{2, -2}));
    EXPECT_EQ(
        Array::from<float>({0.5f, 0, std::nanf("")}).astype(Dtype::bool_).to_vector<int32_t>(),
        (std::vector<int32_t>{1, 0, 1}));
    EXPECT_EQ(Array::from<int64_t>({(int64_t(1) << 53) + 1}).astype(Dtype::int64).item<int64_t>(),
              (int64_t(1) << 53) + 1);
}

TEST(Array, prints_its_elements_and_shortens_long_ones) {
    EXPECT_EQ(to_string(Array::from(std::vector<float>{1, 2.5, 3, 4}, {2, 2})),
              "float32[2,2] {{1, 2.5}, {3, 4}}");
    EXPECT_EQ(to_string(Array::scalar(true)), "bool[] true");
    EXPECT_EQ(to_string(Array::zeros({Dtype::int8, {0}})), "int8[0] {}");
    EXPECT_EQ(to_string(Array::zeros({Dtype::int8, {1001}})), "int8[1001] {0, 0, 0, ..., 0, 0, 0}");
}

TEST(Array, of_no_elements_prints_at_once_whatever_its_other_sizes) {
    const int64_t most = std::numeric_limits<int64_t>::max();
    EXPECT_EQ(to_string(Array::empty({Dtype::float32, {most, 2, 0}})),
              "float32[9223372036854775807,2,0] {}");
    EXPECT_EQ(to_string(Array::zeros({Dtype::int8, {0, most}}).astype(Dtype::int64)),
              "int64[0,9223372036854775807] {}");
    EXPECT_EQ(to_string(Array::empty({Dtype::int8, {2, 0, most}})),
              "int8[2,0,9223372036854775807] {}");
    const Array backwards =
        Array::empty({Dtype::int8, {most, 0, 2}}).view({2, 0, most}, {1, 2, 2}, 0);
    EXPECT_EQ(to_string(backwards.as_contiguous().astype(Dtype::float32)),
              "float32[2,0,9223372036854775807] {}");
}

TEST(Array, of_no_elements_is_no_special_case) {
    const Array x = Array::zeros({Dtype::float32, {3, 0}});
    EXPECT_EQ(x.to_vector<float>().size(), 0u);
    EXPECT_EQ(x.astype(Dtype::int64).size(), 0);
    EXPECT_TRUE(x.view({0, 3}, {1, 0}, 0).contiguous());
}

TEST(Device, an_unknown_name_is_refused_with_the_list) {
    EXPECT_EQ(&get_device("cpu"), &cpu_device());
    EXPECT_EQ(&get_device("meta"), &meta_device());
    try {
        get_device("tpu");
        FAIL() << "not refused";
    } catch (const DeviceError& error) {
        EXPECT_STREQ(
            error.what(),
            "there is no device 'tpu'; there are cpu, meta, and cuda:0 where there is one");
    }
}

}  // namespace
}  // namespace catena
