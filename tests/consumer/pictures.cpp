// A picture read by an installed catena::image.
#include <catena/catena.h>

#include <fstream>
#include <iostream>
#include <string>

#include <catena/frontend/image/image_dataset.h>

namespace {

// Two grey pixels, 7 and 200, as a PNG.
const unsigned char png[] = {137, 80,  78, 71, 13, 10, 26, 10,  0,   0,   0,   13,  73, 72,
                             68,  82,  0,  0,  0,  2,  0,  0,   0,   1,   8,   0,   0,  0,
                             0,   209, 73, 32, 86, 0,  0,  0,   11,  73,  68,  65,  84, 120,
                             156, 99,  96, 63, 1,  0,  0,  217, 0,   208, 215, 166, 34, 60,
                             0,   0,   0,  0,  73, 69, 78, 68,  174, 66,  96,  130};

}  // namespace

int main(int, char** arguments) {
    const std::string folder = arguments[1];
    std::ofstream(folder + "/two.png", std::ios::binary)
        .write(reinterpret_cast<const char*>(png), sizeof png);
    const catena::Dataset pictures(catena::ImageDataset({"two.png"}, {.root = folder}));
    const catena::Array picture = pictures[0][0];
    std::cout << catena::to_string(picture) << '\n';
    return picture.shape() == catena::Shape{1, 1, 2} &&
                   picture.to_vector<float>() == std::vector<float>{7, 200}
               ? 0
               : 1;
}
