#include "frontend/dataset/augmentation.h"

#include <gmock/gmock.h>

#include <set>

#include "frontend/dataset/datasets.h"
#include "runtime/ops/noise/random.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

/// [2, height, width], every pixel another number.
Array numbered(int64_t height, int64_t width) {
    std::vector<float> pixels(size_t(2 * height * width));
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = float(i);
    return Array::from(pixels, {2, height, width});
}

/// What 200 draws give.
template <class F>
std::set<std::vector<float>> outcomes(F f) {
    set_seed(0);
    std::set<std::vector<float>> seen;
    for (int i = 0; i < 200; ++i) seen.insert(f().template to_vector<float>());
    return seen;
}

TEST(Augmentation, random_flip_reverses_the_chosen_directions) {
    const Array image = Array::from(std::vector<float>{1, 2, 3, 4}, {1, 2, 2});
    EXPECT_EQ(outcomes([&] { return random_flip(image); }),
              (std::set<std::vector<float>>{{1, 2, 3, 4}, {2, 1, 4, 3}}));
    EXPECT_EQ(outcomes([&] { return random_flip(image, {.x = false, .y = true}); }),
              (std::set<std::vector<float>>{{1, 2, 3, 4}, {3, 4, 1, 2}}));
    EXPECT_EQ(outcomes([&] { return random_flip(image, {.x = true, .y = true}); }).size(), 4u);
}

TEST(Augmentation, random_crop_takes_every_place) {
    const Array image = numbered(4, 5);
    const auto seen = outcomes([&] { return random_crop(image, {3, 3}); });
    EXPECT_EQ(seen.size(), 2u * 3u);
    EXPECT_TRUE(
        seen.contains({6, 7, 8, 11, 12, 13, 16, 17, 18, 26, 27, 28, 31, 32, 33, 36, 37, 38}));
    // With padding, the corner of zeros is among them.
    const auto padded = outcomes([&] { return random_crop(numbered(2, 2), {2, 2}, 1); });
    EXPECT_EQ(padded.size(), 9u);
    EXPECT_TRUE(padded.contains({0, 0, 0, 0, 0, 0, 0, 4}));
    EXPECT_THAT(message_of<ShapeError>([&] { random_crop(image, {5, 5}); }),
                HasSubstr("random_crop: a part of 5x5 does not fit into an image [2,4,5]"));
    EXPECT_THAT(message_of<ShapeError>([&] { random_crop(image, {7, 5}, 1); }),
                HasSubstr("random_crop: a part of 7x5 does not fit into an image [2,4,5] with 1 "
                          "zeros on each side"));
}

TEST(Augmentation, an_error_says_of_which_example) {
    const Dataset images(std::vector<Example>{numbered(4, 4), numbered(4, 4), numbered(2, 4)});
    const TransformDataset crops(
        images, [](const Example& e) { return Example(random_crop(e[0], {3, 3})); });
    const SubDataset last(crops, 1, 3);
    EXPECT_EQ(crops.get_example(1)[0].shape(), (Shape{2, 3, 3}));
    EXPECT_THAT(message_of<ShapeError>([&] { last.get_example(1); }),
                HasSubstr("TransformDataset: example 2 (float32[2,2,4]): random_crop: a part of "
                          "3x3 does not fit into an image [2,2,4]"));
}

TEST(Augmentation, center_crop_takes_the_middle) {
    EXPECT_EQ(center_crop(numbered(4, 5), {2, 1}).to_vector<float>(),
              (std::vector<float>{7, 12, 27, 32}));
    EXPECT_THAT(message_of<ShapeError>(
                    [&] { center_crop(Array::zeros({Dtype::float32, {4, 4}}), {2, 2}); }),
                HasSubstr("an image is [channels, height, width], not [4,4]"));
}

TEST(Augmentation, random_sized_crop_has_the_size_and_values_of_the_image) {
    const Array image = numbered(12, 10);
    set_seed(0);
    for (int i = 0; i < 50; ++i) {
        const Array crop = random_sized_crop(image, {4, 6});
        EXPECT_EQ(crop.shape(), (Shape{2, 4, 6}));
        const std::vector<float> values = crop.to_vector<float>();
        for (size_t k = 0; k < values.size(); ++k) {  // resized within its channel
            EXPECT_GE(values[k], k < 24 ? 0.f : 120.f);
            EXPECT_LE(values[k], k < 24 ? 119.f : 239.f);
        }
        EXPECT_LT(values[0], values[23]);
    }
    // The whole image, as it is.
    EXPECT_EQ(random_sized_crop(image, {12, 10}, {.area = {1, 1}, .ratio = {10.0 / 12, 10.0 / 12}})
                  .to_vector<float>(),
              image.to_vector<float>());
}

}  // namespace
}  // namespace catena
