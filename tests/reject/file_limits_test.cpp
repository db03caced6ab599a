// How much a file may ask for, whatever it declares, and files that are no files.
#include <filesystem>
#include <fstream>
#include <functional>

#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <gmock/gmock.h>

#include "frontend/catena.h"
#include "frontend/dataset/well_known/idx.h"
#include "frontend/serializer/hdf5.h"
#include "frontend/serializer/npz.h"
#include "frontend/trainer/json.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/file/limits.h"
#include "runtime/file/npy.h"
#include "runtime/file/zip_format.h"
#include "runtime/program/file/program.h"
#include "tests/reject/rejection.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

using namespace zip;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// What a zip archive says of one entry, before its data and in the directory.
struct Entry {
    std::string name = "x.npy";
    std::string data;    ///< As it lies in the file.
    uint32_t bytes = 0;  ///< As is announced.
    uint16_t method = stored;
    std::string own_name = name;  ///< In the header before the data.
    uint16_t own_method = method;
    uint32_t own_bytes = bytes;
    int data_of = -1;  ///< Of another entry instead of its own.
};

std::string archive(const std::vector<Entry>& entries) {
    std::string file, directory;
    std::vector<uint32_t> offsets;
    const auto describe = [](std::string& record, uint16_t method, const Entry& e, uint32_t bytes,
                             const std::string& name) {
        put(record, uint16_t(0));
        put(record, method);
        put(record, uint32_t(0));
        put(record,
            uint32_t(crc32(0, reinterpret_cast<const Bytef*>(e.data.data()), uInt(e.data.size()))));
        put(record, uint32_t(e.data.size()));
        put(record, bytes);
        put(record, uint16_t(name.size()));
        put(record, uint16_t(0));
    };
    for (const Entry& e : entries) {
        if (e.data_of >= 0) {
            offsets.push_back(offsets[size_t(e.data_of)]);
            continue;
        }
        offsets.push_back(uint32_t(file.size()));
        put(file, local_signature);
        put(file, uint16_t(20));
        describe(file, e.own_method, e, e.own_bytes, e.own_name);
        file += e.own_name + e.data;
    }
    for (size_t i = 0; i < entries.size(); ++i) {
        put(directory, central_signature);
        put(directory, uint32_t(20 | 20 << 16));
        describe(directory, entries[i].method, entries[i], entries[i].bytes, entries[i].name);
        put(directory, uint64_t(0));
        put(directory, uint16_t(0));
        put(directory, offsets[i]);
        directory += entries[i].name;
    }
    const uint32_t at = uint32_t(file.size());
    file += directory;
    put(file, end_signature);
    put(file, uint32_t(0));
    put(file, uint16_t(entries.size()));
    put(file, uint16_t(entries.size()));
    put(file, uint32_t(directory.size()));
    put(file, at);
    put(file, uint16_t(0));
    return file;
}

/// A stored entry; an honest one.
Entry entry(const std::string& name, const std::string& data) {
    return {.name = name, .data = data, .bytes = uint32_t(data.size())};
}

class FileLimit : public ::testing::Test {
protected:
    FileLimit() {
        fs::remove_all(folder_);
        fs::create_directory(folder_);
    }
    ~FileLimit() override {
        set_file_limits(before_);
        fs::remove_all(folder_);
    }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string written(const std::string& name, const std::string& content) const {
        std::ofstream(path(name), std::ios::binary) << content;
        return path(name);
    }
    std::string refused_archive(const std::vector<Entry>& entries) const {
        const std::string file = written("x.npz", archive(entries));
        return refusal<FileError>([&] { read_npz(file); });
    }
    static void limit(const std::function<void(FileLimits&)>& change) {
        FileLimits limits;
        change(limits);
        set_file_limits(limits);
    }

    const FileLimits before_ = file_limits();
    const fs::path folder_ = fs::temp_directory_path() / fmt::format("catena_limits_{}", getpid());
};

TEST_F(FileLimit, entries_that_share_their_bytes_are_refused) {
    std::vector<Entry> entries{entry("x0.npy", std::string(1000, 'x'))};
    for (int i = 1; i < 100; ++i) {
        entries.push_back(entry(fmt::format("x{}.npy", i), entries[0].data));
        entries.back().data_of = 0;
    }
    EXPECT_THAT(refused_archive(entries), HasSubstr("overlap at byte 0"));
    // One within another.
    const std::string inner = archive({entry("y.npy", "12345678")});
    std::string outer = archive({entry("x.npy", inner), entry("y.npy", "12345678")});
    const size_t record = outer.rfind(std::string("PK\1\2", 4));
    const uint32_t offset = uint32_t(local_bytes + 5);
    std::memcpy(outer.data() + record + 42, &offset, sizeof offset);
    const std::string file = written("inner.npz", outer);
    EXPECT_THAT(refusal<FileError>([&] { read_npz(file); }),
                HasSubstr("entries 'x.npy' and 'y.npy' overlap"));
}

TEST_F(FileLimit, an_entry_that_says_two_things_of_itself_is_refused) {
    Entry e = entry("x.npy", "12345678");
    e.own_name = "y.npy";
    EXPECT_THAT(refused_archive({e}), HasSubstr("entry 'x.npy': its own header calls it 'y.npy'"));
    e = entry("x.npy", "12345678");
    e.own_method = deflated;
    EXPECT_THAT(refused_archive({e}),
                HasSubstr("another method of compression than the directory"));
    e = entry("x.npy", "12345678");
    e.own_bytes = 7;
    EXPECT_THAT(refused_archive({e}), HasSubstr("its own header has the size 7, the directory 8"));
}

TEST_F(FileLimit, a_small_archive_may_not_announce_much_in_all) {
    limit([](FileLimits& limits) { limits.bytes = 1'000'000; });
    NamedArrays zeros;
    for (int i = 0; i < 5; ++i)
        zeros.emplace_back(fmt::format("x{}", i), Array::zeros({Dtype::float32, {100'000}}));
    save_npz(path("zeros.npz"), zeros, {.compression = true});
    const std::string message = refusal<FileError>([&] { read_npz(path("zeros.npz")); });
    EXPECT_THAT(message, HasSubstr("entry 'x2.npy' declares 400128 bytes after 800256 others"));
    EXPECT_THAT(
        message,
        HasSubstr(
            "may declare 1000000 in total; set CATENA_FILE_LIMIT_MB or call set_file_limits()"));
    limit([](FileLimits& limits) { limits.bytes = 3'000'000; });
    EXPECT_EQ(read_npz(path("zeros.npz")).size(), 5u);
    // What is really there is not limited, only what the file multiplies.
    limit([](FileLimits& limits) { limits.bytes = 1; });
    save_npz(path("stored.npz"), zeros, {.compression = false});
    EXPECT_EQ(read_npz(path("stored.npz")).size(), 5u);
}

TEST_F(FileLimit, entries_are_counted) {
    std::vector<Entry> entries;
    for (int i = 0; i < 11; ++i) entries.push_back(entry(fmt::format("{}", i), ""));
    const std::string file = written("many.npz", archive(entries));
    EXPECT_EQ(ZipReader(file).entries().size(), 11u);
    limit([](FileLimits& limits) { limits.entries = 10; });
    EXPECT_THAT(refusal<FileError>([&] { ZipReader{file}; }),
                HasSubstr("declares 11 entries; at most 10 are allowed"));
}

TEST_F(FileLimit, json_within_json_ends_somewhere) {
    const auto parsed = [](const std::string& text) { return parse_json(text, "x.json"); };
    EXPECT_THAT(refusal<FileError>([&] { parsed(std::string(10'000'000, '[')); }),
                HasSubstr("x.json: brackets are nested deeper than 100 at byte 100"));
    EXPECT_EQ(parsed(std::string(100, '[') + std::string(100, ']')).size(), 1u);
    EXPECT_EQ(parsed("\"" + std::string(1000, '[') + "\\\"[\"").get<std::string>().size(), 1002u);
    limit([](FileLimits& limits) { limits.json = 10; });
    EXPECT_THAT(refusal<FileError>([&] { parsed("[1, 2, 3, 4]"); }),
                HasSubstr("is JSON of 12 bytes; at most 10 are allowed"));
}

/// With a search of all names for each of them it takes some minutes.
TEST(JsonNames, are_read_however_many_there_are) {
    constexpr int count = 300'000;
    std::string text = "{\"n0\": 0";
    for (int i = 1; i < count; ++i) text += fmt::format(", \"n{}\": {}", i, i);
    const nlohmann::ordered_json parsed = parse_json(text + "}", "x.json");
    ASSERT_EQ(parsed.size(), size_t(count));
    EXPECT_EQ(parsed.begin().key(), "n0");
    EXPECT_EQ(std::prev(parsed.end()).key(), "n299999");
    EXPECT_EQ(std::prev(parsed.end()).value(), 299'999);
}

TEST(JsonNames, of_one_object_are_distinct) {
    EXPECT_THAT(
        refusal<FileError>([] { parse_json(R"([{"a": 1, "b": {"a": 2}, "a": 3}])", "x.json"); }),
        HasSubstr("x.json: is not valid JSON: an object has the name 'a' twice"));
    EXPECT_EQ(
        parse_json(R"([{"a": 1, "b": {"a": NaN}}, {"a": [true, null, -2, "t"]}])", "x").dump(),
        R"([{"a":1,"b":{"a":null}},{"a":[true,null,-2,"t"]}])");
}

TEST_F(FileLimit, the_environment_sets_it) {
    save_npz(path("zeros.npz"), {{"x0", Array::zeros({Dtype::float32, {1'000'000}})}},
             {.compression = true});
    const auto with = [&](const std::string& megabytes) {
        return run("CATENA_FILE_LIMIT_MB=" + megabytes + " " + program("catena") + " call sum " +
                   path("zeros.npz"));
    };
    EXPECT_EQ(with("4").status, 0) << with("4").output;
    EXPECT_THAT(with("3").output, HasSubstr("may declare 3145728 in total"));
    EXPECT_THAT(
        with("all").output,
        HasSubstr("CATENA_FILE_LIMIT_MB is 'all' in the environment and should be a whole number"));
    EXPECT_NE(with("3").status, 0);
}

TEST_F(FileLimit, a_limit_of_nothing_is_refused) {
    EXPECT_THAT(refusal<ValueError>([] { limit([](FileLimits& limits) { limits.depth = 0; }); }),
                HasSubstr("depth 0"));
}

TEST_F(FileLimit, a_file_that_is_larger_than_memory_is_named_with_its_bytes) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "the address sanitizer ends the process where an allocation would throw";
#endif
    for (const char* part : {"train", "valid", "test"})
        std::ofstream(path(fmt::format("ptb.{}.txt", part))).put('x');
    fs::resize_file(path("ptb.train.txt"), uintmax_t(1) << 42);
    EXPECT_THAT(refusal<OutOfMemory>([&] { get_ptb_words(folder_.string()); }),
                HasSubstr("ptb.train.txt: out of memory: the system refused 4398046511104 bytes"));
}

TEST_F(FileLimit, pipes_and_devices_are_refused_unopened) {
    const std::string pipe = path("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    fs::create_directory(path("ptb"));
    ASSERT_EQ(mkfifo(path("ptb/ptb.train.txt").c_str(), 0600), 0);
    const std::vector<std::pair<const char*, std::function<void(const std::string&)>>> readers = {
        {"npy", [](const std::string& file) { load_npy(file); }},
        {"npz", [](const std::string& file) { read_npz(file); }},
        {"package", [](const std::string& file) { Program::load(file); }},
        {"idx", [](const std::string& file) { read_idx(file, 3); }},
        {"text", [](const std::string& file) { TextDataset({file}); }},
        {"words", [&](const std::string&) { get_ptb_words(path("ptb")); }},
        {"hdf5",
         [](const std::string& file) {
             if (hdf5_available())
                 open_hdf5(file);
             else
                 fail<FileError>("is not a regular file");
         }},
    };
    for (const std::string& file : {pipe, std::string("/dev/zero"), folder_.string()})
        for (const auto& [what, read] : readers) {
            SCOPED_TRACE(what + (" of " + file));
            EXPECT_THAT(refusal<FileError>([&, &read = read] { read(file); }),
                        HasSubstr("is not a regular file"));
        }
}

}  // namespace
}  // namespace catena::testing
