#include "runtime/file/limits.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include <unistd.h>

#include "runtime/core/system/environment.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/fork.h"

namespace catena {
namespace {

constexpr const char* variable = "CATENA_FILE_LIMIT_MB";
constexpr const char* advice = "set CATENA_FILE_LIMIT_MB or call set_file_limits() if you trust it";

struct Setting {
    std::mutex& mutex = taken_by_forks(*new std::mutex);
    std::optional<FileLimits> limits;
};

Setting& setting() {
    static Setting& instance = *new Setting;  // Readers may run while statics are destroyed.
    return instance;
}

uint64_t product_or_most(uint64_t a, uint64_t b) {
    uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? ~uint64_t(0) : product;
}

}  // namespace

FileLimits file_limits() {
    Setting& s = setting();
    const std::lock_guard lock(s.mutex);
    if (!s.limits) {
        FileLimits limits;
        if (auto megabytes = environment::whole_number(variable, 1, int64_t(1) << 40))
            limits.bytes = uint64_t(*megabytes) << 20;
        s.limits = limits;
    }
    return *s.limits;
}

void set_file_limits(const FileLimits& limits) {
    if (limits.depth < 1 || limits.steps < 1 || limits.entries < 1)
        fail<ValueError>(
            "set_file_limits: depth {}, steps {} and entries {} should each be at least 1",
            limits.depth, limits.steps, limits.entries);
    Setting& s = setting();
    const std::lock_guard lock(s.mutex);
    s.limits = limits;
}

uint64_t memory_limit() {
    if (const uint64_t set = file_limits().memory) return set;
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? uint64_t(pages) * uint64_t(bytes) : ~uint64_t(0);
}

FileBudget::FileBudget(std::string name, uint64_t file_bytes)
    : name_(std::move(name)),
      limits_(file_limits()),
      file_bytes_(file_bytes),
      most_(std::max(limits_.bytes, product_or_most(file_bytes, limits_.ratio))) {}

void FileBudget::add_file(const std::string& path, uint64_t bytes) {
    if (!files_.insert(path).second) return;
    file_bytes_ += bytes;
    most_ = std::max(limits_.bytes, product_or_most(file_bytes_, limits_.ratio));
}

void FileBudget::ask(uint64_t bytes, std::string_view what) {
    if (bytes > most_ - asked_)
        fail<FileError>(
            "{}: {} declares {} bytes after {} others; a file of its size may declare {} in total; "
            "{}",
            name_, what, bytes, asked_, most_, advice);
    asked_ += bytes;
}

void FileBudget::check_entries(uint64_t entries) const {
    if (entries > limits_.entries)
        fail<FileError>(
            "{}: declares {} entries; at most {} are allowed; call set_file_limits() if you trust "
            "it",
            name_, entries, limits_.entries);
}

void check_json(std::string_view text, const std::string& name) {
    const FileLimits limits = file_limits();
    if (text.size() > limits.json)
        fail<FileError>(
            "{}: is JSON of {} bytes; at most {} are allowed; call set_file_limits() if you trust "
            "it",
            name, text.size(), limits.json);
    const int most = limits.depth;
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            if (c == '"') quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > most)
                fail<FileError>(
                    "{}: brackets are nested deeper than {} at byte {}; call set_file_limits() if "
                    "you trust it",
                    name, most, i);
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
}

}  // namespace catena
