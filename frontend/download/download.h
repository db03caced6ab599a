#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "frontend/dataset/cache_folder.h"

namespace catena {

/// A file of a public dataset.
struct RemoteFile {
    std::string name;
    std::string sha256;    ///< Of the file as it is downloaded, in hexadecimal.
    std::string md5 = {};  ///< Of files whose authors publish no other checksum.
};

/// Downloads the files that are missing in `folder` from the first of `base_urls` that has them. A
/// file is stored only if its checksums are correct, sha256 and md5 as far as given. FileError,
/// explaining what to do without a network, when no address answers or the content differs.
void download_missing(const std::filesystem::path& folder, const std::vector<RemoteFile>& files,
                      const std::vector<std::string>& base_urls);

/// Chainer's cached_download: the path of a copy of what `url` gives, made at the first call in
/// cache_folder()/_dl_cache. Content with another sha256 than the given one is an error; without
/// one it is taken as it comes.
std::string cached_download(const std::string& url, const std::string& sha256 = "");

}  // namespace catena
