#include "frontend/serializer/npz.h"

#include <cstdlib>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <sys/resource.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/link/chain.h"
#include "frontend/link/connection/linear.h"
#include "frontend/optimizer/rules/adam.h"
#include "runtime/file/npy.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class NpzTest : public ::testing::Test {
protected:
    NpzTest() { fs::create_directories(folder_); }
    ~NpzTest() override { fs::remove_all(folder_); }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    void write(const std::string& name, const std::string& content) const {
        std::ofstream(path(name), std::ios::binary) << content;
    }
    std::string content(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    /// What Debian's python3 prints, whatever else is on the PATH.
    std::string numpy(const std::string& script) const {
        write("script.py", "import numpy as np\n" + script);
        std::string command =
            "cd '" + folder_.string() + "' && /usr/bin/python3 script.py > out.txt 2> error.txt";
        int status = std::system(command.c_str());
        EXPECT_EQ(status, 0) << content("error.txt");
        return content("out.txt");
    }
    static bool has_numpy() {
        return std::system("/usr/bin/python3 -c 'import numpy' 2> /dev/null") == 0;
    }
    /// The text of the FileError that reading this .npy content gives.
    std::string error_of(const std::string& npy) const {
        write("bad.npy", npy);
        try {
            load_npy(path("bad.npy"));
        } catch (const FileError& error) {
            return error.what();
        }
        return "no error";
    }

private:
    fs::path folder_ =
        fs::temp_directory_path() / fmt::format("catena_npz_{}_{}", getpid(), counter_++);
    static inline int counter_ = 0;
};

std::string npy(const std::string& dictionary, const std::string& elements = "", char major = 1) {
    std::string text = std::string("\x93NUMPY") + major + '\0';
    text += char(dictionary.size() & 255);
    text += char(dictionary.size() >> 8);
    if (major > 1) text += std::string(2, '\0');
    return text + dictionary + elements;
}

std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
    return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
           ", 'shape': " + shape + ", }";
}

struct TwoLayers : Chain {
    Linear l1{3, 4}, l2{std::nullopt, 2};
    State seen{Array::scalar<int64_t>(5)};
    TwoLayers() {
        add_children({{"l1", l1}, {"l2", l2}});
        add_persistent("seen", seen);
    }
    Variable operator()(const Variable& x) { return l2(l1(x)); }
};

TEST_F(NpzTest, every_dtype_comes_back_as_it_was) {
    for (int i = 0; i < dtype_count; ++i) {
        Dtype dtype = Dtype(i);
        Array array =
            Array::from<float>(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3}).astype(dtype);
        save_npy(path("a.npy"), array);
        Array back = load_npy(path("a.npy"));
        EXPECT_EQ(back.to_vector<double>(), array.to_vector<double>()) << name_of(dtype);
        EXPECT_EQ(back.dtype(), dtype == Dtype::bfloat16 ? Dtype::float32 : dtype);
        EXPECT_EQ(to_string(back.shape()), "[2,3]");
    }
}

TEST_F(NpzTest, empty_scalar_and_strided_arrays_come_back) {
    Array matrix = Array::from<float>(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3});
    Array transposed = matrix.view({3, 2}, {1, 3}, 0);
    NamedArrays arrays{{"empty", Array::zeros({Dtype::float32, {0, 4}})},
                       {"scalar", Array::scalar(2.5)},
                       {"transposed", transposed},
                       {"none", Array()}};
    for (bool compression : {true, false}) {
        save_npz(path("a.npz"), arrays, {.compression = compression});
        NamedArrays back = read_npz(path("a.npz"));
        ASSERT_EQ(back.size(), 4u);
        EXPECT_EQ(to_string(back[0].second.shape()), "[0,4]");
        EXPECT_EQ(back[1].second.item<double>(), 2.5);
        EXPECT_THAT(back[2].second.to_vector<float>(), ElementsAre(0, 3, 1, 4, 2, 5));
        EXPECT_FALSE(back[3].second.defined());
    }
}

TEST_F(NpzTest, fortran_order_big_endian_and_unsigned_are_understood) {
    write("f.npy", npy(header("|i1", "(2, 3)", true), std::string("\0\1\2\3\4\5", 6)));
    EXPECT_THAT(load_npy(path("f.npy")).to_vector<int>(), ElementsAre(0, 2, 4, 1, 3, 5));
    write("b.npy", npy(header(">i2", "(2,)"), std::string("\1\2\xff\xff", 4)));
    EXPECT_THAT(load_npy(path("b.npy")).to_vector<int>(), ElementsAre(258, -1));
    write("u.npy", npy(header("<u2", "(2L,)"), std::string("\xff\xff\1\0", 4)));
    EXPECT_THAT(load_npy(path("u.npy")).to_vector<int>(), ElementsAre(65535, 1));
    write("u4.npy", npy(header("<u4", "()"), "\xff\xff\xff\xff", 2));
    EXPECT_EQ(load_npy(path("u4.npy")).item<int64_t>(), 4294967295);
}

TEST_F(NpzTest, wrong_npy_files_are_refused_with_the_place) {
    std::string four(4, '\0');
    EXPECT_THAT(error_of(""), HasSubstr("8 bytes are missing"));
    EXPECT_THAT(error_of("PK\3\4 and some more"), HasSubstr("is not .npy data: byte 0"));
    EXPECT_THAT(error_of(npy(header("<f4", "()"), four, 9)), HasSubstr(".npy format 9 at byte 6"));
    EXPECT_THAT(error_of(std::string("\x93NUMPY\2\0\xff\xff\xff\x7f", 12)),
                HasSubstr("header of 2147483647 bytes"));
    EXPECT_THAT(error_of(npy("{'descr': '<f4', 'shape': (1,)}", four)),
                HasSubstr("'fortran_order'"));
    EXPECT_THAT(error_of(npy("{'descr': '<f4', 'descr': '<f4'}")), HasSubstr("each once"));
    EXPECT_THAT(error_of(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}")),
                HasSubstr("not a structured one"));
    EXPECT_THAT(error_of(npy("{'descr': '<f4")), HasSubstr("a closing quote"));
    EXPECT_THAT(error_of(npy(header("<f4", "(-1,)"))), HasSubstr("a non-negative size"));
    EXPECT_THAT(error_of(npy(header("<f4", "(1,)") + "x", four)),
                HasSubstr("nothing after the dictionary"));
    EXPECT_THAT(error_of(npy(header("<c8", "(1,)"), four)),
                HasSubstr("dtype '<c8' is not supported"));
    EXPECT_THAT(error_of(npy(header("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), four)),
                HasSubstr("9 dimensions"));
    EXPECT_THAT(error_of(npy(header("<f4", "(2,)"), four)), HasSubstr("take 8 bytes from byte"));
    EXPECT_THAT(error_of(npy(header("<f4", "(1,)"), four + "x")), HasSubstr("1 bytes follow"));
    EXPECT_THAT(error_of(npy(header("|O", "(3,)"))), HasSubstr("Python objects"));
    EXPECT_THROW(load_npy(path("not_there.npy")), FileError);
}

TEST_F(NpzTest, sizes_that_overflow_are_refused_before_memory_is_taken) {
    EXPECT_THAT(error_of(npy(header("<f8", "(9223372036854775807, 9223372036854775807)"))),
                HasSubstr("more elements than fit into memory"));
    EXPECT_THAT(error_of(npy(header("<f8", "(4611686018427387904, 4)"))),
                HasSubstr("more elements"));
    EXPECT_THAT(error_of(npy(header("<f8", "(99999999999999999999,)"))), HasSubstr("below 2^63"));
    EXPECT_THAT(error_of(npy(header("<f4", "(1000000000000,)"))), HasSubstr("at most 0 are left"));
}

TEST_F(NpzTest, truncated_archives_are_refused_at_every_length) {
    save_npz(path("a.npz"),
             NamedArrays{{"x", Array::from<float>({1, 2, 3})}, {"y", Array::scalar(1.0)}});
    std::string whole = content("a.npz");
    for (size_t length = 0; length < whole.size(); length += 7) {
        write("cut.npz", whole.substr(0, length));
        EXPECT_THROW(read_npz(path("cut.npz")), FileError) << length;
    }
}

TEST_F(NpzTest, a_changed_byte_is_found_or_harmless) {
    Array x = Array::from<float>({1, 2, 3});
    for (bool compression : {true, false}) {
        save_npz(path("a.npz"), NamedArrays{{"x", x}}, {.compression = compression});
        std::string whole = content("a.npz");
        for (size_t i = 0; i < whole.size(); ++i) {
            std::string changed = whole;
            changed[i] = char(changed[i] ^ 0x41);
            write("changed.npz", changed);
            try {
                NamedArrays back = read_npz(path("changed.npz"));
                EXPECT_TRUE(back.contains("x") &&
                            back["x"].to_vector<float>() == x.to_vector<float>())
                    << "byte " << i;
            } catch (const Error&) {
            }
        }
    }
}

TEST_F(NpzTest, arrays_are_found_by_name) {
    save_npz(path("a.npz"), {{"a", Array::from<float>({1, 2})}, {"b", Array::scalar(3.0)}});
    EXPECT_EQ(read_npz(path("a.npz"))["b"].item<double>(), 3);
    const NamedArrays all = read_npz(path("a.npz"));
    EXPECT_EQ(all[0].first, "a");
    try {
        all["bb"];
        FAIL();
    } catch (const ValueError& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("there is no array 'bb'; the nearest of its 2 keys is 'b'"));
    }
}

TEST_F(NpzTest, uint64_is_read_as_far_as_int64_holds_it) {
    const auto npy = [&](uint64_t last) {
        std::string text = "\x93NUMPY\1" + std::string(1, '\0') + std::string("\x46\0", 2) +
                           "{'descr': '<u8', 'fortran_order': False, 'shape': (2,), }";
        text.append(10 + 0x46 - 1 - text.size(), ' ');
        text += '\n';
        for (const uint64_t value : {uint64_t(7), last})
            text.append(reinterpret_cast<const char*>(&value), sizeof value);
        return text;
    };
    write("a.npy", npy(uint64_t(1) << 62));
    EXPECT_THAT(load_npy(path("a.npy")).to_vector<int64_t>(), ElementsAre(7, int64_t(1) << 62));
    EXPECT_THAT(error_of(npy((uint64_t(1) << 63) + 5)),
                HasSubstr("element 1 is 9223372036854775813; of uint64 only what int64 can hold"));
}

TEST_F(NpzTest, a_small_archive_cannot_ask_for_much_memory) {
    save_npz(path("a.npz"), NamedArrays{{"x", Array::from<float>({1, 2, 3})}});
    std::string whole = content("a.npz");
    size_t entry = whole.rfind("PK\1\2");
    for (size_t i = 0; i < 4; ++i) whole[entry + 24 + i] = '\x7f';  // The uncompressed size.
    write("bomb.npz", whole);
    try {
        read_npz(path("bomb.npz"));
        FAIL();
    } catch (const FileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("cannot come from"));
    }
}

TEST_F(NpzTest, links_come_back_with_chainers_keys) {
    TwoLayers model;
    model(Variable(Array::zeros({Dtype::float32, {1, 3}})));
    save_npz(path("model.npz"), model);
    EXPECT_THAT(NpzFile(path("model.npz")).keys(),
                ElementsAre("l1/W", "l1/b", "l2/W", "l2/b", "seen"));
    TwoLayers other;
    other.seen.set_array(Array::scalar<int64_t>(0));
    VariableBody* identity = other.l1.W.body();
    load_npz(path("model.npz"), other);
    EXPECT_EQ(other.l1.W.body(), identity);
    EXPECT_EQ(other.l1.W.array().to_vector<float>(), model.l1.W.array().to_vector<float>());
    EXPECT_EQ(other.l2.W.array().to_vector<float>(),
              model.l2.W.array().to_vector<float>());  // It was lazy.
    EXPECT_EQ(other.seen.array().item<int64_t>(), 5);
}

TEST_F(NpzTest, uninitialised_parameters_are_none_and_stay_so) {
    TwoLayers model;
    save_npz(path("model.npz"), model);
    EXPECT_FALSE(NpzFile(path("model.npz")).read("l2/W").defined());
    TwoLayers other;
    load_npz(path("model.npz"), other);
    EXPECT_FALSE(other.l2.W.is_initialized());
    EXPECT_TRUE(other.l1.W.is_initialized());
}

TEST_F(NpzTest, a_file_that_does_not_fit_changes_nothing) {
    TwoLayers model;
    std::vector<float> before = model.l1.W.array().to_vector<float>();
    NamedArrays arrays{{"l1/W", Array::zeros({Dtype::float32, {4, 3}})},
                       {"l1/b", Array::zeros({Dtype::float32, {4}})},
                       {"l2/W", Array()},
                       {"l2/b", Array::zeros({Dtype::float32, {3}})},  // should be 2
                       {"seen", Array::scalar<int64_t>(1)}};
    save_npz(path("model.npz"), arrays);
    try {
        load_npz(path("model.npz"), model);
        FAIL();
    } catch (const FileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("'l2/b' has shape [3], [2] is expected"));
    }
    EXPECT_EQ(model.l1.W.array().to_vector<float>(), before);
    EXPECT_EQ(model.seen.array().item<int64_t>(), 5);
}

TEST_F(NpzTest, missing_keys_are_errors_unless_not_strict_or_ignored) {
    TwoLayers model;
    save_npz(path("part.npz"), NamedArrays{{"l1/w", Array::zeros({Dtype::float32, {4, 3}})}});
    try {
        load_npz(path("part.npz"), model);
        FAIL();
    } catch (const FileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("there is no 'l1/W'"));
        EXPECT_THAT(error.what(), HasSubstr("'l1/w'"));
    }
    EXPECT_NO_THROW(load_npz(path("part.npz"), model, {.strict = false}));
    EXPECT_NO_THROW(load_npz(path("part.npz"), model,
                             {.ignore_names = {"l1/W", "l1/b", "l2/W", "l2/b", "seen"}}));
}

TEST_F(NpzTest, part_of_a_larger_file_is_loaded_by_path_and_converted) {
    Linear layer(2, 1);
    save_npz(path("snapshot.npz"),
             NamedArrays{
                 {"updater/model:main/W", Array::from<double>(std::vector<double>{1, 2}, {1, 2})},
                 {"updater/model:main/b", Array::from<int32_t>({3})}});
    load_npz(path("snapshot.npz"), layer, {.path = "updater/model:main"});
    EXPECT_THAT(layer.W.array().to_vector<float>(), ElementsAre(1, 2));
    EXPECT_EQ(layer.b.dtype(), Dtype::float32);
}

TEST_F(NpzTest, floats_do_not_become_integers) {
    TwoLayers model;
    save_npz(path("model.npz"), NamedArrays{{"seen", Array::scalar(1.5)}});
    EXPECT_THROW(load_npz(path("model.npz"), model, {.strict = false}), FileError);
}

TEST_F(NpzTest, a_resumed_optimizer_continues_as_if_nothing_had_happened) {
    auto step = [](TwoLayers& model, Adam& adam, float k) {
        for (Parameter* p : model.params(false)) p->set_grad(Array::full(p->type(), k));
        adam.update();
    };
    TwoLayers model;
    Adam adam;
    adam.setup(model);
    step(model, adam, 0.5f);
    step(model, adam, -0.3f);
    adam.new_epoch();
    save_npz(path("model.npz"), model);
    save_npz(path("state.npz"), adam);
    EXPECT_THAT(NpzFile(path("state.npz")).keys(),
                ElementsAre("t", "epoch", "l1/W/t", "l1/W/m", "l1/W/v", "l1/b/t", "l1/b/m",
                            "l1/b/v", "l2/W/t", "l2/W/m", "l2/W/v", "l2/b/t", "l2/b/m", "l2/b/v"));
    step(model, adam, 0.2f);

    TwoLayers resumed;
    Adam other;
    other.setup(resumed);
    load_npz(path("model.npz"), resumed);
    load_npz(path("state.npz"), other);
    EXPECT_EQ(other.t(), 2);
    EXPECT_EQ(other.epoch(), 1);
    step(resumed, other, 0.2f);
    EXPECT_EQ(resumed.l1.W.array().to_vector<float>(), model.l1.W.array().to_vector<float>());
}

TEST_F(NpzTest, a_failed_write_leaves_the_old_file_alone) {
    save_npz(path("model.npz"), NamedArrays{{"x", Array::scalar(1.0)}});
    rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);  // A file-size limit stands for the full disk.
    rlimit small{1000, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    std::string message;
    try {
        save_npz(path("model.npz"), NamedArrays{{"x", Array::zeros({Dtype::float64, {100000}})}},
                 {.compression = false});
    } catch (const FileError& error) {
        message = error.what();
    }
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_THAT(message, HasSubstr("writing failed"));
    EXPECT_EQ(NpzFile(path("model.npz")).read("x").item<double>(), 1.0);
    EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(path("")).parent_path()),
                            fs::directory_iterator()),
              1);
    EXPECT_THROW(save_npz(path("no/such/folder/model.npz"), NamedArrays{}), FileError);
}

TEST_F(NpzTest, equal_content_gives_equal_files) {
    TwoLayers model;
    save_npz(path("a.npz"), model);
    save_npz(path("b.npz"), model);
    EXPECT_EQ(content("a.npz"), content("b.npz"));
}

TEST_F(NpzTest, numpy_reads_what_catena_writes) {
    if (!has_numpy()) GTEST_SKIP() << "python3 has no numpy";
    save_npz(path("a.npz"),
             NamedArrays{{"l1/W", Array::from<float>(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3})},
                         {"half", Array::from<float>({0.5f}).astype(Dtype::float16)},
                         {"none", Array()},
                         {"flag", Array::from<bool>({true, false})}});
    EXPECT_EQ(numpy("f = np.load('a.npz', allow_pickle=True)\n"
                    "print(sorted(f.files), f['l1/W'].tolist(), f['l1/W'].dtype, f['half'], "
                    "f['none'][()], f['flag'])\n"),
              "['flag', 'half', 'l1/W', 'none'] [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] float32 [0.5] "
              "None [ True False]\n");
}

TEST_F(NpzTest, catena_reads_what_numpy_writes) {
    if (!has_numpy()) GTEST_SKIP() << "python3 has no numpy";
    numpy(
        "a = np.arange(6, dtype='f4').reshape(2, 3)\n"
        "for save, name in ((np.savez, 'a.npz'), (np.savez_compressed, 'c.npz')):\n"
        "    save(name, **{'l1/W': a, 'T': np.asfortranarray(a), 'big': a.astype('>f8'), 'none': "
        "None, 't': 3})\n");
    for (const char* name : {"a.npz", "c.npz"}) {
        NpzFile file(path(name));
        EXPECT_THAT(file.read("l1/W").to_vector<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
        EXPECT_THAT(file.read("T").to_vector<float>(), ElementsAre(0, 1, 2, 3, 4, 5));
        EXPECT_THAT(file.read("big").to_vector<double>(), ElementsAre(0, 1, 2, 3, 4, 5));
        EXPECT_FALSE(file.read("none").defined());
        EXPECT_EQ(file.read("t").item<int64_t>(), 3);
    }
}

}  // namespace
}  // namespace catena
