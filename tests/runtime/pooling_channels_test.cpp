// Pooling of images with their channels last gives the bits of the row-major kernels.
#include "runtime/cpu/pooling/pooling_channels.h"

#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/core/array/device.h"
#include "runtime/core/array/memory_order.h"
#include "tests/support/threads.h"

namespace catena {
namespace {

Array row_major(Dtype dtype, const Shape& shape) {
    return Array::empty({dtype, shape}, cpu_device());
}

/// With other neighbours than its own in memory.
Array last(const Array& like) {
    const Array made =
        row_major(like.dtype(), like.shape())
            .view(like.shape(), strides_in(MemoryOrder::channels_last, like.shape()), 0);
    std::memset(made.to_fill(), 0x7f, size_t(made.size()) * size_of(made.dtype()));
    return made;
}
Array as_last(const Array& array) {
    const Array made = last(array);
    copy_elements(array, made);
    return made;
}

template <class T>
Array numbers(const Shape& shape, uint32_t seed) {
    const Array made = row_major(dtype_of<T>, shape);
    for (int64_t i = 0; i < made.size(); ++i) {
        seed = seed * 1664525u + 1013904223u;
        made.to_fill<T>()[i] = T(int32_t(seed >> 8) % 2000) / T(977);
    }
    return made;
}

template <class T>
void expect_same(const Array& rows, const Array& channels, const char* what) {
    EXPECT_EQ(rows.to_vector<T>(), channels.to_vector<T>()) << what;
}

template <class T>
void compare(const Shape& x_shape, const PoolingWindow& window, bool covers_all) {
    Shape y_shape = x_shape;
    for (int i = 0; i < 2; ++i) {
        const int64_t room = x_shape[i + 2] + 2 * window.pad[i] - window.size[i] +
                             (covers_all ? window.stride[i] - 1 : 0);
        y_shape[i + 2] = room / window.stride[i] + 1;
    }
    const Array x = numbers<T>(x_shape, 1), gy = numbers<T>(y_shape, 2);
    const Array y = row_major(x.dtype(), y_shape), index = row_major(Dtype::int32, y_shape),
                gx = row_major(x.dtype(), x_shape);
    const Array y_last = last(y), index_last = last(index), gx_last = last(gx);
    max_pool(x, window, y, index);
    channels_last::max_pool(as_last(x), window, y_last, index_last);
    expect_same<T>(y, y_last, "maxima");
    expect_same<int32_t>(index, index_last, "their places");
    max_pool_scatter(gy, index, window, gx);
    channels_last::max_pool_scatter(as_last(gy), index_last, window, gx_last);
    expect_same<T>(gx, gx_last, "the gradient of the maxima");
    average_pool(x, window, y);
    channels_last::average_pool(as_last(x), window, y_last);
    expect_same<T>(y, y_last, "averages");
    average_pool_spread(gy, window, gx);
    channels_last::average_pool_spread(as_last(gy), window, gx_last);
    const std::vector<T> rows = gx.to_vector<T>(), channels = gx_last.to_vector<T>();
    for (size_t i = 0; i < rows.size(); ++i)
        ASSERT_NEAR(rows[i], channels[i], 16 * std::numeric_limits<T>::epsilon())
            << "the gradient of the averages, element " << i;
}

TEST(PoolingChannels, give_the_bits_of_rows) {
    const PoolingWindow windows[] = {{{2, 2}, {2, 2}, {0, 0}}, {{3, 3}, {2, 2}, {1, 1}},
                                     {{5, 3}, {1, 2}, {2, 0}}, {{2, 2}, {3, 3}, {0, 0}},
                                     {{3, 1}, {3, 1}, {1, 0}}, {{1, 1}, {1, 1}, {0, 0}},
                                     {{7, 8}, {1, 1}, {0, 0}}};
    for (int threads : {1, 3}) {
        const testing::Threads scope(threads);
        for (const Shape& x : {Shape{2, 17, 9, 10}, Shape{1, 3, 7, 8}, Shape{3, 64, 33, 20}})
            for (const PoolingWindow& window : windows)
                for (bool covers_all : {false, true}) {
                    SCOPED_TRACE(fmt::format("{} by {} x {} in steps of {} x {}, covering all: {}",
                                             to_string(x), window.size[0], window.size[1],
                                             window.stride[0], window.stride[1], covers_all));
                    compare<float>(x, window, covers_all);
                    compare<double>(x, window, covers_all);
                }
    }
}

}  // namespace
}  // namespace catena
