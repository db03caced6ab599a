#include "frontend/hdf5/chunk_check.h"

#include <algorithm>
#include <vector>

#include "runtime/core/error.h"

namespace catena::hdf5 {
namespace {

// Numbers as in "HDF5 File Format Specification Version 3.0", IV.A.
constexpr int layout_message = 8, continuation_message = 16;
constexpr int layout_chunked = 2;
constexpr uint8_t has_times = 0x20, has_phases = 0x10, has_creation_order = 4;

/// Little-endian numbers one after the other.
class Numbers {
public:
    Numbers(std::string bytes, const std::string& who) : bytes_(std::move(bytes)), who_(who) {}
    size_t left() const { return bytes_.size() - at_; }
    uint64_t next(size_t bytes) {
        const std::string part = take(bytes);
        uint64_t value = 0;
        for (size_t i = std::min<size_t>(bytes, 8); i-- > 0;) value = value << 8 | uint8_t(part[i]);
        return value;
    }
    std::string take(size_t bytes) {
        if (bytes > left()) fail<FileError>("{}: its header ends in the middle of a message", who_);
        at_ += bytes;
        return bytes_.substr(at_ - bytes, bytes);
    }

private:
    std::string bytes_;
    const std::string& who_;
    size_t at_ = 0;
};

class Header {
public:
    Header(const FileReader& file, const FileFormat& format, const std::string& who)
        : file_(file), format_(format), who_(who) {}

    void check(uint64_t address) {
        const bool is_new = read(address, 4) == "OHDR";
        if (is_new) check_new(address);
        else check_old(address);
        constexpr int most_blocks = 10'000;  // They may lead to each other.
        for (int blocks = 0; !blocks_.empty(); ++blocks) {
            if (blocks == most_blocks) fail<FileError>("{}: its header has more than {} parts", who_, most_blocks);
            const auto [at, bytes] = blocks_.back();
            blocks_.pop_back();
            constexpr uint64_t signature = 4, checksum = 4;
            if (!is_new) check_messages(Numbers(read(at, bytes), who_));
            else if (bytes >= signature + checksum) check_messages(Numbers(read(at + signature, bytes - signature - checksum), who_));
        }
    }

private:
    std::string read(uint64_t at, uint64_t bytes) const {
        constexpr uint64_t most = uint64_t(1) << 24;
        if (at > file_.size() || bytes > file_.size() - at || bytes > most)
            fail<FileError>("{}: its header announces {} bytes at byte {}, which are not there", who_, bytes, at);
        std::string content(size_t(bytes), '\0');
        file_.read_at(at, content.data(), content.size());
        return content;
    }

    void check_old(uint64_t address) {
        constexpr uint64_t prefix = 16;
        Numbers numbers(read(address, prefix), who_);
        numbers.take(8);
        check_messages(Numbers(read(address + prefix, numbers.next(4)), who_));
    }

    void check_new(uint64_t address) {
        address += 5;
        flags_ = uint8_t(read(address++, 1)[0]);
        if (flags_ & has_times) address += 16;
        if (flags_ & has_phases) address += 4;
        new_ = true;
        const size_t size_bytes = size_t(1) << (flags_ & 3);
        const uint64_t bytes = Numbers(read(address, size_bytes), who_).next(size_bytes);
        check_messages(Numbers(read(address + size_bytes, bytes), who_));
    }

    void check_messages(Numbers numbers) {
        const size_t prefix = new_ ? (flags_ & has_creation_order ? 6 : 4) : 8;
        while (numbers.left() >= prefix) {
            const uint64_t type = numbers.next(new_ ? 1 : 2), bytes = numbers.next(2);
            numbers.take(prefix - (new_ ? 3 : 4));
            Numbers content(numbers.take(size_t(bytes)), who_);
            if (type == layout_message) check_layout(content);
            if (type != continuation_message) continue;
            const uint64_t at = content.next(format_.address_bytes);
            blocks_.emplace_back(format_.base + at, content.next(format_.length_bytes));
        }
    }

    void check_layout(Numbers& content) const {
        const uint64_t version = content.next(1);
        uint64_t rank = 0, size_bytes = 4;
        if (version < 3) {
            rank = content.next(1);
            if (content.next(1) != layout_chunked) return;
            content.take(5 + format_.address_bytes);
        } else {
            if (content.next(1) != layout_chunked) return;
            if (version > 3) content.take(1);
            rank = content.next(1);
            if (version > 3) size_bytes = content.next(1);
            else content.take(format_.address_bytes);
        }
        for (uint64_t i = 0; i < rank; ++i)
            if (content.next(size_t(size_bytes)) == 0)
                fail<FileError>("{}: is stored in chunks of which dimension {} has no elements", who_, i);
    }

    const FileReader& file_;
    const FileFormat& format_;
    const std::string& who_;
    bool new_ = false;
    uint8_t flags_ = 0;
    std::vector<std::pair<uint64_t, uint64_t>> blocks_;  ///< Parts of the header that are still to be read.
};

}  // namespace

void check_chunks(const FileReader& file, const FileFormat& format, uint64_t address, const std::string& who) {
    Header(file, format, who).check(format.base + address);
}

}  // namespace catena::hdf5
