#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace catena {

/// Extracts the regular files of these names from a .tar.gz archive, whatever folders they are in
/// there, and stores them in `folder`. Other members are skipped. FileError when one is missing, or
/// the archive is damaged; of an archive whose checksum is wrong nothing is stored.
void unpack_tar_gz(const std::filesystem::path& archive, const std::filesystem::path& folder,
                   std::vector<std::string> names);

}  // namespace catena
