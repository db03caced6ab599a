#pragma once

#include <catena/catena.h>

#include <fstream>
#include <string>

#include "support/optdigits.h"

namespace examples {

/// Images of digits as vectors, with labels: MNIST from a folder, else the 8x8 digits of
/// examples/digits.
inline std::pair<catena::Dataset, catena::Dataset> digit_images(const std::string& mnist_folder) {
    if (!mnist_folder.empty()) return catena::get_mnist(mnist_folder);
    const auto read = [](const char* name) {
        const Digits digits = read_optdigits(std::string(DIGITS_DATA) + "/" + name);
        return catena::Dataset(
            catena::TupleDataset(catena::Array::from(digits.pixels, {digits.size(), 64}),
                                 catena::Array::from(digits.labels, {digits.size()})));
    };
    return {read("optdigits.tra"), read("optdigits.tes")};
}

/// Writes pictures [n, channels, height, width] with values in [0, 1], of one or three channels,
/// side by side as one PPM file.
inline void write_pictures(const std::string& path, const catena::Array& pictures,
                           int64_t columns) {
    const std::vector<float> values = pictures.to_vector<float>();
    const int64_t n = pictures.dim(0), channels = pictures.dim(1), height = pictures.dim(2),
                  width = pictures.dim(3);
    const int64_t rows = (n + columns - 1) / columns;
    std::string bytes(size_t(rows * height * columns * width * 3), '\0');
    for (int64_t i = 0; i < n; ++i)
        for (int64_t y = 0; y < height; ++y)
            for (int64_t x = 0; x < width; ++x)
                for (int64_t c = 0; c < 3; ++c) {
                    const float value =
                        values[((i * channels + c % channels) * height + y) * width + x];
                    const int64_t row = i / columns * height + y, column = i % columns * width + x;
                    bytes[size_t((row * columns * width + column) * 3 + c)] =
                        char(int(std::min(std::max(value, 0.f), 1.f) * 255));
                }
    std::ofstream file(path, std::ios::binary);
    file << fmt::format("P6\n{} {}\n255\n", columns * width, rows * height) << bytes;
    if (!file) catena::fail<catena::FileError>("cannot write {}", path);
}

}  // namespace examples
