#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace catena {

/// A file of a public dataset.
struct RemoteFile {
    std::string name;
    std::string sha256;  ///< Of the file as it is downloaded, in hexadecimal.
};

/// Where datasets are kept: CATENA_CACHE_DIR, else XDG_CACHE_HOME/catena, else ~/.cache/catena.
std::filesystem::path cache_folder();

/// Makes sure that all files lie in `folder`, downloading what is missing from the first of `base_urls` that
/// has it. A file is stored only when its sha256 is right. FileError, saying what to do without a network,
/// when none of the addresses answers or the content is another.
void download_missing(const std::filesystem::path& folder, const std::vector<RemoteFile>& files,
                      const std::vector<std::string>& base_urls);

}  // namespace catena
