#include "frontend/dataset/text_dataset.h"

#include <algorithm>
#include <cstring>

#include "runtime/core/memory/out_of_memory.h"
#include "runtime/file/file.h"
#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"

namespace catena {

struct TextDataset::File {
    explicit File(const std::string& path) : reader(path), begins{reader.text_begin()} {
        std::string block(size_t(1) << 20, '\0');
        for (uint64_t at = begins[0]; at < reader.size();) {
            const size_t bytes = size_t(std::min<uint64_t>(block.size(), reader.size() - at));
            reader.read_at(at, block.data(), bytes);
            for (size_t i = 0; i < bytes; ++i)
                if (block[i] == '\n') begins.push_back(at + i + 1);
            at += bytes;
        }
        if (begins.back() != reader.size())
            begins.push_back(reader.size());  // A last line without line
                                              // break.
    }
    int64_t size() const { return int64_t(begins.size()) - 1; }
    std::string line(int64_t i) const {
        const uint64_t begin = begins[size_t(i)], end = begins[size_t(i) + 1];
        std::string text(size_t(end - begin), '\0');
        if (!text.empty()) reader.read_at(begin, text.data(), text.size());
        if (text.ends_with('\n')) text.pop_back();
        if (text.ends_with('\r')) text.pop_back();
        return text;
    }

    FileReader reader;
    std::vector<uint64_t> begins;  ///< Where each line begins, and where the last one ends.
};

TextDataset::TextDataset(std::vector<std::string> paths, TextDatasetOptions options) try {
    if (paths.empty()) fail<ValueError>("TextDataset: no file is given");
    for (const std::string& path : paths) {
        files_.push_back(std::make_shared<const File>(path));
        if (files_.back()->size() != files_[0]->size())
            fail<FileError>("TextDataset: {} has {} lines, {} has {}", paths[0], files_[0]->size(),
                            path, files_.back()->size());
    }
    auto kept = std::make_shared<std::vector<int64_t>>();
    for (int64_t i = 0; i < files_[0]->size(); ++i) {
        if (options.filter_func) {
            std::vector<std::string> lines;
            for (const auto& file : files_) lines.push_back(file->line(i));
            if (!options.filter_func(lines)) continue;
        }
        kept->push_back(i);
    }
    lines_ = std::move(kept);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("TextDataset");
}

std::vector<std::string> TextDataset::texts(int64_t i) const {
    if (i < 0 || i >= size())
        fail<ValueError>("TextDataset: there is no line {}; there are {}", i, size());
    std::vector<std::string> texts;
    for (const auto& file : files_) texts.push_back(file->line((*lines_)[size_t(i)]));
    return texts;
}

TextDataset::TextDataset(std::initializer_list<std::string> paths, TextDatasetOptions options)
    : TextDataset(std::vector<std::string>(paths), std::move(options)) {}
TextDataset::TextDataset(std::string path, TextDatasetOptions options)
    : TextDataset(std::vector<std::string>{std::move(path)}, std::move(options)) {}

Example TextDataset::get_example(int64_t i) const try {
    std::vector<Array> values;
    for (const std::string& text : texts(i)) {
        values.push_back(Array::empty({Dtype::uint8, {int64_t(text.size())}}, cpu_device()));
        if (!text.empty()) std::memcpy(values.back().to_fill(), text.data(), text.size());
    }
    if (values.size() == 1) return Example(std::move(values[0]));
    return Example(std::move(values));
} catch (const std::bad_alloc&) {
    throw_out_of_memory("TextDataset");
}

std::string text_of(const Array& line) {
    Array bytes = line.to(cpu_device()).as_contiguous();
    const uint8_t* data = bytes.elements<uint8_t>();
    return {data, data + bytes.size()};
}

}  // namespace catena
