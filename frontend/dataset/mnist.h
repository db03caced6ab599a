#pragma once

#include <string>
#include <utility>

#include "frontend/dataset/dataset.h"

namespace catena {

struct MnistOptions {
    bool withlabel = true;  ///< Pairs of image and label; otherwise images alone.
    int ndim = 1;           ///< Of an image: 1 [784], 2 [28, 28], 3 [1, 28, 28].
    double scale = 1.0;     ///< Pixels are in [0, scale].
    Dtype dtype = Dtype::float32, label_dtype = Dtype::int32;
    bool rgb_format = false;  ///< With ndim 3: three equal channels.
};

/// The training and the test set from a folder with the four files train-images-idx3-ubyte.gz, ...;
/// of Fashion-MNIST and Kuzushiji-MNIST, too. FileError naming the file that is missing or
/// malformed. download_mnist() in frontend/download downloads the files.
std::pair<Dataset, Dataset> get_mnist(const std::string& folder, const MnistOptions& options = {});

}  // namespace catena
