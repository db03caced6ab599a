#include "frontend/hdf5/filters.h"

#include <algorithm>

#include <fmt/format.h>
#include <zlib.h>

#include "frontend/hdf5/checksum.h"

namespace catena::hdf5 {
namespace {

constexpr size_t sum_bytes = 4;

/// The inflated content of deflated bytes, at most `most` of them.
std::string inflated(const std::string& packed, uint64_t most, std::string& problem) {
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) {
        problem = "zlib does not begin";
        return {};
    }
    std::string bytes(size_t(most), '\0');
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(packed.data()));
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
    size_t left_in = packed.size(), left_out = bytes.size();
    int status = Z_OK;
    while (status == Z_OK) {
        constexpr size_t at_once = size_t(1) << 30;
        stream.avail_in = uInt(std::min(left_in, at_once));
        stream.avail_out = uInt(std::min(left_out, at_once));
        const size_t in = stream.avail_in, out = stream.avail_out;
        status = inflate(&stream, Z_NO_FLUSH);
        left_in -= in - stream.avail_in;
        left_out -= out - stream.avail_out;
    }
    inflateEnd(&stream);
    if (status != Z_STREAM_END)
        problem = left_out == 0 ? fmt::format("unpacks to more than {} bytes", most)
                                : "zlib finds it damaged";
    bytes.resize(bytes.size() - left_out);
    return bytes;
}

/// Undoes the shuffle filter: first bytes of all elements stood before second ones.
std::string in_elements(const std::string& bytes, size_t element) {
    const size_t count = bytes.size() / element;
    if (count < 2) return bytes;   // Also because `element`, as the file says it, has no bound.
    std::string elements = bytes;  // What is left over stays at the end.
    for (size_t b = 0; b < element; ++b)
        for (size_t i = 0; i < count; ++i) elements[i * element + b] = bytes[b * count + i];
    return elements;
}

void check_sum(std::string& bytes, std::string& problem) {
    if (bytes.size() < sum_bytes) {
        problem = "ends before its checksum";
        return;
    }
    uint32_t given = 0;
    for (size_t i = 0; i < sum_bytes; ++i)
        given |= uint32_t(uint8_t(bytes[bytes.size() - sum_bytes + i])) << 8 * i;
    bytes.resize(bytes.size() - sum_bytes);
    const uint32_t sum = fletcher32(bytes);
    // Old writers turned the bytes of both halves around.
    const uint32_t turned = (sum & 0xff00ff) << 8 | (sum >> 8 & 0xff00ff);
    if (given != sum && given != turned) problem = "has another checksum than it says";
}

}  // namespace

std::string unfiltered(std::string bytes, const std::vector<Filter>& filters, uint64_t mask,
                       uint64_t wanted, uint64_t element_bytes, std::string& problem) {
    // Deflating can make it larger, by less than this, and each checksum does.
    const uint64_t most = wanted + (wanted / 1024 + 64) * filters.size();
    for (size_t i = filters.size(); i-- > 0 && problem.empty();) {
        const Filter& filter = filters[i];
        if (i < 32 && (mask >> i & 1)) continue;
        if (filter.kind == Filter::deflate) bytes = inflated(bytes, most, problem);
        if (filter.kind == Filter::fletcher) check_sum(bytes, problem);
        if (filter.kind != Filter::shuffle) continue;
        const uint64_t element = filter.values.empty() ? element_bytes : filter.values[0];
        if (element > 1) bytes = in_elements(bytes, size_t(element));
    }
    if (problem.empty() && bytes.size() < wanted)
        problem = fmt::format("has {} bytes, not {}", bytes.size(), wanted);
    return bytes;
}

}  // namespace catena::hdf5
