#include "runtime/file/zip_writer.h"

#include <algorithm>
#include <new>
#include <vector>

#include <zlib.h>

#include "runtime/file/zip_format.h"
#include "runtime/core/system/error.h"

namespace catena {

using namespace zip;

struct ZipWriter::Deflater {
    z_stream stream{};
    std::vector<Bytef> output = std::vector<Bytef>(1 << 16);
    Deflater() {
        const int status = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
                                        Z_DEFAULT_STRATEGY);
        if (status == Z_MEM_ERROR) throw std::bad_alloc();
        CATENA_ASSERT(status == Z_OK, "zlib: deflateInit2 failed");
    }
    ~Deflater() { deflateEnd(&stream); }
    /// Hands compressed bytes to `sink` until the input is used up (or, with Z_FINISH, the stream
    /// has ended).
    template <class Sink>
    void run(const void* from, uInt bytes, int flush, const Sink& sink) {
        stream.next_in = static_cast<Bytef*>(const_cast<void*>(from));
        stream.avail_in = bytes;
        do {
            stream.next_out = output.data();
            stream.avail_out = uInt(output.size());
            deflate(&stream, flush);
            sink(output.data(), output.size() - stream.avail_out);
        } while (stream.avail_out == 0);
    }
};

void ZipWriter::DeleteDeflater::operator()(Deflater* deflater) const { delete deflater; }

namespace {

constexpr uint16_t version_needed = 45;      // zip64
constexpr uint16_t dos_date = (1 << 5) | 1;  // 1980-01-01: equal content gives equal files.

uint32_t in_32(uint64_t value) { return uint32_t(std::min<uint64_t>(value, in_zip64_32)); }

std::string directory_record(const ZipEntry& entry) {
    std::string extra;
    for (uint64_t value : {entry.bytes, entry.packed_bytes, entry.header_offset})
        if (value >= in_zip64_32) put<uint64_t>(extra, value);
    std::string record;
    put<uint32_t>(record, central_signature);
    put<uint16_t>(record, version_needed);
    put<uint16_t>(record, version_needed);
    put<uint16_t>(record, flag_descriptor | flag_utf8);
    put<uint16_t>(record, entry.deflated ? deflated : stored);
    put<uint16_t>(record, 0);  // Time.
    put<uint16_t>(record, dos_date);
    put<uint32_t>(record, entry.crc);
    put<uint32_t>(record, in_32(entry.packed_bytes));
    put<uint32_t>(record, in_32(entry.bytes));
    put<uint16_t>(record, uint16_t(entry.name.size()));
    put<uint16_t>(record, uint16_t(extra.empty() ? 0 : extra.size() + 4));
    put<uint16_t>(record, 0);  // Comment, disk, attributes.
    put<uint16_t>(record, 0);
    put<uint16_t>(record, 0);
    put<uint32_t>(record, 0);
    put<uint32_t>(record, in_32(entry.header_offset));
    record += entry.name;
    if (extra.empty()) return record;
    put<uint16_t>(record, zip64_field);
    put<uint16_t>(record, uint16_t(extra.size()));
    return record + extra;
}

/// The end records of the archive whose directory is in [start, at), with zip64 records if 32 bits
/// are too few.
std::string end_records(uint64_t entries, uint64_t start, uint64_t at) {
    uint64_t bytes = at - start;
    std::string end;
    if (start >= in_zip64_32 || bytes >= in_zip64_32 || entries >= in_zip64_16) {
        put<uint32_t>(end, end64_signature);
        put<uint64_t>(end, end64_bytes - 12);
        put<uint16_t>(end, version_needed);
        put<uint16_t>(end, version_needed);
        put<uint32_t>(end, 0);
        put<uint32_t>(end, 0);
        put<uint64_t>(end, entries);
        put<uint64_t>(end, entries);
        put<uint64_t>(end, bytes);
        put<uint64_t>(end, start);
        put<uint32_t>(end, locator64_signature);
        put<uint32_t>(end, 0);
        put<uint64_t>(end, at);
        put<uint32_t>(end, 1);
    }
    uint16_t count = uint16_t(std::min<uint64_t>(entries, in_zip64_16));
    put<uint32_t>(end, end_signature);
    put<uint16_t>(end, 0);
    put<uint16_t>(end, 0);
    put<uint16_t>(end, count);
    put<uint16_t>(end, count);
    put<uint32_t>(end, in_32(bytes));
    put<uint32_t>(end, in_32(start));
    put<uint16_t>(end, 0);
    return end;
}

}  // namespace

void ZipWriter::put_out(const void* from, size_t bytes) {
    if (file_)
        file_->write(from, bytes);
    else
        sink_(from, bytes);
    offset_ += bytes;
}

void ZipWriter::begin(const std::string& name, bool compress) {
    entries_.push_back({.name = name, .deflated = compress, .header_offset = offset_});
    // Sizes are not known yet: they follow the data, in 64 bits because the header announces a
    // zip64 field.
    std::string header;
    put<uint32_t>(header, local_signature);
    put<uint16_t>(header, version_needed);
    put<uint16_t>(header, flag_descriptor | flag_utf8);
    put<uint16_t>(header, compress ? deflated : stored);
    put<uint16_t>(header, 0);
    put<uint16_t>(header, dos_date);
    put<uint32_t>(header, 0);
    put<uint32_t>(header, in_zip64_32);
    put<uint32_t>(header, in_zip64_32);
    put<uint16_t>(header, uint16_t(name.size()));
    put<uint16_t>(header, 20);
    header += name;
    put<uint16_t>(header, zip64_field);
    put<uint16_t>(header, 16);
    put<uint64_t>(header, 0);
    put<uint64_t>(header, 0);
    put_out(header.data(), header.size());
    if (compress) deflater_.reset(new Deflater);
}

void ZipWriter::write(const void* from, size_t bytes) {
    ZipEntry& entry = entries_.back();
    const char* next = static_cast<const char*>(from);
    while (bytes > 0) {
        uInt part = uInt(std::min<size_t>(bytes, 1u << 30));
        entry.crc = uint32_t(crc32(entry.crc, reinterpret_cast<const Bytef*>(next), part));
        auto sink = [&](const void* data, size_t size) {
            put_out(data, size);
            entry.packed_bytes += size;
        };
        if (deflater_)
            deflater_->run(next, part, Z_NO_FLUSH, sink);
        else
            sink(next, part);
        entry.bytes += part;
        next += part;
        bytes -= part;
    }
}

void ZipWriter::end() {
    ZipEntry& entry = entries_.back();
    if (deflater_)
        deflater_->run("", 0, Z_FINISH, [&](const void* data, size_t size) {
            put_out(data, size);
            entry.packed_bytes += size;
        });
    deflater_.reset();
    std::string descriptor;
    put<uint32_t>(descriptor, descriptor_signature);
    put<uint32_t>(descriptor, entry.crc);
    put<uint64_t>(descriptor, entry.packed_bytes);
    put<uint64_t>(descriptor, entry.bytes);
    put_out(descriptor.data(), descriptor.size());
}

void ZipWriter::finish() {
    uint64_t start = offset_;
    for (const ZipEntry& entry : entries_) {
        std::string record = directory_record(entry);
        put_out(record.data(), record.size());
    }
    std::string end = end_records(entries_.size(), start, offset_);
    put_out(end.data(), end.size());
    if (file_) file_->commit();
}

}  // namespace catena
