#include "frontend/trainer/extensions/snapshot/snapshot_names.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "frontend/trainer/updater.h"
#include "runtime/core/system/error.h"

namespace catena::extensions {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view digits = "0123456789";

}  // namespace

SnapshotNames::SnapshotNames(const std::string& pattern, bool are_ordered) {
    std::string text;
    for (size_t at = 0; at < pattern.size();) {
        const size_t end = pattern[at] == '{' ? pattern.find('}', at) : std::string::npos;
        if (end == std::string::npos) {
            text += pattern[at++];
            continue;
        }
        if (are_ordered && !parts_.empty() && text.find_first_not_of(digits) == text.npos)
            fail<ValueError>(
                "snapshot: in the file name {} two numbers would touch, so that the latest file "
                "could not be told; put a letter or a sign between the fields",
                pattern);
        if (!text.empty()) parts_.push_back({Field::text, std::exchange(text, "")});
        parts_.push_back({field_named(std::string_view(pattern).substr(at + 1, end - at - 1)), ""});
        at = end + 1;
    }
    if (!text.empty()) parts_.push_back({Field::text, text});
}

SnapshotNames::Field SnapshotNames::field_named(std::string_view name) {
    if (name == ".updater.iteration") return Field::iteration;
    if (name == ".updater.epoch") return Field::epoch;
    if (name == ".updater.epoch_detail") return Field::epoch_detail;
    fail<ValueError>(
        "snapshot: the file name has the field {{{}}}; there are {{.updater.iteration}}, "
        "{{.updater.epoch}} and {{.updater.epoch_detail}}",
        name);
}

std::string SnapshotNames::name_for(const Updater& updater) const {
    std::string name;
    for (const Part& part : parts_) {
        if (part.field == Field::text) name += part.text;
        if (part.field == Field::iteration) name += fmt::format("{}", updater.iteration());
        if (part.field == Field::epoch) name += fmt::format("{}", updater.epoch());
        if (part.field == Field::epoch_detail) name += fmt::format("{}", updater.epoch_detail());
    }
    return name;
}

/// Whether `name` is made of the parts from `part` on.
bool SnapshotNames::read(std::string_view name, size_t part, Numbers& numbers) const {
    if (part == parts_.size()) return name.empty();
    const Part& next = parts_[part];
    if (next.field == Field::text)
        return name.starts_with(next.text) &&
               read(name.substr(next.text.size()), part + 1, numbers);
    const std::string_view letters = next.field == Field::epoch_detail ? "0123456789.e+-" : digits;
    for (size_t length = std::min(name.find_first_not_of(letters), name.size()); length > 0;
         --length) {
        double number = 0;
        const char *const begin = name.data(), *const end = begin + length;
        const auto [stop, error] = std::from_chars(begin, end, number);
        if (error != std::errc() || stop != end || number < 0) continue;
        numbers[next.field == Field::iteration      ? 0
                : next.field == Field::epoch_detail ? 1
                                                    : 2] = number;
        if (read(name.substr(length), part + 1, numbers)) return true;
    }
    return false;
}

std::optional<SnapshotNames::Numbers> SnapshotNames::numbers_in(const std::string& name) const {
    Numbers numbers{-1, -1, -1};
    if (!read(name, 0, numbers)) return std::nullopt;
    return numbers;
}

std::vector<std::string> SnapshotNames::files_in(const std::string& folder) const {
    std::vector<std::pair<Numbers, std::string>> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (const auto numbers = numbers_in(entry.path().filename().string());
            numbers && entry.is_regular_file(ignored))
            found.emplace_back(*numbers, entry.path().string());
    std::sort(found.begin(), found.end());
    std::vector<std::string> files;
    for (auto& [numbers, path] : found) files.push_back(std::move(path));
    return files;
}

}  // namespace catena::extensions
