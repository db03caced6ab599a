#pragma once

#include <string>
#include <utility>

#include "frontend/dataset/dataset.h"

namespace catena {

struct CifarOptions {
    /// Whether examples are pairs of image and label; otherwise they are images alone.
    bool withlabel = true;
    int ndim = 3;        ///< Number of axes of an image: 3 for [3, 32, 32], 1 for [3072].
    double scale = 1.0;  ///< The largest pixel value: pixels are in [0, scale].
    Dtype dtype = Dtype::float32, label_dtype = Dtype::int32;
};

/// The training and the test set from the folder with data_batch_1.bin to data_batch_5.bin and
/// test_batch.bin, the binary version of CIFAR-10. FileError naming the file that is missing or
/// malformed.
std::pair<Dataset, Dataset> get_cifar10(const std::string& folder,
                                        const CifarOptions& options = {});
/// The training and the test set of CIFAR-100, with the fine labels, from a folder with train.bin
/// and test.bin. FileError naming the file that is missing or malformed.
std::pair<Dataset, Dataset> get_cifar100(const std::string& folder,
                                         const CifarOptions& options = {});

}  // namespace catena
