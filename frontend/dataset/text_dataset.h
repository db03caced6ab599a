#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/dataset/dataset.h"

namespace catena {

/// Options of a TextDataset.
struct TextDatasetOptions {
    /// A function called with the line of every file; returns false to skip the line.
    std::function<bool(const std::vector<std::string>& lines)> filter_func = {};
};

/// A dataset of the lines of a text file, or of several with equally many lines: example i is line
/// i of each. Only the offsets of lines are stored in memory; "\n" and "\r\n" end a line and are
/// not part of it. Bytes are not decoded (usually UTF-8).
///
/// As an example a line is uint8[length]; with several files the example is a tuple. Use
/// TransformDataset to split it into words.
class TextDataset final : public DatasetMixin {
public:
    /// Opens the files. FileError when one cannot be read or the numbers of lines differ.
    explicit TextDataset(std::vector<std::string> paths, TextDatasetOptions options = {});
    TextDataset(std::initializer_list<std::string> paths, TextDatasetOptions options = {});
    explicit TextDataset(std::string path, TextDatasetOptions options = {});
    int64_t size() const override { return int64_t(lines_->size()); }
    Example get_example(int64_t i) const override;
    /// Line i of every file.
    std::vector<std::string> texts(int64_t i) const;

private:
    struct File;
    std::vector<std::shared_ptr<const File>> files_;
    /// The lines that pass the filter; null: all.
    std::shared_ptr<const std::vector<int64_t>> lines_;
};

/// The text of an example's value, uint8[length].
std::string text_of(const Array& line);

}  // namespace catena
