#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace catena {

/// Limits for what a file may declare: a few bytes can declare petabytes, a million entries, or
/// nesting that overflows the stack. Every reader checks declared sizes here. See docs/security.md.
struct FileLimits {
    /// Bytes of content that any file may declare, however small it is. CATENA_FILE_LIMIT_MB sets
    /// it.
    uint64_t bytes = uint64_t(1) << 30;
    /// A file may declare more than `bytes` up to this many times its own size.
    uint64_t ratio = 100;
    uint64_t entries = uint64_t(1) << 20;  ///< The largest number of entries of an archive.
    /// The largest JSON document, in bytes: parsed, it takes ten times as much memory.
    uint64_t json = uint64_t(64) << 20;
    int depth = 100;  ///< The largest depth of nested brackets.
    /// The largest number of loop bodies and branches that one run of a model may execute.
    int64_t steps = int64_t(1) << 22;
    /// The most bytes of arrays that one run of a model or program may take at a time, beyond what
    /// was in use before; 0: as much memory as the machine has.
    uint64_t memory = 0;
};

/// The process's current limits: the defaults and the environment, unless set_file_limits() was
/// called.
FileLimits file_limits();
void set_file_limits(const FileLimits& limits);
/// FileLimits::memory, or the machine's memory if that is 0.
uint64_t memory_limit();

/// The bytes declared by one file so far, checked against file_limits() at its opening.
class FileBudget {
public:
    FileBudget(std::string name, uint64_t file_bytes);
    /// Adds `bytes` declared by `what`; FileError naming file, bytes and limit when the total is
    /// too large.
    void ask(uint64_t bytes, std::string_view what);
    /// Adds the size of a further file whose content counts as this one's own; each path once,
    /// however often it is named.
    void add_file(const std::string& path, uint64_t bytes);
    void check_entries(uint64_t entries) const;

private:
    std::string name_;
    FileLimits limits_;
    uint64_t file_bytes_, most_, asked_ = 0;
    std::set<std::string> files_;
};

/// Call before parsing: FileError if the document is too large, or brackets and braces (outside of
/// strings) are nested too deep.
void check_json(std::string_view text, const std::string& name);

}  // namespace catena
