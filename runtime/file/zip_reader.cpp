#include "runtime/file/zip_reader.h"

#include <algorithm>
#include <new>
#include <vector>

#include <zlib.h>

#include "runtime/file/limits.h"
#include "runtime/file/zip_format.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

using namespace zip;

constexpr uint64_t largest_directory = uint64_t(1) << 28;
constexpr size_t input_bytes = 1 << 16;
constexpr uint64_t largest_ratio = 1032;  // What DEFLATE can reach at best.

/// Where the central directory is, after the end records.
struct Directory {
    uint64_t offset, bytes, entries;
};

[[noreturn]] void damaged(const FileReader& file, uint64_t at, const std::string& what) {
    fail<FileError>("{}: is not a valid zip archive: {} at byte {}", file.path(), what, at);
}

uint64_t find_end_record(const FileReader& file) {
    if (file.size() < end_bytes)
        damaged(file, file.size(), "the end of the file came before an end record");
    uint64_t window =
        std::min<uint64_t>(file.size(), end_bytes + 0xffff);  // A comment may follow it.
    std::string tail(window, '\0');
    file.read_at(file.size() - window, tail.data(), window);
    for (size_t at = window - end_bytes + 1; at-- > 0;)
        if (number<uint32_t>(tail.data(), at) == end_signature &&
            at + end_bytes + number<uint16_t>(tail.data(), at + 20) == window)
            return file.size() - window + at;
    damaged(file, file.size(), "no end record (a truncated file?)");
}

Directory read_end_record(const FileReader& file) {
    uint64_t at = find_end_record(file);
    char record[end_bytes];
    file.read_at(at, record, end_bytes);
    Directory directory{number<uint32_t>(record, 16), number<uint32_t>(record, 12),
                        number<uint16_t>(record, 10)};
    bool is_64 = directory.offset == in_zip64_32 || directory.bytes == in_zip64_32 ||
                 directory.entries == in_zip64_16;
    if (!is_64 || at < locator64_bytes) return directory;
    char locator[locator64_bytes];
    file.read_at(at - locator64_bytes, locator, locator64_bytes);
    if (number<uint32_t>(locator, 0) != locator64_signature) return directory;
    uint64_t at_64 = number<uint64_t>(locator, 8);
    char record_64[end64_bytes];
    file.read_at(at_64, record_64, end64_bytes);
    if (number<uint32_t>(record_64, 0) != end64_signature)
        damaged(file, at_64, "no zip64 end record");
    return {number<uint64_t>(record_64, 48), number<uint64_t>(record_64, 40),
            number<uint64_t>(record_64, 32)};
}

/// Sizes and offset that did not fit their 32 bits stand in the zip64 extra field, in this order.
void apply_zip64_field(const FileReader& file, const char* extra, size_t bytes, ZipEntry& entry,
                       uint64_t at) {
    for (size_t i = 0; i + 4 <= bytes;) {
        uint16_t id = number<uint16_t>(extra, i), length = number<uint16_t>(extra, i + 2);
        i += 4;
        if (length > bytes - i) damaged(file, at, "an extra field that is longer than its record");
        if (id != zip64_field) {
            i += length;
            continue;
        }
        size_t end = i + length;
        for (uint64_t* value : {&entry.bytes, &entry.packed_bytes, &entry.header_offset}) {
            if (*value != in_zip64_32) continue;
            if (i + 8 > end) damaged(file, at, "a zip64 field without its sizes");
            *value = number<uint64_t>(extra, i);
            i += 8;
        }
        i = end;
    }
}

void check_entry(const FileReader& file, const ZipEntry& entry, uint16_t flags, uint16_t method,
                 uint64_t at) {
    auto wrong = [&](const std::string& what) {
        damaged(file, at, fmt::format("entry '{}': {}", entry.name, what));
    };
    if (flags & flag_encrypted) wrong("it is encrypted");
    if (method != stored && method != deflated)
        wrong(fmt::format("compression method {} (0 and 8 are known)", method));
    if (entry.header_offset > file.size() || entry.packed_bytes > file.size() - entry.header_offset)
        wrong(fmt::format("{} bytes from byte {} do not fit the file", entry.packed_bytes,
                          entry.header_offset));
    if (method == stored && entry.bytes != entry.packed_bytes)
        wrong(fmt::format("stored, yet {} bytes became {}", entry.bytes, entry.packed_bytes));
    // So that a small hostile file cannot exhaust memory.
    if (method == deflated && entry.bytes / largest_ratio > entry.packed_bytes + 1)
        wrong(fmt::format("{} bytes cannot come from {}", entry.bytes, entry.packed_bytes));
}

/// Where the entry's data begins. The local header must agree with the directory: otherwise tools
/// that use one would see other content than tools that use the other.
uint64_t data_begin(const FileReader& file, const ZipEntry& entry, uint64_t end) {
    auto wrong = [&](const std::string& what) {
        damaged(file, entry.header_offset, fmt::format("entry '{}': {}", entry.name, what));
    };
    if (entry.header_offset > end || end - entry.header_offset < local_bytes)
        wrong("its header runs into the directory");
    char header[local_bytes];
    file.read_at(entry.header_offset, header, local_bytes);
    if (number<uint32_t>(header, 0) != local_signature)
        damaged(file, entry.header_offset, fmt::format("no header of entry '{}'", entry.name));
    const uint64_t name_bytes = number<uint16_t>(header, 26), begin = entry.header_offset +
                                                                      local_bytes + name_bytes +
                                                                      number<uint16_t>(header, 28);
    if (begin > end || entry.packed_bytes > end - begin)
        damaged(file, begin, fmt::format("entry '{}' runs past the end", entry.name));
    std::string name(size_t(name_bytes), '\0');
    file.read_at(entry.header_offset + local_bytes, name.data(), name.size());
    if (name != entry.name) wrong(fmt::format("its own header calls it '{}'", name));
    const uint16_t flags = number<uint16_t>(header, 6), method = number<uint16_t>(header, 8);
    if (flags & flag_encrypted || method != (entry.deflated ? deflated : stored))
        wrong("its own header has another method of compression than the directory");
    if (flags & flag_descriptor) return begin;  // Sizes and checksum follow the data.
    const struct {
        size_t at;
        uint64_t listed;
        const char* what;
    } numbers[] = {{14, entry.crc, "checksum"},
                   {18, entry.packed_bytes, "packed size"},
                   {22, entry.bytes, "size"}};
    for (const auto& n : numbers) {
        const uint32_t own = number<uint32_t>(header, n.at);
        if (own != n.listed && (own != in_zip64_32 || n.at == 14))
            wrong(fmt::format("its own header has the {} {}, the directory {}", n.what, own,
                              n.listed));
    }
    return begin;
}

/// Entries must not overlap: entries that share bytes could declare more than any file can hold.
void check_apart(const FileReader& file, const std::vector<ZipEntry>& entries) {
    std::vector<const ZipEntry*> order;
    for (const ZipEntry& entry : entries) order.push_back(&entry);
    std::sort(order.begin(), order.end(), [](const ZipEntry* a, const ZipEntry* b) {
        return a->header_offset < b->header_offset;
    });
    for (size_t i = 1; i < order.size(); ++i) {
        const ZipEntry &before = *order[i - 1], &entry = *order[i];
        if (entry.header_offset - before.header_offset <
            local_bytes + before.name.size() + before.packed_bytes)
            damaged(file, entry.header_offset,
                    fmt::format("entries '{}' and '{}' overlap", before.name, entry.name));
    }
}

/// Inflates (or copies) an entry as it is read.
class EntrySource final : public ByteSource {
public:
    EntrySource(const FileReader& file, const ZipEntry& entry, uint64_t begin)
        : packed_(file, begin, begin + entry.packed_bytes, file.path()),
          entry_(entry),
          name_(file.path() + "(" + entry.name + ")") {
        if (!entry_.deflated) return;
        const int status = inflateInit2(&stream_, -MAX_WBITS);
        if (status == Z_MEM_ERROR) throw std::bad_alloc();
        CATENA_ASSERT(status == Z_OK, "zlib: inflateInit2 failed");
    }
    ~EntrySource() override {
        if (entry_.deflated) inflateEnd(&stream_);
    }

    void read(void* to, size_t bytes) override {
        if (bytes > remaining())
            fail<FileError>("{}: {} bytes were expected at byte {}, {} are left", name_, bytes, at_,
                            remaining());
        if (entry_.deflated)
            inflate_to(static_cast<Bytef*>(to), bytes);
        else
            packed_.read(to, bytes);
        check(static_cast<const Bytef*>(to), bytes);
        at_ += bytes;
        if (at_ == entry_.bytes && crc_ != entry_.crc)
            fail<FileError>("{}: the checksum is {:08x}, not {:08x}: the data is damaged", name_,
                            crc_, entry_.crc);
    }
    uint64_t offset() const override { return at_; }
    uint64_t remaining() const override { return entry_.bytes - at_; }
    const std::string& name() const override { return name_; }

private:
    void check(const Bytef* data, size_t bytes) {
        while (bytes > 0) {
            uInt part = uInt(std::min<size_t>(bytes, 1u << 30));
            crc_ = uint32_t(crc32(crc_, data, part));
            data += part;
            bytes -= part;
        }
    }

    void inflate_to(Bytef* to, size_t bytes) {
        while (bytes > 0) {
            uInt part = uInt(std::min<size_t>(bytes, 1u << 30));
            stream_.next_out = to;
            stream_.avail_out = part;
            while (stream_.avail_out > 0) inflate_some();
            to += part;
            bytes -= part;
        }
    }

    void inflate_some() {
        if (stream_.avail_in == 0) {
            size_t part = size_t(std::min<uint64_t>(packed_.remaining(), input_bytes));
            input_.resize(input_bytes);
            packed_.read(input_.data(), part);
            stream_.next_in = input_.data();
            stream_.avail_in = uInt(part);
        }
        uInt before = stream_.avail_out;
        int status = inflate(&stream_, Z_NO_FLUSH);
        if (status == Z_MEM_ERROR) throw std::bad_alloc();
        bool stuck = stream_.avail_out == before &&
                     (status == Z_STREAM_END || stream_.avail_in == 0) &&
                     (status == Z_STREAM_END || packed_.remaining() == 0);
        if ((status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) || stuck)
            fail<FileError>("{}: the compressed data is damaged near byte {} of {}: {}", name_,
                            packed_.offset(), packed_.name(),
                            stream_.msg ? stream_.msg : "it ends too early");
    }

    FileSource packed_;
    ZipEntry entry_;
    std::string name_;
    uint64_t at_ = 0;
    uint32_t crc_ = 0;
    z_stream stream_{};
    std::vector<Bytef> input_;
};

}  // namespace

ZipReader::ZipReader(const std::string& path) : file_(path) { read_directory(); }
ZipReader::ZipReader(std::string name, std::string content)
    : file_(std::move(name), std::move(content)) {
    read_directory();
}

void ZipReader::read_directory() {
    Directory directory = read_end_record(file_);
    if (directory.bytes > largest_directory || directory.offset > file_.size() ||
        directory.bytes > file_.size() - directory.offset)
        damaged(file_, directory.offset,
                fmt::format("a directory of {} bytes that does not fit", directory.bytes));
    end_of_entries_ = directory.offset;
    FileBudget budget(file_.path(), file_.size());
    budget.check_entries(directory.entries);
    std::string data = file_buffer(directory.bytes, file_.path());
    file_.read_at(directory.offset, data.data(), data.size());
    for (size_t i = 0; i < data.size();) {
        uint64_t at = directory.offset + i;
        if (data.size() - i < central_bytes ||
            number<uint32_t>(data.data(), i) != central_signature)
            damaged(file_, at, "no directory entry");
        const char* record = data.data() + i;
        size_t name = number<uint16_t>(record, 28), extra = number<uint16_t>(record, 30),
               comment = number<uint16_t>(record, 32);
        if (name + extra + comment > data.size() - i - central_bytes)
            damaged(file_, at, "a cut directory entry");
        uint16_t flags = number<uint16_t>(record, 8), method = number<uint16_t>(record, 10);
        ZipEntry entry{std::string(record + central_bytes, name),
                       method == deflated,
                       number<uint32_t>(record, 16),
                       number<uint32_t>(record, 20),
                       number<uint32_t>(record, 24),
                       number<uint32_t>(record, 42)};
        apply_zip64_field(file_, record + central_bytes + name, extra, entry, at);
        check_entry(file_, entry, flags, method, at);
        budget.ask(entry.bytes, fmt::format("entry '{}'", entry.name));
        entries_.push_back(std::move(entry));
        i += central_bytes + name + extra + comment;
    }
    if (entries_.size() != directory.entries)
        damaged(file_, directory.offset,
                fmt::format("{} directory entries where {} are declared", entries_.size(),
                            directory.entries));
    check_apart(file_, entries_);
}

std::unique_ptr<ByteSource> ZipReader::open(const ZipEntry& entry) const {
    return std::make_unique<EntrySource>(file_, entry, data_begin(file_, entry, end_of_entries_));
}

}  // namespace catena
