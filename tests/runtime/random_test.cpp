#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/core/parallel/parallel.h"
#include "runtime/core/random/random.h"
#include "runtime/cpu/random_kernel.h"

namespace catena {
namespace {

using Words = std::array<uint32_t, 4>;

TEST(Philox, gives_the_known_answers_of_its_authors) {
    EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
              (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
              (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, uniform_numbers_keep_to_their_interval) {
    EXPECT_EQ(uniform_float(0), 0.0f);
    EXPECT_EQ(uniform_float(0xffffffff), 1.0f - 0x1p-24f);
    EXPECT_EQ(positive_uniform_float(0), 0x1p-24f);
    EXPECT_EQ(positive_uniform_float(0xffffffff), 1.0f);
    EXPECT_EQ(uniform_double(0xffffffff, 0xffffffff), 1.0 - 0x1p-53);
    EXPECT_EQ(positive_uniform_double(0xffffffff, 0xffffffff), 1.0);
}

struct Moments {
    double mean = 0, variance = 0, fourth = 0;
};

template <class T>
Moments moments(const std::vector<T>& values) {
    Moments m;
    for (T value : values) m.mean += double(value) / double(values.size());
    for (T value : values) {
        const double square = (value - m.mean) * (value - m.mean);
        m.variance += square / double(values.size());
        m.fourth += square * square / double(values.size());
    }
    return m;
}

TEST(Random, moments_are_those_of_the_distribution) {
    // 400,000 samples: the standard error of the mean is below 0.002.
    const RandomStream stream{42, 7};
    std::vector<float> floats(400'000);
    std::vector<double> doubles(400'000);
    fill_uniform(stream, floats.data(), int64_t(floats.size()));
    EXPECT_NEAR(moments(floats).mean, 0.5, 0.003);
    EXPECT_NEAR(moments(floats).variance, 1.0 / 12, 0.002);
    fill_normal(stream, floats.data(), int64_t(floats.size()));
    EXPECT_NEAR(moments(floats).mean, 0, 0.008);
    EXPECT_NEAR(moments(floats).variance, 1, 0.012);
    EXPECT_NEAR(moments(floats).fourth, 3, 0.1);
    fill_normal(stream, doubles.data(), int64_t(doubles.size()));
    EXPECT_NEAR(moments(doubles).variance, 1, 0.012);
    EXPECT_NEAR(moments(doubles).fourth, 3, 0.1);
}

TEST(Random, blocks_are_the_elements_wherever_they_start) {
    const RandomStream stream{3, uint64_t(9) << 33};
    for (uint64_t first : {uint64_t(0), uint64_t(1), uint64_t(1023), (uint64_t(1) << 34) - 6})
        for (int64_t n : {0, 1, 3, 4, 5, 257}) {
            std::vector<float> block(size_t(n), -1);
            uniform_block(stream, first, block.data(), n);
            for (int64_t i = 0; i < n; ++i)
                ASSERT_EQ(block[size_t(i)], uniform<float>(stream, first + uint64_t(i)))
                    << first << " + " << i;
        }
}

TEST(Random, channels_last_are_the_elements_of_row_major) {
    const RandomStream stream{3, 9};
    for (auto [images, channels, positions] :
         {std::array<int64_t, 3>{1, 1, 1}, {2, 3, 5}, {2, 37, 49}, {3, 16, 256}, {1, 33, 1023}}) {
        std::vector<float> last(size_t(images * channels * positions), -1);
        uniform_channels_last(stream, last.data(), images, channels, positions);
        for (int64_t i = 0; i < int64_t(last.size()); ++i) {
            const int64_t image = i / positions / channels, channel = i / positions % channels,
                          position = i % positions;
            ASSERT_EQ(last[size_t((image * positions + position) * channels + channel)],
                      uniform<float>(stream, uint64_t(i)))
                << images << " images, " << channels << " channels, " << positions
                << " positions: element " << i;
        }
    }
}

TEST(Random, streams_of_other_seeds_and_operations_differ) {
    const RandomStream stream{1, 1};
    EXPECT_NE(stream.words(5), (RandomStream{2, 1}.words(5)));
    EXPECT_NE(stream.words(5), (RandomStream{1, 2}.words(5)));
    EXPECT_NE(stream.words(5), stream.words(6));
}

TEST(Random, numbers_do_not_depend_on_the_number_of_threads) {
    const int before = thread_count();
    std::vector<std::vector<float>> results;
    for (int threads : {1, 2, 3}) {
        set_thread_count(threads);
        results.emplace_back(50'001);
        fill_normal({9, 3}, results.back().data(), 50'001);
    }
    set_thread_count(before);
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
    EXPECT_EQ(results[0][777], normal<float>({9, 3}, 777));
}

}  // namespace
}  // namespace catena
