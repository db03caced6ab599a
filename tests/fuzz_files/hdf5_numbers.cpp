#include "tests/fuzz_files/hdf5_numbers.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/hdf5/checksum.h"
#include "tests/fuzz_files/odd_numbers.h"

namespace catena::fuzz {
namespace {

using testing::Random;

uint64_t number_at(const std::string& content, size_t at, size_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, content.data() + at, std::min(bytes, content.size() - at));
    return value;
}
void put_number(std::string& content, size_t at, size_t bytes, uint64_t value) {
    std::memcpy(content.data() + at, &value, std::min(bytes, content.size() - at));
}

/// Where structures begin: at letters like "OHDR", and headers of the older kind, which have none
/// and stand between them.
std::vector<size_t> structures(const std::string& content) {
    static constexpr std::string_view signatures[] = {
        "\x89HDF", "TREE", "SNOD", "HEAP", "GCOL", "OHDR", "OCHK", "FRHP", "FHDB", "FHIB", "FSHD",
        "FSSE",    "BTHD", "BTIN", "BTLF", "FAHD", "FADB", "EAHD", "EAIB", "EASB", "EADB", "SMTB"};
    bool begins[256] = {};
    for (const std::string_view signature : signatures) begins[uint8_t(signature[0])] = true;
    std::vector<size_t> found;
    const size_t end = std::min(content.size(), size_t(1) << 20);  // Behind it are elements.
    for (size_t at = 0; at + 16 <= end; ++at) {
        const std::string_view here = std::string_view(content).substr(at, 4);
        const bool is_signed =
            begins[uint8_t(here[0])] && std::ranges::find(signatures, here) != std::end(signatures);
        // Version 1, reserved 0, some messages, one reference, and a length.
        const bool is_header = at % 8 == 0 && here.starts_with(std::string_view("\1\0", 2)) &&
                               here[3] == 0 && number_at(content, at + 4, 4) == 1 &&
                               number_at(content, at + 8, 4) < 4096;
        if (is_signed || is_header) found.push_back(at);
    }
    return found;
}

/// The bytes before a structure's checksum; 0 if it has none, or is long.
size_t summed_bytes(const std::string& content, size_t at) {
    const size_t most = std::min<size_t>(content.size() - at, 1200);
    for (size_t bytes = 8; bytes + 4 <= most; ++bytes)
        if (hdf5::metadata_checksum(std::string_view(content).substr(at, bytes)) ==
            number_at(content, at + bytes, 4))
            return bytes;
    return 0;
}

void change_one(std::string& content, size_t at, size_t bytes, const std::vector<size_t>& others,
                Random& random) {
    const size_t width = size_t(1) << random() % 4, place = at + 4 + random() % (bytes - 4);
    if (place >= content.size()) return;
    const uint64_t value = number_at(content, place, width);
    switch (random() % 8) {
        case 0:
            return put_number(content, place, width, others[random() % others.size()]);
        case 1:
            return put_number(content, place, width, value ^ uint64_t(1) << random() % (8 * width));
        case 2:
            return put_number(content, place, width, random() % 32);
        case 3:  // What stands somewhere else in it.
            return put_number(content, place, width,
                              number_at(content, at + random() % bytes, width));
        default:
            return put_number(content, place, width, uint64_t(odd_integer(int64_t(value), random)));
    }
}

}  // namespace

Hdf5Numbers::Hdf5Numbers(std::string content)
    : content_(std::move(content)), structures_(structures(content_)) {}

size_t Hdf5Numbers::summed_bytes(size_t at) {
    const auto [known, is_new] = summed_.try_emplace(at, 0);
    if (is_new) known->second = fuzz::summed_bytes(content_, at);
    return known->second;
}

std::string Hdf5Numbers::changed(Random& random) {
    std::string content = content_;
    if (structures_.empty()) return content;
    for (uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
        const size_t at = structures_[random() % structures_.size()], summed = summed_bytes(at);
        const size_t bytes = summed ? summed : std::min<size_t>(content.size() - at, 120);
        for (uint64_t numbers = 1 + random() % 2; numbers > 0; --numbers)
            change_one(content, at, bytes, structures_, random);
        if (summed)
            put_number(content, at + summed, 4,
                       hdf5::metadata_checksum(std::string_view(content).substr(at, summed)));
    }
    return content;
}

void change_hdf5_byte(std::string& content, size_t structure, size_t distance,
                      unsigned char value) {
    const size_t summed = summed_bytes(content, structure);
    content[structure + distance] = char(value);
    if (summed)
        put_number(content, structure + summed, 4,
                   hdf5::metadata_checksum(std::string_view(content).substr(structure, summed)));
}

}  // namespace catena::fuzz
