#include "frontend/shards/shard_writer.h"

#include <algorithm>
#include <charconv>

#include "frontend/shards/tar_header.h"
#include "frontend/shards/tar_name.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/file/file.h"

namespace catena {
namespace {

/// "%06d" at `at`: its length and the digits that it asks for.
std::optional<std::pair<size_t, int>> number_place(std::string_view pattern, size_t at) {
    size_t end = at + 1;
    int digits = 1;
    if (end < pattern.size() && pattern[end] == '0') ++end;
    const size_t begin = end;
    while (end < pattern.size() && pattern[end] >= '0' && pattern[end] <= '9') ++end;
    if (end > begin) std::from_chars(pattern.data() + begin, pattern.data() + end, digits);
    constexpr int most_digits = 18;
    if (end >= pattern.size() || pattern[end] != 'd' || digits > most_digits || end - begin > 2)
        return std::nullopt;
    return std::pair{end + 1 - at, digits};
}

/// Why a sample cannot be written; "" if it is read as it is written.
std::string problem_of_sample(std::string_view key, const ShardWriter::Files& files,
                              const std::string& last_key) {
    if (files.empty()) return "has no files";
    if (key == last_key) return "has the key of the sample before, which would be one with it";
    if (key.find('\0') != key.npos) return "has a key with a byte of zero";
    for (size_t i = 0; i < files.size(); ++i) {
        const std::string& extension = files[i].first;
        const std::string name = fmt::format("{}.{}", key, extension);
        const std::optional<TarName> read = split_tar_name(name);
        if (extension.empty() ||
            extension.find_first_of(std::string_view("/\0", 2)) != extension.npos)
            return fmt::format(
                "has the extension '{}', which is empty or has a slash or a byte of "
                "zero",
                printable_name(extension));
        if (!read || read->key != key || read->extension != extension)
            return fmt::format(
                "would be read as {} of '{}': a key has no dot in its last part, an extension "
                "small letters",
                read ? fmt::format("the file '{}'", printable_name(read->extension)) : "no file",
                printable_name(read ? read->key : name));
        for (size_t k = 0; k < i; ++k)
            if (files[k].first == extension)
                return fmt::format("has the extension '{}' twice", printable_name(extension));
    }
    return "";
}

}  // namespace

ShardWriter::ShardWriter(std::string pattern, ShardWriterOptions options) : options_(options) {
    if (options.most_samples < 1 || options.most_bytes < 1)
        fail<ValueError>("ShardWriter: most_samples is {} and most_bytes {}; 1 at least is right",
                         options.most_samples, options.most_bytes);
    const size_t at = pattern.find('%');
    if (at == pattern.npos) {
        before_ = std::move(pattern);
        return;
    }
    const auto place = number_place(pattern, at);
    if (!place || pattern.find('%', at + 1) != pattern.npos)
        fail<ValueError>(
            "ShardWriter: '{}' should have one %06d, with any number of digits, or no %", pattern);
    before_ = pattern.substr(0, at);
    after_ = pattern.substr(at + place->first);
    digits_ = place->second;
}

ShardWriter::~ShardWriter() = default;
ShardWriter::ShardWriter(ShardWriter&&) noexcept = default;
ShardWriter& ShardWriter::operator=(ShardWriter&&) noexcept = default;

std::string ShardWriter::path(int64_t number) const {
    return digits_ < 0 ? before_ : fmt::format("{}{:0{}}{}", before_, number, digits_, after_);
}

void ShardWriter::add_file(std::string_view name, std::string_view content) {
    const std::string header = tar_header(name, content.size());
    const std::string padding = tar_padding(content.size());
    file_->write(header.data(), header.size());
    file_->write(content.data(), content.size());
    file_->write(padding.data(), padding.size());
}

void ShardWriter::write(std::string_view key, const Files& files) try {
    if (const std::string problem = problem_of_sample(key, files, last_key_); !problem.empty())
        fail<ValueError>("ShardWriter: sample {}, '{}', {}", size_, printable_name(key), problem);
    if (file_ && digits_ >= 0 &&
        (in_shard_ >= options_.most_samples || file_->offset() >= options_.most_bytes))
        finish();
    if (!file_) {
        if (digits_ < 0 && !shards_.empty())
            fail<ValueError>("ShardWriter: write() after finish(), which has completed {}",
                             shards_[0]);
        file_ = Owned<AtomicFile>(new AtomicFile(path(int64_t(shards_.size()))));
        in_shard_ = 0;
    }
    for (const auto& [extension, content] : files)
        add_file(fmt::format("{}.{}", key, extension), content);
    last_key_ = key;
    ++in_shard_;
    ++size_;
} catch (const std::bad_alloc&) {
    throw_out_of_memory("ShardWriter", "write");
}

void ShardWriter::finish() try {
    if (!file_) return;
    const std::string end = tar_end();
    file_->write(end.data(), end.size());
    file_->commit();
    file_.reset();
    shards_.push_back(path(int64_t(shards_.size())));
} catch (const std::bad_alloc&) {
    throw_out_of_memory("ShardWriter", "finish");
}

}  // namespace catena
