#include "frontend/hdf5/elements.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/ranges.h>

#include "frontend/hdf5/chunks.h"
#include "frontend/hdf5/filters.h"
#include "runtime/core/system/error.h"
#include "runtime/file/file.h"

namespace catena::hdf5 {
namespace {

uint64_t bytes_of(const DatasetHeader& dataset) {
    uint64_t bytes = dataset.type.bytes;
    for (const uint64_t size : dataset.sizes) bytes *= size;
    return bytes;
}

class ChunkReader {
public:
    ChunkReader(const FileNumbers& file, const DatasetHeader& dataset, const std::string& name,
                char* to)
        : file_(file),
          dataset_(dataset),
          name_(name),
          to_(to),
          chunk_bytes_(chunk_bytes_of(dataset)) {
        uint64_t chunks = 1;
        for (size_t i = 0; i < dataset.sizes.size(); ++i)
            chunks *= (dataset.sizes[i] - 1) / dataset.chunk[i] + 1;
        is_read_.resize(size_t(chunks));
    }

    void read(const Chunk& chunk) {
        const size_t rank = dataset_.sizes.size();
        uint64_t number = 0;
        bool is_edge = false;
        for (size_t i = 0; i < rank; ++i) {
            number = number * ((dataset_.sizes[i] - 1) / dataset_.chunk[i] + 1) +
                     chunk.at[i] / dataset_.chunk[i];
            is_edge |= dataset_.sizes[i] - chunk.at[i] < dataset_.chunk[i];
        }
        if (is_read_[size_t(number)]) refuse(chunk, "it is there twice");
        is_read_[size_t(number)] = true;
        if (chunk.bytes > file_.size())
            refuse(chunk, fmt::format("has {} bytes, the file {}", chunk.bytes, file_.size()));
        std::string bytes = file_buffer(chunk.bytes, name_);
        file_.read_at(chunk.address, bytes.data(), bytes.size());
        std::string problem;
        static const std::vector<Filter>& none = *new std::vector<Filter>;
        bytes = unfiltered(std::move(bytes),
                           is_edge && dataset_.has_plain_edges ? none : dataset_.filters,
                           chunk.mask, chunk_bytes_, dataset_.type.bytes, problem);
        if (!problem.empty()) refuse(chunk, problem);
        copy(bytes.data(), chunk.at);
    }

private:
    /// Row by row of the innermost axis.
    void copy(const char* from, const Sizes& begin) const {
        const size_t rank = dataset_.sizes.size(), inner = rank - 1;
        const uint64_t element = dataset_.type.bytes;
        Sizes counts(rank), at(rank, 0);
        for (size_t i = 0; i < rank; ++i)
            counts[i] = std::min(dataset_.chunk[i], dataset_.sizes[i] - begin[i]);
        while (true) {
            uint64_t source = 0, target = 0;
            for (size_t i = 0; i < rank; ++i) {
                source = source * dataset_.chunk[i] + at[i];
                target = target * dataset_.sizes[i] + begin[i] + at[i];
            }
            std::memcpy(to_ + target * element, from + source * element,
                        size_t(counts[inner] * element));
            size_t axis = inner;
            while (axis > 0 && ++at[axis - 1] >= counts[axis - 1]) at[--axis] = 0;
            if (axis == 0) return;
        }
    }

    [[noreturn]] void refuse(const Chunk& chunk, const std::string& why) const {
        fail<FileError>("{}: its chunk at [{}] is damaged: {}", name_, fmt::join(chunk.at, ", "),
                        why);
    }

    const FileNumbers& file_;
    const DatasetHeader& dataset_;
    const std::string& name_;
    char* const to_;
    const uint64_t chunk_bytes_;
    std::vector<bool> is_read_;
};

void fill(const DatasetHeader& dataset, uint64_t bytes, char* to) {
    if (dataset.fill.empty()) {
        std::memset(to, 0, size_t(bytes));
        return;
    }
    for (uint64_t at = 0; at < bytes; at += dataset.fill.size())
        std::memcpy(to + at, dataset.fill.data(), dataset.fill.size());
}

}  // namespace

uint64_t chunk_bytes_of(const DatasetHeader& dataset) {
    uint64_t bytes = dataset.type.bytes;
    for (const uint64_t size : dataset.chunk)
        if (__builtin_mul_overflow(bytes, size, &bytes)) return ~uint64_t(0);
    return bytes;
}

Stored stored_of(const FileNumbers& file, const DatasetHeader& dataset) {
    Stored stored;
    if (dataset.layout == Layout::compact) stored.bytes = dataset.content.size();
    if (dataset.layout == Layout::contiguous && dataset.address != ~uint64_t(0))
        stored.bytes = std::min(dataset.stored, file.size());
    if (dataset.layout == Layout::chunked)
        for_each_chunk(file, dataset, chunk_bytes_of(dataset), [&](const Chunk& chunk) {
            stored.bytes = std::min(stored.bytes + std::min(chunk.bytes, file.size()), file.size());
            ++stored.chunks;
        });
    return stored;
}

void read_elements(const FileNumbers& file, const DatasetHeader& dataset, const std::string& name,
                   char* to) {
    const uint64_t bytes = bytes_of(dataset);
    if (bytes == 0) return;
    if (dataset.layout == Layout::compact && dataset.content.size() >= bytes) {
        std::memcpy(to, dataset.content.data(), size_t(bytes));
    } else if (dataset.layout == Layout::contiguous && dataset.address != ~uint64_t(0)) {
        file.read_at(dataset.address, to, size_t(bytes));
    } else {
        fill(dataset, bytes, to);
        if (dataset.layout != Layout::chunked) return;
        ChunkReader chunks(file, dataset, name, to);
        for_each_chunk(file, dataset, chunk_bytes_of(dataset),
                       [&](const Chunk& chunk) { chunks.read(chunk); });
    }
}

}  // namespace catena::hdf5
