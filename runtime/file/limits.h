#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace catena {

/// How much a file may ask for. A few bytes can announce petabytes, a million entries or brackets within brackets until
/// the stack ends; every reader asks here whether to believe them. See docs/security.md.
struct FileLimits {
    /// Bytes of content that any file may announce, however small it is. CATENA_FILE_LIMIT_MB sets it.
    uint64_t bytes = uint64_t(1) << 30;
    /// A file may announce more than `bytes` if it is no more than this times its own size.
    uint64_t ratio = 100;
    uint64_t entries = uint64_t(1) << 20;  ///< Of an archive.
    uint64_t json = uint64_t(64) << 20;    ///< Bytes of a JSON document: it takes ten times as much once it is read.
    int depth = 100;                       ///< Its brackets within brackets.
    int64_t steps = int64_t(1) << 22;      ///< Loop bodies and branches that one run of a model may take.
};

/// Those in force, of the whole process: the defaults and the environment, unless set_file_limits() was called.
FileLimits file_limits();
void set_file_limits(const FileLimits& limits);

/// What one file has asked for so far, against file_limits() as they were at its opening.
class FileBudget {
public:
    FileBudget(std::string name, uint64_t file_bytes);
    /// `what` announces so many bytes more; FileError naming file, bytes and limit when it is too much in all.
    void ask(uint64_t bytes, std::string_view what);
    void check_entries(uint64_t entries) const;

private:
    std::string name_;
    FileLimits limits_;
    uint64_t most_, asked_ = 0;
};

/// Before it is parsed: FileError where the document is too large, or brackets and braces (outside of strings) are nested
/// too deep.
void check_json(std::string_view text, const std::string& name);

}  // namespace catena
