#include "runtime/cpu/onednn/packed.h"

#include <atomic>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/core/array/borrowed_storage.h"
#include "runtime/core/random/random.h"
#include "runtime/cpu/convolution/convolution_kernel.h"

namespace catena {
namespace {

const WindowSteps steps{Dims{1, 1}, Dims{1, 1}, Dims{1, 1}, 1};

Array random_array(const Shape& shape, uint64_t seed) {
    Array array = Array::empty({Dtype::float32, shape}, cpu_device());
    fill_normal(RandomStream{seed, 0}, array.to_fill<float>(), array.size());
    return array;
}

struct Convolution {
    Array x = random_array({1, 32, 9, 9}, 1);
    Array y = Array::empty({Dtype::float32, {1, 48, 9, 9}}, cpu_device());

    std::vector<float> with(const Array& W) const {
        convolve(x, W, Array(), steps, y);
        return y.to_vector<float>();
    }
    /// As the first call does, which packs anew.
    std::vector<float> expected(const Array& W) const {
        return with(W.astype(Dtype::float64).astype(Dtype::float32));
    }

    /// Uses that were served from the kept form in ten calls.
    int64_t served(const Array& W) const {
        const int64_t before = onednn::packed_uses();
        const std::vector<float> result = expected(W);
        for (int i = 0; i < 10; ++i) EXPECT_EQ(with(W), result) << "call " << i;
        return onednn::packed_uses() - before;
    }
};

TEST(Packed, weights_that_are_read_again_and_again_are_kept) {
    const Convolution c;
    const Array W = random_array({48, 32, 3, 3}, 2);
    EXPECT_EQ(c.served(W), 5);  // Four calls, and one that keeps what it packed.
    EXPECT_EQ(c.served(W), 10);
}

TEST(Packed, each_direction_and_each_size_has_its_form) {
    const Convolution c;
    const Array W = random_array({48, 32, 3, 3}, 2);
    const Array gx = Array::empty(c.x.type(), cpu_device());
    c.served(W);
    const int64_t before = onednn::packed_uses();
    for (int i = 0; i < 3; ++i) convolve_data(c.y, W, steps, gx);
    EXPECT_EQ(onednn::packed_uses() - before, 2);
    const std::vector<float> kept = gx.to_vector<float>();
    convolve_data(c.y, W.astype(Dtype::float64).astype(Dtype::float32), steps, gx);
    EXPECT_EQ(gx.to_vector<float>(), kept);
}

TEST(Packed, every_way_to_write_is_noticed) {
    const Convolution c;
    const Array other = random_array({48, 32, 3, 3}, 3);
    const std::vector<float> content = other.to_vector<float>();
    const std::vector<float> expected = c.expected(other);
    const std::vector<std::function<void(const Array&)>> ways{
        [&](const Array& W) { copy_elements(other, W); },
        [&](const Array& W) { cpu_device().copy_from_host(content.data(), W); },
        [&](const Array& W) {
            std::memcpy(W.to_fill(), content.data(), content.size() * sizeof(float));
        },
        [&](const Array& W) {
            std::memcpy(W.data<float>(), content.data(), content.size() * sizeof(float));
        },
        [&](const Array& W) { copy_elements(other, W.view(W.shape(), W.strides(), 0)); },
    };
    for (size_t i = 0; i < ways.size(); ++i) {
        SCOPED_TRACE(i);
        const Array W = random_array({48, 32, 3, 3}, 2);
        EXPECT_EQ(c.served(W), 5);
        ways[i](W);
        EXPECT_EQ(c.with(W), expected);
    }
}

TEST(Packed, a_pointer_that_is_kept_may_be_written_through_at_any_time) {
    const Convolution c;
    const Array W = random_array({48, 32, 3, 3}, 2), other = random_array({48, 32, 3, 3}, 3);
    float* const pointer = W.data<float>();
    EXPECT_EQ(c.served(W), 0);
    std::memcpy(pointer, other.elements<float>(), size_t(W.size()) * sizeof(float));
    EXPECT_EQ(c.with(W), c.expected(other));
}

TEST(Packed, memory_of_somebody_else_is_never_kept) {
    const Convolution c;
    const Array W = random_array({48, 32, 3, 3}, 2);
    std::vector<float> content = W.to_vector<float>();
    const BorrowedStorage borrowed(content.data(), content.size() * sizeof(float), cpu_device());
    EXPECT_EQ(c.served(borrowed.array(W.type(), W.strides(), 0)), 0);
}

TEST(Packed, parts_of_one_storage_have_their_own_forms) {
    const Convolution c;
    const Array both = random_array({96, 32, 3, 3}, 2);
    const Array first = both.view({48, 32, 3, 3}, both.strides(), 0);
    const Array second = both.view({48, 32, 3, 3}, both.strides(), first.size());
    EXPECT_EQ(c.served(first), 5);
    EXPECT_EQ(c.served(second), 9);
    EXPECT_EQ(c.served(first), 10);
    EXPECT_NE(c.with(first), c.with(second));
}

TEST(Packed, many_threads_may_use_them_and_read_them) {
    const Array W = random_array({48, 32, 3, 3}, 2);
    const std::vector<float> expected = Convolution().expected(W);
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            const Convolution c;
            for (int i = 0; i < 50; ++i) {
                wrong += c.with(W) != expected;
                if (t == 3 && i == 25)
                    wrong += W.data<float>()[0] != W.elements<float>()[0];  // Exposes them.
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace catena
