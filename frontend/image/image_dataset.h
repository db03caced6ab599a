#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/dataset/dataset.h"

namespace catena {

struct ImageDatasetOptions {
    std::string root = ".";         ///< Folder that paths are relative to.
    std::optional<Dtype> dtype = {};  ///< Of the pixels, 0 to 255 and not scaled; config().dtype unless given.
    Dtype label_dtype = Dtype::int32;
};

/// Pictures (PNG, JPEG) as [channels, height, width], read when they are asked for.
class ImageDataset final : public DatasetMixin {
public:
    explicit ImageDataset(std::vector<std::string> paths, const ImageDatasetOptions& options = {});
    ImageDataset(std::initializer_list<std::string> paths, const ImageDatasetOptions& options = {})
        : ImageDataset(std::vector<std::string>(paths), options) {}
    /// A text file with one path a line.
    explicit ImageDataset(const std::string& list_file, const ImageDatasetOptions& options = {});
    int64_t size() const override { return int64_t(paths_.size()); }
    Example get_example(int64_t i) const override;

private:
    std::vector<std::string> paths_;
    std::string root_;
    Dtype dtype_;
};

/// Pictures with an integer each: tuples of a picture and a label.
class LabeledImageDataset final : public DatasetMixin {
public:
    explicit LabeledImageDataset(const std::vector<std::pair<std::string, int64_t>>& pairs,
                                 const ImageDatasetOptions& options = {});
    /// A text file with "PATH LABEL" a line; paths may have blanks. FileError naming the line that is not so.
    explicit LabeledImageDataset(const std::string& list_file, const ImageDatasetOptions& options = {});
    int64_t size() const override { return images_.size(); }
    Example get_example(int64_t i) const override;

private:
    std::vector<int64_t> labels_;
    ImageDataset images_;
    Dtype label_dtype_;
};

/// Every picture of zip files, archive after archive, in the order of their names; other files in them are left out.
class ZippedImageDataset final : public DatasetMixin {
public:
    explicit ZippedImageDataset(const std::string& zip_file, std::optional<Dtype> dtype = {})
        : ZippedImageDataset(std::vector<std::string>{zip_file}, dtype) {}
    /// Chainer's MultiZippedImageDataset.
    explicit ZippedImageDataset(const std::vector<std::string>& zip_files, std::optional<Dtype> dtype = {});
    int64_t size() const override;
    Example get_example(int64_t i) const override;
    const std::string& name(int64_t i) const;  ///< Of picture i inside its archive.

private:
    struct Archives;
    std::shared_ptr<const Archives> archives_;
    Dtype dtype_;
};

/// Pictures of a zip file with labels; the text file says "NAME LABEL" a line.
class LabeledZippedImageDataset final : public DatasetMixin {
public:
    LabeledZippedImageDataset(const std::string& zip_file, const std::string& label_file,
                              const ImageDatasetOptions& options = {});
    int64_t size() const override { return int64_t(pictures_.size()); }
    Example get_example(int64_t i) const override;

private:
    ZippedImageDataset images_;
    std::vector<std::pair<int64_t, int64_t>> pictures_;  ///< Place in the archive, label.
    Dtype label_dtype_;
};

}  // namespace catena
