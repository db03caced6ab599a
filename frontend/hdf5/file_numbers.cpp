#include "frontend/hdf5/file_numbers.h"

#include <algorithm>

#include "frontend/hdf5/checksum.h"
#include "runtime/core/system/error.h"

namespace catena::hdf5 {
namespace {

constexpr std::string_view file_signature{"\x89HDF\r\n\x1a\n", 8};

}  // namespace

void Numbers::require(uint64_t bytes) const {
    if (bytes > left())
        fail<FileError>("{}: is damaged: the object at byte {} is truncated", file_->path(),
                        start_);
}

std::string Numbers::take(uint64_t bytes) {
    require(bytes);
    at_ += size_t(bytes);
    return bytes_.substr(at_ - size_t(bytes), size_t(bytes));
}

void Numbers::skip(uint64_t bytes) {
    require(bytes);
    at_ += size_t(bytes);
}

uint64_t Numbers::next(size_t bytes) {
    require(bytes);
    uint64_t value = 0;
    for (size_t i = std::min<size_t>(bytes, 8); i-- > 0;)
        value = value << 8 | uint8_t(bytes_[at_ + i]);
    at_ += bytes;
    return value;
}

Numbers Numbers::at(uint64_t offset, uint64_t bytes) const {
    if (offset > bytes_.size() || bytes > bytes_.size() - offset)
        fail<FileError>("{}: is damaged: the object at byte {} is truncated", file_->path(),
                        start_);
    return {*file_, start_ + offset, bytes_.substr(size_t(offset), size_t(bytes))};
}

FileNumbers::FileNumbers(const FileReader& file) : file_(file) {
    // Behind a block of the user's of 512 bytes, or twice as many, and so on.
    std::string begin(file_signature.size(), '\0');
    while (true) {
        if (file.size() < base_ + begin.size())
            fail<FileError>("{}: is not an HDF5 file", file.path());
        file.read_at(base_, begin.data(), begin.size());
        if (begin == file_signature) break;
        base_ = base_ == 0 ? 512 : 2 * base_;
    }
    const uint64_t version = read(8, 1).next(1);
    if (version > 3) fail<FileError>("{}: is of version {}, which is not known", path(), version);
    if (version < 2)
        read_old_superblock(version);
    else
        read_new_superblock();
}

void FileNumbers::read_old_superblock(uint64_t version) {
    Numbers sizes = read(13, 2);
    address_bytes_ = size_t(sizes.next(1));
    length_bytes_ = size_t(sizes.next(1));
    const auto is_known = [](size_t bytes) { return bytes == 2 || bytes == 4 || bytes == 8; };
    if (!is_known(address_bytes_) || !is_known(length_bytes_))
        damaged(13, fmt::format("addresses of {} bytes and lengths of {}", address_bytes_,
                                length_bytes_));
    Numbers rest = read(version == 0 ? 24 : 28, 5 * address_bytes_ + length_bytes_);
    address(rest), address(rest);
    const uint64_t end = address(rest);
    address(rest), length(rest);
    root_ = address(rest);
    if (end > file_.size())
        fail<FileError>("{}: is truncated: {} bytes of {}", path(), file_.size(), end);
}

void FileNumbers::read_new_superblock() {
    Numbers sizes = read(9, 2);
    address_bytes_ = size_t(sizes.next(1));
    length_bytes_ = size_t(sizes.next(1));
    const auto is_known = [](size_t bytes) { return bytes == 2 || bytes == 4 || bytes == 8; };
    if (!is_known(address_bytes_) || !is_known(length_bytes_))
        damaged(9, fmt::format("addresses of {} bytes and lengths of {}", address_bytes_,
                               length_bytes_));
    Numbers whole = read_checked(0, 12 + 4 * address_bytes_, file_signature);
    whole.skip(4);
    address(whole), address(whole);
    const uint64_t end = address(whole);
    root_ = address(whole);
    if (end > file_.size())
        fail<FileError>("{}: is truncated: {} bytes of {}", path(), file_.size(), end);
}

void FileNumbers::require_inside(uint64_t address, uint64_t bytes) const {
    if (address > size() || bytes > size() - address)
        fail<FileError>("{}: is damaged: {} bytes are declared at byte {}, the file has {}", path(),
                        bytes, address, file_.size());
}

Numbers FileNumbers::read(uint64_t address, uint64_t bytes) const {
    require_inside(address, bytes);
    std::string content = file_buffer(bytes, path());
    file_.read_at(base_ + address, content.data(), content.size());
    return {file_, address, std::move(content)};
}

Numbers FileNumbers::read_checked(uint64_t address, uint64_t bytes,
                                  std::string_view signature) const {
    Numbers found = read(address, bytes);
    if (found.take(signature.size()) != signature)
        damaged(address, fmt::format("no {}", signature.substr(0, 4) == "\x89HDF" ? "superblock"
                                                                                  : signature));
    if (metadata_checksum(found.all()) != read(address + bytes, 4).next(4))
        damaged(address, "a wrong checksum");
    return found;
}

void FileNumbers::read_at(uint64_t address, void* to, size_t bytes) const {
    require_inside(address, bytes);
    file_.read_at(base_ + address, to, bytes);
}

bool FileNumbers::is_undefined(uint64_t address) const {
    return address ==
           (address_bytes_ >= 8 ? ~uint64_t(0) : (uint64_t(1) << 8 * address_bytes_) - 1);
}

Numbers FileNumbers::part(Numbers& of, uint64_t bytes) const {
    const uint64_t at = of.place();
    return {file_, at, of.take(bytes)};
}

void FileNumbers::damaged(uint64_t at, std::string_view what) const {
    fail<FileError>("{}: is damaged: {} at byte {}", path(), what, at);
}

}  // namespace catena::hdf5
