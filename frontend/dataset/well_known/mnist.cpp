#include "frontend/dataset/well_known/mnist.h"

#include <filesystem>

#include "frontend/dataset/datasets.h"
#include "frontend/dataset/well_known/idx.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

Shape image_shape(const Array& pixels, const MnistOptions& options) {
    int64_t n = pixels.dim(0), height = pixels.dim(1), width = pixels.dim(2);
    if (options.rgb_format && options.ndim != 3)
        fail<ValueError>("get_mnist: rgb_format needs ndim 3, not {}", options.ndim);
    switch (options.ndim) {
        case 1:
            return {n, height * width};
        case 2:
            return {n, height, width};
        case 3:
            return {n, 1, height, width};
        default:
            fail<ValueError>("get_mnist: ndim is {}, it should be 1, 2 or 3", options.ndim);
    }
}

Array mnist_images(const Array& pixels, const MnistOptions& options) {
    Array scaled = Array::empty({Dtype::float32, image_shape(pixels, options)}, cpu_device());
    const uint8_t* from = pixels.elements<uint8_t>();
    float* to = scaled.to_fill<float>();
    float table[256];
    for (int value = 0; value < 256; ++value) table[value] = float(value * options.scale / 255);
    for (int64_t i = 0; i < pixels.size(); ++i) to[i] = table[from[i]];
    Array images = scaled.astype(options.dtype);
    if (!options.rgb_format) return images;
    Shape shape = images.shape();
    Strides strides = images.strides();
    shape[1] = 3;
    strides[1] = 0;
    return images.view(shape, strides, 0);
}

void check_is_there(const std::string& file) {
    if (!std::filesystem::exists(file))
        fail<FileError>(
            "get_mnist: there is no {}; download_mnist(), download_fashion_mnist() and "
            "download_kuzushiji_mnist() of "
            "frontend/download fetch the four files and return their folder",
            file);
}

Dataset read_mnist(const std::string& folder, const std::string& name,
                   const MnistOptions& options) {
    std::string path = folder + "/" + name;
    for (const char* file : {"-images-idx3-ubyte.gz", "-labels-idx1-ubyte.gz"})
        check_is_there(path + file);
    Array pixels = read_idx(path + "-images-idx3-ubyte.gz", 3);
    Array labels = read_idx(path + "-labels-idx1-ubyte.gz", 1);
    if (pixels.dim(1) != 28 || pixels.dim(2) != 28 || pixels.dim(0) != labels.dim(0))
        fail<FileError>(
            "get_mnist: in {}, {} has images {} and labels {}; 28x28 and equal numbers are "
            "expected",
            folder, name, to_string(pixels.shape()), to_string(labels.shape()));
    Dataset images(mnist_images(pixels, options));
    if (!options.withlabel) return images;
    return TupleDataset(images, Dataset(labels.astype(options.label_dtype)));
}

}  // namespace

std::pair<Dataset, Dataset> get_mnist(const std::string& folder, const MnistOptions& options) try {
    return {read_mnist(folder, "train", options), read_mnist(folder, "t10k", options)};
} catch (const std::bad_alloc&) {
    throw_out_of_memory("get_mnist", folder);
}

}  // namespace catena
