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
    /// False leaves a line out; it is given the line of every file.
    std::function<bool(const std::vector<std::string>& lines)> filter_func = {};
};

/// The lines of a text file, or of several with equally many: line i of each. What is kept in memory is where lines
/// begin; "\n" and "\r\n" end one and are not part of it. Bytes are taken as they are (UTF-8 as a rule).
///
/// As an example a line is uint8[length]; with several files the example is a tuple. TransformDataset makes words of it.
class TextDataset final : public DatasetMixin {
public:
    /// FileError when a file cannot be read or has another number of lines than the first.
    explicit TextDataset(std::vector<std::string> paths, TextDatasetOptions options = {});
    TextDataset(std::initializer_list<std::string> paths, TextDatasetOptions options = {})
        : TextDataset(std::vector<std::string>(paths), std::move(options)) {}
    explicit TextDataset(std::string path, TextDatasetOptions options = {})
        : TextDataset(std::vector<std::string>{std::move(path)}, std::move(options)) {}
    int64_t size() const override { return int64_t(lines_->size()); }
    Example get_example(int64_t i) const override;
    std::vector<std::string> texts(int64_t i) const;  ///< Line i of every file.

private:
    struct File;
    std::vector<std::shared_ptr<const File>> files_;
    std::shared_ptr<const std::vector<int64_t>> lines_;  ///< Those that the filter leaves.
};

/// The text of an example's value, uint8[length].
std::string text_of(const Array& line);

}  // namespace catena
