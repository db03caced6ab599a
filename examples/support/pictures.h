#pragma once

#include <catena/catena.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace examples {

/// Pictures [n, 3, 32, 32] in [0, 1] and their classes [n], made up for those who have no data set:
/// a bright shape (disc, ring, square, frame, cross, saltire, horizontal, vertical or diagonal bar,
/// chequers: classes 0 to 9) of any colour, size and place on a dark noisy ground.
struct Pictures {
    catena::Array images, labels;
};

/// Whether the class's shape of radius 1 covers the point.
inline bool covers(int label, float x, float y) {
    const float far = std::max(std::abs(x), std::abs(y)), r = std::hypot(x, y);
    if (far > 1) return false;
    switch (label) {
        case 0:
            return r < 1;
        case 1:
            return r < 1 && r > 0.6f;
        case 2:
            return true;
        case 3:
            return far > 0.6f;
        case 4:
            return std::min(std::abs(x), std::abs(y)) < 0.25f;
        case 5:
            return std::abs(std::abs(x) - std::abs(y)) < 0.3f;
        case 6:
            return std::abs(y) < 0.3f;
        case 7:
            return std::abs(x) < 0.3f;
        case 8:
            return std::abs(x - y) < 0.4f;
        default:
            return (x > 0) == (y > 0);
    }
}

/// A shape on a picture of 32x32.
struct Shape {
    int label;
    float radius, x, y;
    std::array<float, 3> colour;
};

/// Draws it on a dark ground into pixels [3, 32, 32]; all with noise.
inline void draw(const Shape& shape, float* pixels, std::mt19937_64& random) {
    constexpr int size = 32;
    std::uniform_real_distribution<float> unit(0, 1);
    for (const float colour : shape.colour)
        for (int y = 0; y < size; ++y)
            for (int x = 0; x < size; ++x) {
                const bool inside = covers(shape.label, (float(x) - shape.x) / shape.radius,
                                           (float(y) - shape.y) / shape.radius);
                *pixels++ = (inside ? colour : 0.1f) * (0.8f + 0.2f * unit(random));
            }
}

inline Pictures made_up_pictures(int64_t n, uint64_t seed) {
    constexpr int size = 32, channels = 3;
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<float> unit(0, 1);
    std::vector<float> pixels(n * channels * size * size);
    std::vector<int32_t> labels(n);
    for (int64_t i = 0; i < n; ++i) {
        Shape shape;
        shape.label = labels[i] = int(random() % 10);
        shape.radius = 8 + 6 * unit(random);
        shape.x = size / 2.f + 4 * (unit(random) - 0.5f);
        shape.y = size / 2.f + 4 * (unit(random) - 0.5f);
        for (float& colour : shape.colour) colour = 0.4f + 0.6f * unit(random);
        draw(shape, pixels.data() + i * channels * size * size, random);
    }
    return {catena::Array::from(pixels, {n, channels, size, size}),
            catena::Array::from(labels, {n})};
}

}  // namespace examples
