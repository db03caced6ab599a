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
    std::string root = ".";  ///< The folder that paths are relative to.
    /// Dtype of the pixels, which are 0 to 255 and not scaled; config().dtype unless given.
    std::optional<Dtype> dtype = {};
    Dtype label_dtype = Dtype::int32;
};

/// A dataset of images (PNG, JPEG) as [channels, height, width], read on access.
class ImageDataset final : public DatasetMixin {
public:
    explicit ImageDataset(std::vector<std::string> paths, const ImageDatasetOptions& options = {});
    ImageDataset(std::initializer_list<std::string> paths, const ImageDatasetOptions& options = {})
        : ImageDataset(std::vector<std::string>(paths), options) {}
    /// Reads the paths from a text file with one path per line.
    explicit ImageDataset(const std::string& list_file, const ImageDatasetOptions& options = {});
    int64_t size() const override { return int64_t(paths_.size()); }
    Example get_example(int64_t i) const override;
    std::string described(int64_t i) const override {
        return "example " + std::to_string(i) + ", " + path(i);
    }

private:
    std::string path(int64_t i) const;
    std::vector<std::string> paths_;
    std::string root_;
    Dtype dtype_;
};

/// A dataset of images with integer labels: tuples of image and label.
class LabeledImageDataset final : public DatasetMixin {
public:
    explicit LabeledImageDataset(const std::vector<std::pair<std::string, int64_t>>& pairs,
                                 const ImageDatasetOptions& options = {});
    /// Reads a text file with "PATH LABEL" lines; paths may contain blanks. FileError naming a
    /// malformed line.
    explicit LabeledImageDataset(const std::string& list_file,
                                 const ImageDatasetOptions& options = {});
    int64_t size() const override { return images_.size(); }
    Example get_example(int64_t i) const override;
    std::string described(int64_t i) const override { return images_.described(i); }

private:
    std::vector<int64_t> labels_;
    ImageDataset images_;
    Dtype label_dtype_;
};

/// A dataset of all images in zip files, archive after archive, sorted by name; other files are
/// ignored.
class ZippedImageDataset final : public DatasetMixin {
public:
    explicit ZippedImageDataset(const std::string& zip_file, std::optional<Dtype> dtype = {})
        : ZippedImageDataset(std::vector<std::string>{zip_file}, dtype) {}
    /// Opens several zip files, as Chainer's MultiZippedImageDataset.
    explicit ZippedImageDataset(const std::vector<std::string>& zip_files,
                                std::optional<Dtype> dtype = {});
    int64_t size() const override;
    Example get_example(int64_t i) const override;
    /// Name of image i in its archive.
    const std::string& name(int64_t i) const;
    std::string described(int64_t i) const override {
        return "example " + std::to_string(i) + ", " + name(i);
    }

private:
    struct Archives;
    std::shared_ptr<const Archives> archives_;
    Dtype dtype_;
};

/// A dataset of images in a zip file with labels; the text file has "NAME LABEL" lines.
class LabeledZippedImageDataset final : public DatasetMixin {
public:
    LabeledZippedImageDataset(const std::string& zip_file, const std::string& label_file,
                              const ImageDatasetOptions& options = {});
    int64_t size() const override { return int64_t(pictures_.size()); }
    Example get_example(int64_t i) const override;
    std::string described(int64_t i) const override {
        return images_.described(pictures_[size_t(i)].first);
    }

private:
    ZippedImageDataset images_;
    /// For each example, the image's index in the archive and its label.
    std::vector<std::pair<int64_t, int64_t>> pictures_;
    Dtype label_dtype_;
};

}  // namespace catena
