#include "frontend/hdf5/chunk_check.h"

#include <algorithm>
#include <array>
#include <vector>

#include <zlib.h>

#include "frontend/hdf5/handle.h"
#include "runtime/core/error.h"

namespace catena::hdf5 {
namespace {

using Sizes = std::vector<hsize_t>;

/// The bytes that a deflated text unpacks to, or `enough` when there are as many; 0 for what is
/// none.
uint64_t unpacked_bytes(const std::string& packed, uint64_t enough) {
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) return 0;
    std::array<Bytef, 1 << 15> scratch;
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
    stream.avail_in = uInt(packed.size());
    uint64_t bytes = 0;
    int status = Z_OK;
    while (status == Z_OK && bytes < enough) {
        stream.next_out = scratch.data();
        stream.avail_out = uInt(scratch.size());
        status = inflate(&stream, Z_SYNC_FLUSH);
        bytes += scratch.size() - stream.avail_out;
    }
    inflateEnd(&stream);
    return status == Z_OK || status == Z_STREAM_END ? bytes : 0;
}

class ChunkCheck {
public:
    ChunkCheck(hid_t dataset, hid_t properties, uint64_t file_bytes, const std::string& name)
        : dataset_(dataset), file_bytes_(file_bytes), name_(name) {
        const Handle space(H5Dget_space(dataset), H5Sclose), type(H5Dget_type(dataset), H5Tclose);
        const int rank = H5Sget_simple_extent_ndims(space);
        sizes_.resize(size_t(std::max(rank, 0)));
        chunk_.resize(sizes_.size());
        if (rank <= 0 || H5Sget_simple_extent_dims(space, sizes_.data(), nullptr) < 0 ||
            H5Pget_chunk(properties, rank, chunk_.data()) != rank)
            fail<FileError>("{}: has chunks of {} dimensions that cannot be read", name, rank);
        chunk_bytes_ = H5Tget_size(type);
        for (const hsize_t c : chunk_) chunk_bytes_ *= c;  // Compared with the file's size before.
        for (int i = 0; i < H5Pget_nfilters(properties); ++i) {
            unsigned flags = 0, config = 0;
            size_t values = 0;
            char text[1];
            filters_.push_back(H5Pget_filter2(properties, unsigned(i), &flags, &values, nullptr,
                                              sizeof text, text, &config));
        }
    }

    void run() {
        Sizes at(sizes_.size(), 0);
        if (std::find(sizes_.begin(), sizes_.end(), 0u) != sizes_.end()) return;
        while (true) {
            check(at);
            size_t axis = at.size();
            while (axis > 0 && (at[axis - 1] += chunk_[axis - 1]) >= sizes_[axis - 1])
                at[--axis] = 0;
            if (axis == 0) return;
        }
    }

private:
    void check(const Sizes& at) {
        unsigned skipped = 0;
        haddr_t address = HADDR_UNDEF;
        hsize_t stored = 0;
        if (H5Dget_chunk_info_by_coord(dataset_, at.data(), &skipped, &address, &stored) < 0)
            refuse(at, last_error());
        if (address == HADDR_UNDEF) return;  // Never written: the value to fill it with.
        if (stored > file_bytes_)
            refuse(at, fmt::format("has {} bytes, the file {}", stored, file_bytes_));
        uint64_t wanted = chunk_bytes_, given = stored;
        for (size_t i = 0; i < filters_.size(); ++i) {
            constexpr uint64_t checksum = 4;
            if (skipped >> i & 1) continue;
            if (filters_[i] == H5Z_FILTER_FLETCHER32) wanted += checksum;
            if (filters_[i] != H5Z_FILTER_DEFLATE) continue;
            given = unpacked_bytes(raw(at, stored), wanted);
            break;
        }
        if (given < wanted) refuse(at, fmt::format("has {} bytes, not {}", given, wanted));
    }

    std::string raw(const Sizes& at, hsize_t stored) const {
        std::string bytes(size_t(stored), '\0');
        uint32_t skipped = 0;
        if (H5Dread_chunk(dataset_, H5P_DEFAULT, at.data(), &skipped, bytes.data()) < 0)
            refuse(at, last_error());
        return bytes;
    }

    [[noreturn]] void refuse(const Sizes& at, const std::string& why) const {
        std::string place;
        for (const hsize_t a : at) place += (place.empty() ? "" : ", ") + std::to_string(a);
        fail<FileError>("{}: its chunk at [{}] is damaged: {}", name_, place, why);
    }

    hid_t dataset_;
    uint64_t file_bytes_, chunk_bytes_ = 0;
    const std::string& name_;
    Sizes sizes_, chunk_;
    std::vector<H5Z_filter_t> filters_;
};

}  // namespace

void check_chunk_contents(hid_t dataset, uint64_t file_bytes, const std::string& name) {
    const Handle properties(H5Dget_create_plist(dataset), H5Pclose);
    if (!properties.valid() || H5Pget_layout(properties) != H5D_CHUNKED) return;
    ChunkCheck(dataset, properties, file_bytes, name).run();
}

}  // namespace catena::hdf5
