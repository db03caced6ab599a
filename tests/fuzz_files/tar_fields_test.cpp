// Tar archives whose headers say other things, with right checksums, so that what stands behind
// the checksum is reached.
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "frontend/shards/shard_reader.h"
#include "frontend/shards/tar_header.h"
#include "runtime/core/system/error.h"
#include "tests/fuzz_files/corpus.h"
#include "tests/fuzz_files/fields.h"
#include "tests/support/mutator.h"

namespace catena::fuzz {
namespace {

using testing::Random;

/// The fields of a header: where they begin, and how long they are.
struct TarField {
    size_t at, bytes;
};
constexpr TarField fields[] = {{0, 100},  {100, 8},  {108, 8},   {116, 8}, {124, 12},
                               {136, 12}, {156, 1},  {157, 100}, {257, 6}, {263, 2},
                               {265, 32}, {297, 32}, {329, 8},   {337, 8}, {345, 155}};
constexpr size_t checksum_at = 148;

std::string odd_field(size_t bytes, Random& random) {
    const std::string texts[] = {
        "",
        "00000000000",
        "77777777777",
        "7777777",
        "-1",
        "99999999999",
        "00000001000",
        "00000000001",
        std::string("\x80\0\0\0\0\0\0\0\0\0\0\x10", 12),
        std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12),
        std::string("\x80\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12),
        "../../etc/passwd.cls",
        "/a.cls",
        "a.cls",
        "__a__",
        std::string(155, 'n'),
        "ustar",
        "ustar  "};
    std::string text = texts[random() % std::size(texts)];
    if (random() % 4 == 0) {
        text.assign(bytes, '\0');
        for (char& c : text) c = char(random());
    }
    if (bytes == 1) text = std::string(1, "0123456789xgLKSDVNMX\0A"[random() % 22]);
    text.resize(bytes, random() % 2 ? '\0' : ' ');
    return text;
}

void set_checksum(std::string& archive, size_t begin) {
    unsigned sum = 0;
    for (size_t i = 0; i < tar_record_bytes; ++i)
        sum += i >= checksum_at && i < checksum_at + 8
                   ? unsigned(' ')
                   : static_cast<unsigned char>(archive[begin + i]);
    const std::string text = fmt::format("{:06o}", sum);
    std::copy(text.begin(), text.end(), archive.begin() + std::ptrdiff_t(begin + checksum_at));
    archive[begin + checksum_at + 6] = '\0';
    archive[begin + checksum_at + 7] = ' ';
}

/// What stands in a pax header: lengths, names and values that are right or nearly.
std::string odd_pax(Random& random) {
    const char* const keys[] = {"path",
                                "size",
                                "linkpath",
                                "GNU.sparse.map",
                                "GNU.sparse.major",
                                "GNU.sparse.size",
                                "hdrcharset",
                                "mtime",
                                "SCHILY.realsize"};
    const char* const values[] = {"",          "0",     "1",          "18446744073709551616",
                                  "-5",        "b.cls", "0,512,9999", "\xff\xfe",
                                  "1000000000"};
    std::string lines;
    for (uint64_t i = 1 + random() % 4; i > 0; --i) {
        const std::string rest = fmt::format(" {}={}\n", keys[random() % std::size(keys)],
                                             values[random() % std::size(values)]);
        size_t length = rest.size() + (rest.size() > 97 ? 3 : 2);
        if (random() % 4 == 0) length = random() % 100000;
        lines += fmt::format("{}{}", length, rest);
    }
    return lines;
}

std::string odd_archive(Random& random) {
    std::string archive;
    std::vector<size_t> headers;
    for (uint64_t i = 1 + random() % 5; i > 0; --i) {
        std::string content(random() % 1500, char('a' + random() % 3));
        std::string name = fmt::format("d/{}.{}", random() % 3, random() % 2 ? "cls" : "seg.png");
        if (random() % 4 == 0) name += std::string(random() % 300, 'n');
        const bool further = random() % 3 == 0;
        if (further) content = odd_pax(random);
        const std::string header = tar_header(name, content.size());
        for (size_t at = 0; at + tar_record_bytes <= header.size(); at += tar_record_bytes)
            if (header.compare(at + 257, 5, "ustar") == 0) headers.push_back(archive.size() + at);
        archive += header;
        if (further) archive[headers.back() + 156] = "xgLK"[random() % 4];
        archive += content + tar_padding(content.size());
    }
    archive += tar_end();
    for (const size_t begin : headers) {
        if (random() % 2) {
            const TarField& field = fields[random() % std::size(fields)];
            const std::string text = odd_field(field.bytes, random);
            archive.replace(begin + field.at, field.bytes, text);
        }
        if (random() % 8) set_checksum(archive, begin);
    }
    if (random() % 4 == 0) archive.resize(random() % archive.size());
    return archive;
}

void read_samples(const std::string& path, uint64_t seed) {
    ShardReader shard(path);
    if (seed % 4 == 0)
        while (shard.skip()) {
        }
    while (const auto sample = shard.next())
        if (sample->key.empty() || sample->files.empty())
            throw std::logic_error("a sample without a key or files");
}

TEST(FieldsOfTar, give_samples_or_errors_whatever_they_are) {
    const auto write = [](const std::string& path, uint64_t seed) {
        Random random(seed);
        write_file(path, odd_archive(random));
    };
    fuzz_fields({.kind = "tar", .seconds = 2}, write, read_samples);
}

std::string sound_archive(Random& random) {
    std::string archive;
    for (uint64_t i = random() % 4, n = 0; n <= i; ++n) {
        const std::string content(random() % 1500, char('a' + n));
        const std::string name = std::string(random() % 200, 'n') + std::to_string(n) + ".cls";
        archive += tar_header(name, content.size()) + content + tar_padding(content.size());
    }
    return archive + tar_end();
}

std::string gzipped(const std::string& content) {
    z_stream stream{};
    constexpr int with_gzip_header = 15 + 16;
    deflateInit2(&stream, 6, Z_DEFLATED, with_gzip_header, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, content.size()) + 32, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    stream.avail_in = uInt(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = uInt(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

TEST(DamagedTar, gives_samples_or_errors_plain_or_packed) {
    const auto write = [](const std::string& path, uint64_t seed) {
        Random random(seed);
        std::vector<std::string> corpus;
        for (int i = 0; i < 3; ++i) {
            const std::string archive = sound_archive(random);
            corpus.push_back(seed % 2 ? gzipped(archive) : archive);
        }
        write_file(path, random() % 8 ? testing::mutated(corpus, random) : corpus[0]);
    };
    fuzz_fields({.kind = "damaged_tar", .seconds = 2}, write, read_samples);
}

}  // namespace
}  // namespace catena::fuzz
