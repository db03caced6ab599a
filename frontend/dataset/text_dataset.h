#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/dataset/dataset.h"

namespace catena {

struct TextDatasetOptions {
    /// Returns false to skip a line; called with the line of every file.
    std::function<bool(const std::vector<std::string>& lines)> filter_func = {};
};

/// The lines of a text file, or of several with equally many lines: line i of each. Only the
/// offsets of lines are kept in memory; "\n" and "\r\n" end a line and are not part of it. Bytes
/// are not decoded (usually UTF-8).
///
/// As an example a line is uint8[length]; with several files the example is a tuple. Use
/// TransformDataset to split it into words.
class TextDataset final : public DatasetMixin {
public:
    /// FileError when a file cannot be read or the numbers of lines differ.
    explicit TextDataset(std::vector<std::string> paths, TextDatasetOptions options = {});
    TextDataset(std::initializer_list<std::string> paths, TextDatasetOptions options = {});
    explicit TextDataset(std::string path, TextDatasetOptions options = {});
    int64_t size() const override { return int64_t(lines_->size()); }
    Example get_example(int64_t i) const override;
    std::vector<std::string> texts(int64_t i) const;  ///< Line i of every file.

private:
    struct File;
    std::vector<std::shared_ptr<const File>> files_;
    std::shared_ptr<const std::vector<int64_t>> lines_;  ///< The lines that pass the filter.
};

/// The text of an example's value, uint8[length].
std::string text_of(const Array& line);

}  // namespace catena
