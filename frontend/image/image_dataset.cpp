#include "frontend/image/image_dataset.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

#include "frontend/image/image.h"
#include "runtime/core/system/ascii.h"
#include "runtime/file/file.h"
#include "runtime/file/zip_reader.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/settings/config.h"

namespace catena {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
    std::istringstream file(FileReader(path).read_text());
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        if (line.ends_with('\r')) line.pop_back();
        lines.push_back(line);
    }
    return lines;
}

/// "PATH LABEL"; blank lines are left out.
std::vector<std::pair<std::string, int64_t>> pairs_of(const std::string& path) {
    std::vector<std::pair<std::string, int64_t>> pairs;
    const std::vector<std::string> lines = lines_of(path);
    for (size_t i = 0; i < lines.size(); ++i) {
        const std::string& line = lines[i];
        if (line.find_first_not_of(" \t") == line.npos) continue;
        const size_t blank = line.find_last_of(" \t"), end = line.find_last_not_of(" \t", blank);
        int64_t label = 0;
        const char *begin = line.data() + (blank == line.npos ? line.size() : blank + 1),
                   *last = line.data() + line.size();
        auto [stop, error] = std::from_chars(begin, last, label);
        if (blank == line.npos || end == line.npos || error != std::errc() || stop != last)
            fail<FileError>("{}: line {} is '{}', not a path and an integer label", path, i + 1,
                            line);
        pairs.emplace_back(line.substr(0, end + 1), label);
    }
    return pairs;
}

std::vector<std::string> paths_of(const std::string& list_file) {
    std::vector<std::string> paths;
    for (std::string& line : lines_of(list_file))
        if (!line.empty()) paths.push_back(std::move(line));
    return paths;
}

template <class Pairs>
std::vector<std::string> firsts(const Pairs& pairs) {
    std::vector<std::string> all;
    for (auto& [first, second] : pairs) all.push_back(first);
    return all;
}
template <class Pairs>
std::vector<int64_t> seconds(const Pairs& pairs) {
    std::vector<int64_t> all;
    for (auto& [first, second] : pairs) all.push_back(second);
    return all;
}

Array label_array(int64_t label, Dtype dtype) {
    DeviceScope host(cpu_device());
    return Array::scalar(label).astype(dtype);
}

bool is_picture(const std::string& path) {
    const std::string name = ascii::to_lower(path);
    return name.ends_with(".png") || name.ends_with(".jpg") || name.ends_with(".jpeg");
}

}  // namespace

ImageDataset::ImageDataset(std::vector<std::string> paths, const ImageDatasetOptions& options)
    : paths_(std::move(paths)),
      root_(options.root),
      dtype_(options.dtype.value_or(config().dtype)) {}

ImageDataset::ImageDataset(const std::string& list_file, const ImageDatasetOptions& options)
    : ImageDataset(paths_of(list_file), options) {}

std::string ImageDataset::path(int64_t i) const {
    const std::string& path = paths_[size_t(i)];
    return path.starts_with('/') || root_.empty() ? path : root_ + "/" + path;
}

Example ImageDataset::get_example(int64_t i) const { return read_image(path(i)).astype(dtype_); }

LabeledImageDataset::LabeledImageDataset(const std::vector<std::pair<std::string, int64_t>>& pairs,
                                         const ImageDatasetOptions& options)
    : labels_(seconds(pairs)), images_(firsts(pairs), options), label_dtype_(options.label_dtype) {}

LabeledImageDataset::LabeledImageDataset(const std::string& list_file,
                                         const ImageDatasetOptions& options)
    : LabeledImageDataset(pairs_of(list_file), options) {}

Example LabeledImageDataset::get_example(int64_t i) const {
    return {images_.get_example(i)[0], label_array(labels_[size_t(i)], label_dtype_)};
}

struct ZippedImageDataset::Archives {
    std::vector<std::unique_ptr<ZipReader>> files;
    std::vector<std::pair<const ZipReader*, const ZipEntry*>> pictures;
};

ZippedImageDataset::ZippedImageDataset(const std::vector<std::string>& zip_files,
                                       std::optional<Dtype> dtype)
    : dtype_(dtype.value_or(config().dtype)) {
    auto archives = std::make_shared<Archives>();
    for (const std::string& path : zip_files) {
        archives->files.push_back(std::make_unique<ZipReader>(path));
        const ZipReader* zip = archives->files.back().get();
        const size_t first = archives->pictures.size();
        for (const ZipEntry& entry : zip->entries())
            if (is_picture(entry.name)) archives->pictures.emplace_back(zip, &entry);
        std::sort(archives->pictures.begin() + std::ptrdiff_t(first), archives->pictures.end(),
                  [](const auto& a, const auto& b) { return a.second->name < b.second->name; });
    }
    archives_ = std::move(archives);
}

int64_t ZippedImageDataset::size() const { return int64_t(archives_->pictures.size()); }

const std::string& ZippedImageDataset::name(int64_t i) const {
    return archives_->pictures.at(size_t(i)).second->name;
}

Example ZippedImageDataset::get_example(int64_t i) const {
    auto [zip, entry] = archives_->pictures[size_t(i)];
    std::string bytes;
    std::unique_ptr<ByteSource> source = zip->open(*entry);
    while (bytes.size() < entry->bytes) {  // Grows with the data actually read.
        const size_t begin = bytes.size(),
                     part = size_t(std::min<uint64_t>(entry->bytes - begin, 1 << 20));
        bytes.resize(begin + part);
        source->read(bytes.data() + begin, part);
    }
    return decode_image(bytes, zip->path() + ": " + entry->name).astype(dtype_);
}

LabeledZippedImageDataset::LabeledZippedImageDataset(const std::string& zip_file,
                                                     const std::string& label_file,
                                                     const ImageDatasetOptions& options)
    : images_(zip_file, options.dtype), label_dtype_(options.label_dtype) {
    std::map<std::string, int64_t> places;
    for (int64_t i = 0; i < images_.size(); ++i) places[images_.name(i)] = i;
    for (auto& [name, label] : pairs_of(label_file)) {
        auto found = places.find(name);
        if (found == places.end())
            fail<FileError>("{}: there is no image '{}' in {}", label_file, name, zip_file);
        pictures_.emplace_back(found->second, label);
    }
}

Example LabeledZippedImageDataset::get_example(int64_t i) const {
    auto [place, label] = pictures_[size_t(i)];
    return {images_.get_example(place)[0], label_array(label, label_dtype_)};
}

}  // namespace catena
