#pragma once

#include <catena/catena.h>

#include <filesystem>
#include <vector>

/// Images [n, 1, 8, 8] with pixels in [0, 1], and their digits.
struct Digits {
    std::vector<float> pixels;
    std::vector<int32_t> labels;
    int64_t size() const { return int64_t(labels.size()); }
};

/// Reads a file of the UCI optdigits set; catena::FileError with the line that is not as it should
/// be.
Digits read_optdigits(const std::filesystem::path& path);

/// The images `order[begin]` to `order[end - 1]` as a mini-batch.
struct Batch {
    catena::Variable x, t;
};
Batch take_batch(const Digits& digits, const std::vector<int64_t>& order, int64_t begin,
                 int64_t end);
