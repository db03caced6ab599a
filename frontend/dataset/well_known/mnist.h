#pragma once

#include <string>
#include <utility>

#include "frontend/dataset/dataset.h"

namespace catena {

struct MnistOptions {
    /// Whether examples are pairs of image and label; otherwise they are images alone.
    bool withlabel = true;
    int ndim = 1;  ///< Number of axes of an image: 1 for [784], 2 for [28, 28], 3 for [1, 28, 28].
    double scale = 1.0;  ///< The largest pixel value: pixels are in [0, scale].
    Dtype dtype = Dtype::float32, label_dtype = Dtype::int32;
    bool rgb_format = false;  ///< Whether images have three equal channels, if ndim is 3.
};

/// The training and the test set from a folder with the four files train-images-idx3-ubyte.gz, ...;
/// works for Fashion-MNIST and Kuzushiji-MNIST, too. FileError naming the file that is missing or
/// malformed. download_mnist() in frontend/download downloads the files.
std::pair<Dataset, Dataset> get_mnist(const std::string& folder, const MnistOptions& options = {});

}  // namespace catena
