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
    uint64_t entries = uint64_t(1) << 20;  ///< Of an archive.
    uint64_t json =
        uint64_t(64) << 20;  ///< Bytes of a JSON document: parsed, it takes ten times as much.
    int depth = 100;         ///< Depth of nested brackets.
    int64_t steps =
        int64_t(1) << 22;  ///< Loop bodies and branches that one run of a model may take.
    /// Bytes of arrays at a time that one run of a model or program may take beyond what there was;
    /// 0: as much memory as the machine has.
    uint64_t memory = 0;
};

/// The process's current limits: the defaults and the environment, unless set_file_limits() was
/// called.
FileLimits file_limits();
void set_file_limits(const FileLimits& limits);
/// FileLimits::memory, or the machine's.
uint64_t memory_limit();

/// The bytes declared by one file so far, checked against file_limits() at its opening.
class FileBudget {
public:
    FileBudget(std::string name, uint64_t file_bytes);
    /// Adds `bytes` declared by `what`; FileError naming file, bytes and limit when the total is
    /// too large.
    void ask(uint64_t bytes, std::string_view what);
    /// A file beside it, whose content counts as its own; once, whatever names it.
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
