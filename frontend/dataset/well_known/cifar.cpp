#include "frontend/dataset/well_known/cifar.h"

#include <vector>

#include "frontend/dataset/datasets.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/file/file.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

constexpr int64_t pixels_of_image = 3 * 32 * 32;

/// Records of `labels` bytes, the last of which is used, and the pixels.
Dataset read_cifar(const std::string& folder, const std::vector<std::string>& names, int labels,
                   int classes, const CifarOptions& options) {
    if (options.ndim != 1 && options.ndim != 3)
        fail<ValueError>("get_cifar: ndim is {}, it should be 1 or 3", options.ndim);
    const int64_t record = labels + pixels_of_image;
    std::vector<uint8_t> bytes;
    for (const std::string& name : names) {
        FileReader file(folder + "/" + name);
        if (file.size() == 0 || file.size() % uint64_t(record) != 0)
            fail<FileError>("{}: has {} bytes; records of {} are expected", file.path(),
                            file.size(), record);
        const size_t begin = bytes.size();
        bytes.resize(begin + size_t(file.size()));
        file.read_at(0, bytes.data() + begin, size_t(file.size()));
    }
    const int64_t n = int64_t(bytes.size()) / record;
    Array images = Array::empty({Dtype::float32, {n, 3, 32, 32}}, cpu_device());
    Array targets = Array::empty({Dtype::int32, {n}}, cpu_device());
    float table[256];
    for (int value = 0; value < 256; ++value) table[value] = float(value * options.scale / 255);
    float* to = images.to_fill<float>();
    for (int64_t i = 0; i < n; ++i) {
        const uint8_t* from = bytes.data() + i * record + labels - 1;
        if (*from >= classes)
            fail<FileError>("{}: image {} has label {}; there are {} classes", folder, i, *from,
                            classes);
        targets.to_fill<int32_t>()[i] = *from++;
        for (int64_t k = 0; k < pixels_of_image; ++k) *to++ = table[*from++];
    }
    Array shaped =
        options.ndim == 3 ? images : images.view({n, pixels_of_image}, {pixels_of_image, 1}, 0);
    Dataset dataset(shaped.astype(options.dtype));
    if (!options.withlabel) return dataset;
    return TupleDataset(dataset, Dataset(targets.astype(options.label_dtype)));
}

}  // namespace

std::pair<Dataset, Dataset> get_cifar10(const std::string& folder,
                                        const CifarOptions& options) try {
    std::vector<std::string> names;
    for (int k = 1; k <= 5; ++k) names.push_back(fmt::format("data_batch_{}.bin", k));
    return {read_cifar(folder, names, 1, 10, options),
            read_cifar(folder, {"test_batch.bin"}, 1, 10, options)};
} catch (const std::bad_alloc&) {
    throw_out_of_memory("get_cifar10", folder);
}

std::pair<Dataset, Dataset> get_cifar100(const std::string& folder,
                                         const CifarOptions& options) try {
    return {read_cifar(folder, {"train.bin"}, 2, 100, options),
            read_cifar(folder, {"test.bin"}, 2, 100, options)};
} catch (const std::bad_alloc&) {
    throw_out_of_memory("get_cifar100", folder);
}

}  // namespace catena
