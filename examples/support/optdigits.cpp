#include "support/optdigits.h"

#include <fstream>
#include <sstream>

namespace ct = catena;

static constexpr int pixel_count = 64;

Digits read_optdigits(const std::filesystem::path& path) {
    std::ifstream file(path);
    if (!file) ct::fail<ct::FileError>("digits: cannot open {}", path.string());
    Digits digits;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        if (line.empty()) continue;
        std::istringstream cells(line);
        std::vector<int> values;
        for (std::string cell; std::getline(cells, cell, ',');)
            values.push_back(std::atoi(cell.c_str()));
        if (values.size() != pixel_count + 1 || values.back() < 0 || values.back() > 9)
            ct::fail<ct::FileError>(
                "digits: {}:{}: expected 64 pixels and a digit, separated by commas", path.string(),
                number);
        for (int i = 0; i < pixel_count; ++i) digits.pixels.push_back(float(values[i]) / 16);
        digits.labels.push_back(values.back());
    }
    return digits;
}

Batch take_batch(const Digits& digits, const std::vector<int64_t>& order, int64_t begin,
                 int64_t end) {
    std::vector<float> pixels;
    std::vector<int32_t> labels;
    for (int64_t i = begin; i < end; ++i) {
        const auto first = digits.pixels.begin() + order[i] * pixel_count;
        pixels.insert(pixels.end(), first, first + pixel_count);
        labels.push_back(digits.labels[order[i]]);
    }
    return {ct::Variable(ct::Array::from(pixels, {end - begin, 1, 8, 8}), false),
            ct::Variable(ct::Array::from(labels, {end - begin}), false)};
}
