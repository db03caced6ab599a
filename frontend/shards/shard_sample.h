#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/dataset/example.h"

namespace catena {

/// A sample of a tar shard: files behind each other in the archive whose names differ only in the
/// extension, as WebDataset has them. `cats/000012.jpg` and `cats/000012.seg.png` are the files
/// "jpg" and "seg.png" of the sample with the key `cats/000012`: the extension begins at the first
/// dot of the last part of the name, and its letters are read as small ones.
struct ShardSample {
    std::string key;    ///< The name of the sample's files without the extension.
    std::string shard;  ///< The path of the tar file.
    int64_t index = 0;  ///< The sample's number in the tar file, from 0.
    /// Extensions and contents, in the order of the archive.
    std::vector<std::pair<std::string, std::string>> files;

    /// Whether the sample has a file with this extension.
    bool has(std::string_view extension) const;
    /// The content of the file with this extension; FileError, which lists those that there are.
    const std::string& operator[](std::string_view extension) const;
    /// The content of a text file that holds an integer, as `.cls` does; FileError for another.
    int64_t integer(std::string_view extension) const;
    /// The file's name in errors: "train-0000.tar: cats/000012.jpg".
    std::string name(std::string_view extension) const;
    /// The number of bytes of the sample's files.
    uint64_t bytes() const;
};

/// The sample as a dict: "__key__", and under each extension the bytes of the file, as
/// uint8[length]. text_of() makes texts of them.
Example example_of(const ShardSample& sample);

}  // namespace catena
