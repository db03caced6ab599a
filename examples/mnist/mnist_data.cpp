#include "mnist_data.h"

#include "frontend/download/download.h"
#include "idx.h"

namespace ct = catena;
namespace fs = std::filesystem;

namespace {

constexpr int64_t pixel_count = 28 * 28;

// As published; the mirrors are Google's and PyTorch's.
const std::vector<ct::RemoteFile> files = {
    {"train-images-idx3-ubyte.gz", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
    {"train-labels-idx1-ubyte.gz", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
    {"t10k-images-idx3-ubyte.gz", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
    {"t10k-labels-idx1-ubyte.gz", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"},
};
const std::vector<std::string> mirrors = {"https://storage.googleapis.com/cvdf-datasets/mnist/",
                                          "https://ossci-datasets.s3.amazonaws.com/mnist/"};

MnistSplit read_split(const fs::path& folder, const std::string& name) {
    const IdxFile images = read_idx(folder / (name + "-images-idx3-ubyte.gz"), 3);
    const IdxFile labels = read_idx(folder / (name + "-labels-idx1-ubyte.gz"), 1);
    if (images.shape[1] * images.shape[2] != pixel_count || images.shape[0] != labels.shape[0])
        ct::fail<ct::FileError>("mnist: in {}, {} has {} images of {}x{} and {} labels; 28x28 and equal numbers "
                                "are expected",
                                folder.string(), name, images.shape[0], images.shape[1], images.shape[2],
                                labels.shape[0]);
    MnistSplit split;
    split.pixels.reserve(images.bytes.size());
    for (const uint8_t byte : images.bytes) split.pixels.push_back(float(byte) / 255);
    split.labels.assign(labels.bytes.begin(), labels.bytes.end());
    return split;
}

}  // namespace

std::pair<ct::Variable, ct::Variable> MnistSplit::batch(const std::vector<int64_t>& order, int64_t begin,
                                                        int64_t end) const {
    std::vector<float> x;
    std::vector<int32_t> t;
    x.reserve(size_t((end - begin) * pixel_count));
    for (int64_t i = begin; i < end; ++i) {
        const auto first = pixels.begin() + order[i] * pixel_count;
        x.insert(x.end(), first, first + pixel_count);
        t.push_back(labels[order[i]]);
    }
    return {ct::Variable(ct::Array::from(x, {end - begin, pixel_count}), false),
            ct::Variable(ct::Array::from(t, {end - begin}), false)};
}

Mnist load_mnist(const MnistSource& source) {
    fs::path folder = source.folder;
    if (folder.empty()) {
        folder = ct::cache_folder() / "mnist";
        ct::download_missing(folder, files, source.url.empty() ? mirrors : std::vector{source.url});
    }
    return {read_split(folder, "train"), read_split(folder, "t10k")};
}
