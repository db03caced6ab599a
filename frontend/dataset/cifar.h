#pragma once

#include <string>
#include <utility>

#include "frontend/dataset/dataset.h"

namespace catena {

struct CifarOptions {
    bool withlabel = true;  ///< Pairs of image and label; otherwise images alone.
    int ndim = 3;           ///< Of an image: 3 [3, 32, 32], 1 [3072].
    double scale = 1.0;     ///< Pixels are in [0, scale].
    Dtype dtype = Dtype::float32, label_dtype = Dtype::int32;
};

/// The training and the test set from the folder with data_batch_1.bin to data_batch_5.bin and
/// test_batch.bin, the binary version of CIFAR-10. FileError naming the file that is missing or
/// malformed.
std::pair<Dataset, Dataset> get_cifar10(const std::string& folder,
                                        const CifarOptions& options = {});
/// The same from train.bin and test.bin of CIFAR-100, with the fine labels.
std::pair<Dataset, Dataset> get_cifar100(const std::string& folder,
                                         const CifarOptions& options = {});

}  // namespace catena
