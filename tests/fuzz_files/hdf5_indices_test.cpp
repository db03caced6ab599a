// Datasets whose chunks libhdf5 finds in every way that it has, read without it; and files where a
// number of what they are found by was changed.
#include <filesystem>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <hdf5.h>

#include "frontend/serializer/archive.h"
#include "frontend/serializer/hdf5.h"
#include "runtime/core/array/array.h"
#include "runtime/core/system/error.h"
#include "tests/fuzz_files/corpus.h"
#include "tests/fuzz_files/hdf5_numbers.h"
#include "tests/fuzz_files/supervised.h"

namespace catena::fuzz {
namespace {

using Extent = std::vector<hsize_t>;
constexpr hsize_t endless = H5S_UNLIMITED;

class Hdf5Indices : public ::testing::Test {
protected:
    Hdf5Indices() {
        access_ = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_libver_bounds(access_, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
        file_ = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access_);
    }
    ~Hdf5Indices() override {
        close();
        H5Pclose(access_);
    }
    void close() {
        if (file_ >= 0) H5Fclose(file_);
        file_ = -1;
    }

    struct How {
        Extent chunk, most = {};
        bool is_packed = false, is_early = false, has_plain_edges = false;
        hid_t type = H5T_STD_I32LE;
    };
    /// 0, 1, 2, ... in these sizes.
    void write(const char* name, const Extent& sizes, const How& how) {
        const hid_t space = H5Screate_simple(int(sizes.size()), sizes.data(),
                                             how.most.empty() ? nullptr : how.most.data());
        const hid_t made = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(made, int(how.chunk.size()), how.chunk.data());
        if (how.is_packed) {
            H5Pset_shuffle(made);
            H5Pset_deflate(made, 4);
            H5Pset_fletcher32(made);
        }
        if (how.is_early) H5Pset_alloc_time(made, H5D_ALLOC_TIME_EARLY);
        if (how.has_plain_edges) H5Pset_chunk_opts(made, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
        const hid_t set = H5Dcreate2(file_, name, how.type, space, H5P_DEFAULT, made, H5P_DEFAULT);
        std::vector<int> values(size_t(H5Sget_simple_extent_npoints(space)));
        std::iota(values.begin(), values.end(), 0);
        EXPECT_GE(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
        H5Dclose(set);
        H5Pclose(made);
        H5Sclose(space);
    }
    void expect_counting(const ArchiveReader& file, const std::string& name) {
        const std::vector<double> values = file.read(name).to_vector<double>();
        for (size_t i = 0; i < values.size(); ++i)
            ASSERT_EQ(values[i], double(i)) << name << " at " << i;
    }
    /// All that there is to find chunks and names by.
    void write_all(hsize_t many) {
        write("single", {3, 5}, {.chunk = {3, 5}});
        write("single packed", {3, 5}, {.chunk = {3, 5}, .is_packed = true});
        write("in order", {7, 5}, {.chunk = {2, 3}, .is_early = true});
        write("array", {7, 5}, {.chunk = {2, 3}});
        write("array that may grow", {7, 5}, {.chunk = {2, 3}, .most = {9, 20}});
        write("pages", {many}, {.chunk = {1}, .is_packed = true});
        write("grows", {many}, {.chunk = {1}, .most = {endless}});
        write("grows inside", {5, 40}, {.chunk = {2, 3}, .most = {8, endless}, .is_packed = true});
        write("tree", {20, 30}, {.chunk = {2, 3}, .most = {endless, endless}});
        write("tree packed", {9, 9},
              {.chunk = {2, 3}, .most = {endless, endless}, .is_packed = true});
        write("plain edges", {7, 5}, {.chunk = {2, 3}, .is_packed = true, .has_plain_edges = true});
        write("float", {7, 5}, {.chunk = {2, 3}, .type = H5T_IEEE_F64BE});
        write("unsigned", {7, 5}, {.chunk = {2, 3}, .type = H5T_STD_U16BE});
    }

    const std::string path_ = ::testing::TempDir() + "indices.h5";
    hid_t access_ = -1, file_ = -1;
};

TEST_F(Hdf5Indices, of_every_kind_are_read) {
    write_all(3000);
    close();
    const auto file = open_hdf5(path_);
    EXPECT_EQ(file->keys().size(), 13u);
    for (const std::string& key : file->keys()) expect_counting(*file, key);
}

TEST_F(Hdf5Indices, of_an_array_whose_blocks_have_pages_are_read) {
    write("x", {150'000}, {.chunk = {1}, .most = {endless}, .type = H5T_STD_I32BE});
    close();
    expect_counting(*open_hdf5(path_), "x");
}

TEST_F(Hdf5Indices, names_of_a_group_with_thousands_are_read) {
    const hid_t space = H5Screate(H5S_SCALAR);
    for (int i = 0; i < 3000; ++i)
        H5Dclose(H5Dcreate2(file_, std::to_string(i).c_str(), H5T_STD_I8LE, space, H5P_DEFAULT,
                            H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    close();
    const auto file = open_hdf5(path_);
    EXPECT_EQ(file->keys().size(), 3000u);
    for (int i = 0; i < 3000; ++i) EXPECT_TRUE(file->contains(std::to_string(i))) << i;
}

/// One number, which libhdf5 never writes in chunks.
TEST_F(Hdf5Indices, of_a_dataset_without_dimensions_are_refused) {
    close();
    file_ = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    write("x", {5}, {.chunk = {4}});
    close();
    std::string content = content_of(path_);
    // Version 1, one dimension, with the most that it may have; version 3, chunks, one dimension
    // and the element's.
    const size_t space = content.find(std::string("\1\1\1\0\0\0\0\0\5\0", 10)),
                 layout = content.find(std::string("\3\2\2", 3));
    ASSERT_NE(space, content.npos);
    ASSERT_NE(layout, content.npos);
    ASSERT_EQ(content[layout + 11], 4);
    content[space + 1] = 0;
    content[layout + 2] = 1;
    write_file(path_, content);
    const auto file = open_hdf5(path_);
    try {
        file->read("x");
        ADD_FAILURE() << "it is read";
    } catch (const FileError& error) {
        EXPECT_NE(std::string(error.what()).find("chunks without dimensions"), std::string::npos)
            << error.what();
    }
}

/// The filter that sorts bytes has elements of 4 GiB in chunks of 4 bytes: they stay as they are,
/// and nothing is done 2^32 times.
TEST_F(Hdf5Indices, of_elements_that_are_larger_than_their_chunks_are_read_at_once) {
    close();
    file_ = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    write("x", {40}, {.chunk = {1}, .is_packed = true});
    close();
    std::string content = content_of(path_);
    // The filter's number, the length of its name, its flags, one value; the name, and the value.
    const size_t shuffle = content.find("shuffle");
    ASSERT_NE(shuffle, content.npos);
    ASSERT_EQ(content.substr(shuffle - 8, 8), std::string("\2\0\10\0\1\0\1\0", 8));
    ASSERT_EQ(content.substr(shuffle + 8, 4), std::string("\4\0\0\0", 4));
    content.replace(shuffle + 8, 4, 4, char(0xff));
    write_file(path_, content);
    const Tally tally = supervised({.seconds = 0, .least_inputs = 1}, [&](uint64_t) {
        expect_counting(*open_hdf5(path_), "x");
        return !HasFailure();
    });
    EXPECT_EQ(tally.accepted, 1);
    for (const Tally::Failure& failure : tally.failures) ADD_FAILURE() << failure.what;
}

/// libhdf5 ends the process for some of these.
TEST_F(Hdf5Indices, with_any_byte_changed_are_read_or_refused) {
    write_all(30);
    close();
    const std::string sound = content_of(path_);
    const Supervision all{.seconds = 0, .least_inputs = 0};
    for (const char* signature : {"BTHD", "FRHP", "FAHD", "EAHD", "FADB", "EAIB", "BTLF", "FHDB"}) {
        const size_t at = sound.find(signature);
        ASSERT_NE(at, sound.npos) << signature;
        constexpr int values = 2;
        Supervision how = all;
        how.least_inputs = 22 * values;
        const Tally tally = supervised(how, [&](uint64_t number) {
            const unsigned char put[values] = {9, 0xff};
            std::string changed = sound;
            const size_t place = 4 + size_t(number - how.first_seed) / values;
            change_hdf5_byte(changed, at, place, put[number % values]);
            write_file(path_, changed);
            try {
                const auto file = open_hdf5(path_);
                for (const std::string& key : file->keys()) file->read(key);
                return true;
            } catch (const FileError&) {
                return false;
            }
        });
        EXPECT_EQ(tally.inputs, how.least_inputs) << signature;
        for (const Tally::Failure& failure : tally.failures)
            ADD_FAILURE() << signature << ", byte " << 4 + (failure.seed - how.first_seed) / values
                          << ": " << failure.what;
        EXPECT_GT(tally.refused, 0) << signature;
    }
}

}  // namespace
}  // namespace catena::fuzz
