// write_idx FOLDER: four files in MNIST's format and under its names, with images that are easy to
// learn: digit d is a bright bar at row 2 d + 4 on noise.
#include <zlib.h>

#include <filesystem>
#include <iostream>
#include <random>
#include <string>

namespace {

std::mt19937 generator(0);

std::string big_endian(uint32_t value) {
    return {char(value >> 24), char(value >> 16), char(value >> 8), char(value)};
}

std::string image_of(int digit) {
    std::string pixels(28 * 28, '\0');
    for (char& pixel : pixels) pixel = char(generator() % 64);
    for (int row = 2 * digit + 4; row < 2 * digit + 6; ++row)
        for (int column = 4; column < 24; ++column) pixels[row * 28 + column] = char(200);
    return pixels;
}

void write(const std::filesystem::path& path, const std::string& content) {
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, content.data(), unsigned(content.size()));
    gzclose(file);
}

void write_split(const std::filesystem::path& folder, const std::string& name, uint32_t count) {
    std::string images = big_endian(0x803) + big_endian(count) + big_endian(28) + big_endian(28);
    std::string labels = big_endian(0x801) + big_endian(count);
    for (uint32_t i = 0; i < count; ++i) {
        const int digit = int(generator() % 10);
        images += image_of(digit);
        labels += char(digit);
    }
    write(folder / (name + "-images-idx3-ubyte.gz"), images);
    write(folder / (name + "-labels-idx1-ubyte.gz"), labels);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "write_idx FOLDER\n";
        return 2;
    }
    std::filesystem::create_directories(argv[1]);
    write_split(argv[1], "train", 1050);
    write_split(argv[1], "t10k", 230);
    return 0;
}
