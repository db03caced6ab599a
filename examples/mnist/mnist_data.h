#pragma once

#include <catena/catena.h>

#include <string>
#include <utility>
#include <vector>

/// Images with pixels in [0, 1], and their digits.
struct MnistSplit {
    std::vector<float> pixels;  ///< size() rows of 784.
    std::vector<int32_t> labels;
    int64_t size() const { return int64_t(labels.size()); }
    /// The images order[begin] to order[end - 1]: x [n, 784] and t [n].
    std::pair<catena::Variable, catena::Variable> batch(const std::vector<int64_t>& order, int64_t begin,
                                                        int64_t end) const;
};

struct Mnist {
    MnistSplit training, test;
};

struct MnistSource {
    std::string folder;  ///< Of the four files; empty: the cache folder, where they are downloaded to.
    std::string url;     ///< Instead of the usual mirrors.
};

/// catena::FileError when a file is missing and cannot be had, or is not what it should be.
Mnist load_mnist(const MnistSource& source);
