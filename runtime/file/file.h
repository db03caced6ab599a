#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string>

namespace catena {

/// Bytes in order, with a name for error messages.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// Exactly `bytes` bytes; FileError naming file and offset when there are fewer.
    virtual void read(void* to, size_t bytes) = 0;
    /// The number of bytes before the next one to be read.
    virtual uint64_t offset() const = 0;
    /// Upper bound of the bytes left, to reject larger declared sizes.
    virtual uint64_t remaining() const = 0;
    /// The name for error messages.
    virtual const std::string& name() const = 0;
};

/// Opens a regular file for reading. Anything else, such as a pipe (which blocks) or a device
/// (which may be endless), is rejected without opening it. Negative on failure, with the reason in
/// `problem`.
int open_regular_file(const char* path, std::string& problem);

/// A buffer of `bytes` for file `name`; OutOfMemory naming it.
std::string file_buffer(uint64_t bytes, const std::string& name);

/// A file open for reading at any offset.
class FileReader {
public:
    /// Opens the file. FileError with the system's reason.
    explicit FileReader(std::string path);
    /// Bytes in memory, such as a stream's; `name` stands for the path in messages.
    FileReader(std::string name, std::string content);
    ~FileReader();
    FileReader(const FileReader&) = delete;
    /// The file's name.
    const std::string& path() const { return path_; }
    /// The file's size in bytes.
    uint64_t size() const { return size_; }
    /// Reads bytes at an offset; FileError past the end.
    void read_at(uint64_t offset, void* to, size_t bytes) const;
    /// The whole content. FileError when it cannot be read.
    std::string read_all() const;
    /// The offset of a text's first character: behind a UTF-8 byte order mark (U+FEFF), which some
    /// editors write; 0 where there is none.
    uint64_t text_begin() const;
    /// The text from text_begin() on.
    std::string read_text() const;

private:
    std::string path_, content_;
    int descriptor_ = -1;  ///< The file's descriptor; negative: the content is in memory.
    uint64_t size_ = 0;
};

/// Part of a file as a source.
class FileSource final : public ByteSource {
public:
    /// The bytes [begin, end) of a file, which must outlive it.
    FileSource(const FileReader& file, uint64_t begin, uint64_t end, std::string name)
        : file_(file), at_(begin), end_(end), name_(std::move(name)) {}
    void read(void* to, size_t bytes) override;
    uint64_t offset() const override { return at_; }
    uint64_t remaining() const override { return end_ - at_; }
    const std::string& name() const override { return name_; }

private:
    const FileReader& file_;
    uint64_t at_, end_;
    std::string name_;
};

/// Removes from `folder` the temporary files (NAME.partial-XXXXXX) that AtomicFiles of terminated
/// processes have left, if `wanted` returns true for NAME. Files still being written are locked and
/// stay.
void remove_abandoned(const std::string& folder,
                      const std::function<bool(const std::string& name)>& wanted);

/// Replaces a file atomically: writes a temporary file in the same folder, syncs it and renames it
/// in commit(). Until then, and without commit(), an existing file of that name is unchanged.
class AtomicFile {
public:
    /// Opens the temporary file. FileError when the folder cannot be written, or where `path` is a
    /// pipe, device or folder.
    explicit AtomicFile(std::string path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    /// Appends bytes. FileError on failure, such as a full disk.
    void write(const void* from, size_t bytes);
    /// The number of bytes written so far.
    uint64_t offset() const { return offset_; }
    /// Puts the file in its place. FileError when that fails.
    void commit();

private:
    [[noreturn]] void give_up(const char* doing, int error);
    void flush();
    std::string path_, temporary_;
    int descriptor_ = -1;
    uint64_t offset_ = 0;
    std::string buffer_;
};

}  // namespace catena
