#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace catena {

/// The files of a tar archive one after the other (ustar, pax, GNU and v7; plain or gzip), by
/// libarchive. Nothing is written to the disk. Folders are passed over. FileError naming file and
/// entry for what is damaged, cut off, a link, a device or a file with holes, and for names and
/// sizes beyond the limits of file_limits().
class TarReader {
public:
    /// Opens the archive. FileError if it is missing or no tar archive.
    explicit TarReader(std::string path);
    ~TarReader();
    TarReader(TarReader&&) noexcept;
    TarReader& operator=(TarReader&&) noexcept;

    /// A file of the archive.
    struct Entry {
        std::string name;
        uint64_t bytes;
    };
    /// Goes on to the next file; none at the end.
    std::optional<Entry> next();
    /// The content of the file that next() gave last; called once at most for each.
    std::string content();
    const std::string& path() const;

private:
    struct Body;
    std::unique_ptr<Body> body_;
};

}  // namespace catena
