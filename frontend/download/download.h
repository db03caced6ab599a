#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "frontend/dataset/well_known/cache_folder.h"

namespace catena {

/// A file of a public dataset.
struct RemoteFile {
    std::string name;
    std::string sha256;  ///< The SHA-256 checksum of the file as it is downloaded, in hexadecimal.
    std::string md5 = {};  ///< The MD5 checksum, for files whose authors publish no other.
};

/// Downloads the files that are missing in `folder` from the first of `base_urls` that has them. A
/// file is stored only if its checksums are correct, sha256 and md5 as far as given. FileError,
/// explaining what to do without a network, when no address answers or the content differs.
void download_missing(const std::filesystem::path& folder, const std::vector<RemoteFile>& files,
                      const std::vector<std::string>& base_urls);

/// The path of a copy of the file at `url`, made at the first call in cache_folder()/_dl_cache:
/// Chainer's cached_download. Content with another sha256 than the given one is an error; without
/// one any content is accepted.
std::string cached_download(const std::string& url, const std::string& sha256 = "");

}  // namespace catena
