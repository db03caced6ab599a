#pragma once

#include <string>
#include <vector>

#include "frontend/dataset/dataset.h"
#include "runtime/core/dtype/dtype.h"

namespace catena {

struct SvhnOptions {
    /// Whether examples are pairs of image and label; otherwise they are images alone.
    bool withlabel = true;
    double scale = 1.0;  ///< The largest pixel value: pixels are in [0, scale].
    Dtype dtype = Dtype::float32, label_dtype = Dtype::int32;
    bool add_extra = false;  ///< Whether the extra set, extra_32x32.mat, is read as well.
};

/// The Street View House Numbers (Netzer et al. 2011), cropped digits: the training set, the test
/// set and, if asked for, the extra set, of images [3, 32, 32] and labels 0 to 9, from a folder
/// with train_32x32.mat, test_32x32.mat and extra_32x32.mat. FileError naming the file that is
/// missing or malformed.
std::vector<Dataset> get_svhn(const std::string& folder, const SvhnOptions& options = {});

}  // namespace catena
