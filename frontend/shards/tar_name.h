#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace catena {

/// A name from a tar file for messages: bytes that a terminal would obey become \xNN, and a long
/// name is cut.
std::string printable_name(std::string_view name);

/// The two parts of a file's name in a shard.
struct TarName {
    std::string key, extension;
};

/// Key and extension of a name by WebDataset's convention, see ShardSample; none for a name that
/// belongs to no sample: without an extension, or `__NAME__`, which is about the archive.
std::optional<TarName> split_tar_name(std::string_view name);

}  // namespace catena
