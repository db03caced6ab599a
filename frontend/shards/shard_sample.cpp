#include "frontend/shards/shard_sample.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "frontend/shards/tar_name.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

const std::string* find_file(const ShardSample& sample, std::string_view extension) {
    for (const auto& [name, content] : sample.files)
        if (name == extension) return &content;
    return nullptr;
}

Array bytes_of(std::string_view text) {
    Array array = Array::empty({Dtype::uint8, {int64_t(text.size())}}, cpu_device());
    if (!text.empty()) std::memcpy(array.to_fill(), text.data(), text.size());
    return array;
}

}  // namespace

bool ShardSample::has(std::string_view extension) const {
    return find_file(*this, extension) != nullptr;
}

const std::string& ShardSample::operator[](std::string_view extension) const {
    if (const std::string* content = find_file(*this, extension)) return *content;
    std::string all;
    for (const auto& [name, content] : files)
        all += (all.empty() ? "." : ", .") + printable_name(name);
    fail<FileError>("{}: sample {}, '{}', has no file '.{}'; it has {}", shard, index,
                    printable_name(key), extension, all);
}

int64_t ShardSample::integer(std::string_view extension) const {
    const std::string& content = (*this)[extension];
    std::string_view text = content;
    constexpr std::string_view blanks = " \t\r\n";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    text = text.substr(0, text.find_last_not_of(blanks) + 1);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        fail<FileError>("{}: '{}' is no integer", name(extension),
                        printable_name(content.substr(0, 40)));
    return value;
}

std::string ShardSample::name(std::string_view extension) const {
    return fmt::format("{}: {}.{}", shard, printable_name(key), printable_name(extension));
}

uint64_t ShardSample::bytes() const {
    uint64_t bytes = 0;
    for (const auto& [name, content] : files) bytes += content.size();
    return bytes;
}

Example example_of(const ShardSample& sample) try {
    std::vector<std::string> keys{"__key__"};
    std::vector<Array> values{bytes_of(sample.key)};
    for (const auto& [name, content] : sample.files) {
        keys.push_back(name);
        values.push_back(bytes_of(content));
    }
    return {std::move(keys), std::move(values)};
} catch (const std::bad_alloc&) {
    throw_out_of_memory("example_of");
}

}  // namespace catena
