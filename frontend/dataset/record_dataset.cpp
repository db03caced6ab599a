#include "frontend/dataset/record_dataset.h"

#include <bit>
#include <cstring>

#include <zlib.h>

#include "frontend/dataset/example_bytes.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

static_assert(std::endian::native == std::endian::little,
              "records are written as they are in memory");
constexpr std::string_view signature = "catena records 2";
/// How files begin that end with their last record.
constexpr std::string_view endless_signature = "catena records 1";
static_assert(signature.size() == endless_signature.size());

/// What stands before the bytes of an example, in the file without padding.
struct RecordHead {
    uint64_t bytes = 0;
    uint32_t crc = 0;
};
constexpr uint64_t head_bytes = sizeof(uint64_t) + sizeof(uint32_t);
/// Stands in place of the bytes of a record where the number of records follows, and nothing else.
constexpr uint64_t end_mark = ~uint64_t(0);
constexpr uint64_t end_bytes = head_bytes + sizeof(uint64_t);

RecordHead read_head(const FileReader& file, uint64_t at) {
    RecordHead head;
    char raw[head_bytes];
    file.read_at(at, raw, head_bytes);
    std::memcpy(&head.bytes, raw, sizeof head.bytes);
    std::memcpy(&head.crc, raw + sizeof head.bytes, sizeof head.crc);
    return head;
}

uint32_t checksum(const void* bytes, size_t count) {
    return uint32_t(crc32_z(0, static_cast<const Bytef*>(bytes), count));
}

/// Whether the records end at `at`, as the end says, which is not there in older files.
bool is_end(const FileReader& file, uint64_t at, uint64_t records) {
    if (file.size() - at != end_bytes) return false;
    const RecordHead head = read_head(file, at);
    uint64_t count = 0;
    file.read_at(at + head_bytes, &count, sizeof count);
    return head.bytes == end_mark && head.crc == checksum(&count, sizeof count) && count == records;
}

std::vector<uint64_t> find_records(const FileReader& file) {
    std::string begin(signature.size(), '\0');
    if (file.size() >= begin.size()) file.read_at(0, begin.data(), begin.size());
    if (begin != signature && begin != endless_signature)
        fail<FileError>("{}: does not begin with '{}', as RecordDatasetWriter's files do",
                        file.path(), signature);
    std::vector<uint64_t> begins;
    uint64_t at = signature.size();
    while (at < file.size() && !(begin == signature && is_end(file, at, begins.size()))) {
        const uint64_t left = file.size() - at;
        if (left < head_bytes || read_head(file, at).bytes > left - head_bytes)
            fail<FileError>("{}: record {} at byte {} does not fit the file of {} bytes",
                            file.path(), begins.size(), at, file.size());
        begins.push_back(at);
        at += head_bytes + read_head(file, at).bytes;
    }
    if (begin == signature && at == file.size())
        fail<FileError>("{}: ends after record {} at byte {} without saying so: it was cut",
                        file.path(), int64_t(begins.size()) - 1, at);
    return begins;
}

}  // namespace

RecordDatasetWriter::RecordDatasetWriter(const std::string& path) : file_(new AtomicFile(path)) {
    file_->write(signature.data(), signature.size());
}

void RecordDatasetWriter::write(const Example& example) try {
    if (!file_) fail<ValueError>("RecordDatasetWriter: write() after finish()");
    const std::string bytes = example_bytes(example);
    write_head(bytes.size(), checksum(bytes.data(), bytes.size()));
    file_->write(bytes.data(), bytes.size());
    ++size_;
} catch (const std::bad_alloc&) {
    throw_out_of_memory("RecordDatasetWriter", "write");
}

void RecordDatasetWriter::write_head(uint64_t bytes, uint32_t crc) {
    file_->write(&bytes, sizeof bytes);
    file_->write(&crc, sizeof crc);
}

void RecordDatasetWriter::finish() try {
    if (!file_) return;
    const uint64_t count = uint64_t(size_);
    write_head(end_mark, checksum(&count, sizeof count));
    file_->write(&count, sizeof count);
    file_->commit();
    file_.reset();
} catch (const std::bad_alloc&) {
    throw_out_of_memory("RecordDatasetWriter", "finish");
}

RecordDataset::RecordDataset(const std::string& path)
    : file_(std::make_shared<const FileReader>(path)),
      begins_(std::make_shared<const std::vector<uint64_t>>(find_records(*file_))) {}

Example RecordDataset::get_example(int64_t i) const try {
    const uint64_t at = begins_->at(size_t(i));
    const RecordHead head = read_head(*file_, at);
    const std::string name = fmt::format("{}, record {}", file_->path(), i);
    std::string bytes = file_buffer(head.bytes, name);
    file_->read_at(at + head_bytes, bytes.data(), bytes.size());
    if (const uint32_t found = checksum(bytes.data(), bytes.size()); found != head.crc)
        fail<FileError>("{}: the checksum is {:08x}, not {:08x}: it is damaged", name, found,
                        head.crc);
    return example_from(bytes, name);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("RecordDataset");
}

}  // namespace catena
