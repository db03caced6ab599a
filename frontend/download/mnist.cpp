#include "frontend/download/mnist.h"

#include "frontend/download/download.h"

namespace catena {
namespace {

// As published; the mirrors are Google's and PyTorch's.
const std::vector<RemoteFile>& files() {
    static const auto& files = *new std::vector<RemoteFile>{
        {"train-images-idx3-ubyte.gz",
         "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
        {"train-labels-idx1-ubyte.gz",
         "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
        {"t10k-images-idx3-ubyte.gz",
         "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
        {"t10k-labels-idx1-ubyte.gz",
         "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"},
    };
    return files;
}

}  // namespace

std::string download_mnist(const std::string& url) {
    std::vector<std::string> mirrors = {"https://storage.googleapis.com/cvdf-datasets/mnist/",
                                        "https://ossci-datasets.s3.amazonaws.com/mnist/"};
    if (!url.empty()) mirrors = {url};
    const std::filesystem::path folder = cache_folder() / "mnist";
    download_missing(folder, files(), mirrors);
    return folder.string();
}

}  // namespace catena
