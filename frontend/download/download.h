#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "frontend/dataset/cache_folder.h"

namespace catena {

/// A file of a public dataset.
struct RemoteFile {
    std::string name;
    std::string sha256;  ///< Of the file as it is downloaded, in hexadecimal.
};

/// Downloads the files that are missing in `folder` from the first of `base_urls` that has them. A file is
/// stored only if its sha256 is correct. FileError, explaining what to do without a network, when no address
/// answers or the content differs.
void download_missing(const std::filesystem::path& folder, const std::vector<RemoteFile>& files,
                      const std::vector<std::string>& base_urls);

}  // namespace catena
