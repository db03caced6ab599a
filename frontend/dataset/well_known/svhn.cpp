#include "frontend/dataset/well_known/svhn.h"

#include <cmath>

#include "frontend/dataset/datasets.h"
#include "frontend/dataset/well_known/mat5.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

/// X is stored as [n, 3, column, row].
Array svhn_images(const Array& X, const SvhnOptions& options) {
    constexpr int64_t side = 32, channels = 3;
    const int64_t count = X.dim(0) * channels;
    Array images = Array::empty({Dtype::float32, {X.dim(0), channels, side, side}}, cpu_device());
    const uint8_t* from = X.elements<uint8_t>();
    float* to = images.to_fill<float>();
    for (int64_t plane = 0; plane < count; ++plane)
        for (int64_t row = 0; row < side; ++row)
            for (int64_t column = 0; column < side; ++column)
                *to++ = float(from[(plane * side + column) * side + row] * options.scale / 255);
    return images.astype(options.dtype);
}

Dataset read_svhn(const std::string& path, const SvhnOptions& options) {
    const auto arrays = read_mat5(path);
    const auto X = arrays.find("X"), y = arrays.find("y");
    if (X == arrays.end() || y == arrays.end()) fail<FileError>("{}: X and y are expected", path);
    const Shape& shape = X->second.shape();
    if (X->second.dtype() != Dtype::uint8 || shape.rank() != 4 || shape[1] != 3 || shape[2] != 32 ||
        shape[3] != 32 || y->second.size() != shape[0])
        fail<FileError>(
            "{}: X is {} {} and y has {} elements; uint8 [n,3,32,32] (axes reversed) and n are "
            "expected",
            path, name_of(X->second.dtype()), to_string(shape), y->second.size());
    Dataset images(svhn_images(X->second, options));
    if (!options.withlabel) return images;
    std::vector<int32_t> labels;
    for (const double label : y->second.to_vector<double>()) {
        if (!(label >= 1 && label <= 10) || label != std::floor(label))
            fail<FileError>("{}: a label is {}; 1 to 10 are expected", path, label);
        labels.push_back(int32_t(label) % 10);  // 10 stands for the digit 0.
    }
    return TupleDataset(
        images, Dataset(Array::from(labels, {int64_t(labels.size())}).astype(options.label_dtype)));
}

}  // namespace

std::vector<Dataset> get_svhn(const std::string& folder, const SvhnOptions& options) {
    std::vector<Dataset> sets{read_svhn(folder + "/train_32x32.mat", options),
                              read_svhn(folder + "/test_32x32.mat", options)};
    if (options.add_extra) sets.push_back(read_svhn(folder + "/extra_32x32.mat", options));
    return sets;
}

}  // namespace catena
