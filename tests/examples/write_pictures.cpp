// write_pictures FOLDER: made-up pictures of shapes as PNG files in MSCOCO's folders, with its
// files of captions ("A ring.") and, for examples/imagenet, with lists of labels, train.txt and
// val.txt; and a picture of another size, small.txt, which mixed.txt lists beside one of the
// others.
#include <png.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "examples/support/pictures.h"

namespace fs = std::filesystem;

/// Pixels [3, 32, 32] in [0, 1], each of them drawn as `scale` x `scale`.
static bool write_png(const fs::path& path, const float* pixels, int scale = 2) {
    constexpr int small = 32;
    const int size = small * scale;
    std::vector<unsigned char> bytes;
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x)
            for (int c = 0; c < 3; ++c)
                bytes.push_back(static_cast<unsigned char>(
                    pixels[(c * small + y / scale) * small + x / scale] * 255));
    png_image image = {};
    image.version = PNG_IMAGE_VERSION;
    image.width = image.height = png_uint_32(size);
    image.format = PNG_FORMAT_RGB;
    return png_image_write_to_file(&image, path.c_str(), 0, bytes.data(), 0, nullptr) != 0;
}

static bool write_part(const fs::path& folder, const std::string& part, int count, uint64_t seed) {
    static const char* const names[] = {"disc",        "ring",    "square",    "frame",
                                        "cross",       "saltire", "level bar", "upright bar",
                                        "slanted bar", "chequers"};
    const std::string pictures = part + "2014";
    fs::create_directories(folder / pictures);
    fs::create_directories(folder / "annotations");
    const examples::Pictures made = examples::made_up_pictures(count, seed);
    const std::vector<float> pixels = made.images.to_vector<float>();
    const std::vector<int32_t> labels = made.labels.to_vector<int32_t>();
    std::ofstream list(folder / (part + ".txt"));
    std::string images, annotations;
    for (int i = 0; i < count; ++i) {
        const std::string name = std::to_string(i) + ".png", comma = i > 0 ? ", " : "";
        if (!write_png(folder / pictures / name, pixels.data() + i * 3 * 32 * 32)) return false;
        list << pictures << '/' << name << ' ' << labels[size_t(i)] << '\n';
        images += comma + "{\"id\": " + std::to_string(i) + ", \"file_name\": \"" + name + "\"}";
        annotations += comma + "{\"image_id\": " + std::to_string(i) + ", \"caption\": \"A " +
                       names[labels[size_t(i)]] + ".\"}";
    }
    std::ofstream(folder / "annotations" / ("captions_" + part + "2014.json"))
        << "{\"images\": [" << images << "], \"annotations\": [" << annotations << "]}\n";
    return bool(list.flush());
}

static bool write_other_size(const fs::path& folder) {
    fs::create_directories(folder / "small");
    std::ofstream(folder / "small.txt") << "small/0.png 0\n";
    std::ofstream(folder / "mixed.txt") << "val2014/0.png 0\nsmall/0.png 0\n";
    const std::vector<float> pixels = examples::made_up_pictures(1, 3).images.to_vector<float>();
    return write_png(folder / "small" / "0.png", pixels.data(), 1);
}

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "write_pictures FOLDER\n";
        return 2;
    }
    return write_part(argv[1], "train", 400, 1) && write_part(argv[1], "val", 50, 2) &&
                   write_other_size(argv[1])
               ? 0
               : 1;
}
