#include "frontend/serializer/hdf5.h"

#include <csignal>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "frontend/link/chain.h"
#include "frontend/link/connection/linear.h"
#include "frontend/optimizer/rules/adam.h"
#include "frontend/serializer/npz.h"
#include "runtime/file/limits.h"
#include "runtime/ops/array/layout/from_lists.h"
#include "tests/support/command.h"
#include "tests/trainer/fixtures.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

struct TwoLayers : Chain {
    Linear l1{30, 40}, l2{std::nullopt, 2};
    State seen{Array::scalar<int64_t>(5)};
    TwoLayers() {
        add_children({{"l1", l1}, {"l2", l2}});
        add_persistent("seen", seen);
    }
};

class Hdf5Test : public testing::FolderTest {
protected:
    void SetUp() override {
        if (!hdf5_available()) GTEST_SKIP() << "built without HDF5";
    }
    /// Debian's python3 has the packages, whatever else is on the PATH.
    static bool has_h5py() {
        return testing::run("/usr/bin/python3 -c 'import h5py, numpy'").status == 0;
    }
    std::string python(const std::string& script) const {
        write("script.py", "import h5py, numpy as np\n" + script);
        auto result = testing::run("cd '" + path() + "' && /usr/bin/python3 script.py 2>&1");
        EXPECT_EQ(result.status, 0) << result.output;
        return result.output;
    }
    std::string error_of(const std::string& file) const {
        return message_of<FileError>([&] { open_hdf5(path(file))->read("x"); });
    }
};

TEST_F(Hdf5Test, every_kind_of_value_comes_back) {
    std::vector<Array> arrays;
    std::string text = "añ☃\n", empty;
    SerializeFunction save = [&](const Serializer& s) {
        for (int i = 0; i < dtype_count; ++i)
            s["a"].write(
                fmt::format("{}", i),
                Array::from<float>(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3}).astype(Dtype(i)));
        s.write("none", Array());
        s.write("scalar", Array::scalar(2.5));
        s.write("empty", Array::zeros({Dtype::float32, {0, 4}}));
        s("text", text);
        s("nothing", empty);
    };
    for (bool compression : {true, false}) {
        save_hdf5(path("x.h5"), save, {.compression = compression});
        auto file = open_hdf5(path("x.h5"));
        for (int i = 0; i < dtype_count; ++i) {
            Array array = file->read(fmt::format("a/{}", i));
            EXPECT_EQ(array.dtype(), Dtype(i) == Dtype::bfloat16 ? Dtype::float32 : Dtype(i));
            EXPECT_EQ(array.to_vector<double>()[1], 1);
            EXPECT_EQ(array.to_vector<double>()[5], Dtype(i) == Dtype::bool_ ? 1 : 5);
        }
        EXPECT_FALSE(file->read("none").defined());
        EXPECT_EQ(file->read("scalar").item<double>(), 2.5);
        EXPECT_EQ(to_string(file->read("empty").shape()), "[0,4]");
        EXPECT_EQ(file->read_text("text"), text);
        EXPECT_EQ(file->read_text("nothing"), "");
        EXPECT_EQ(file->keys().size(), size_t(dtype_count + 5));
        EXPECT_THAT(message_of<FileError>([&] { file->read("b/1"); }),
                    HasSubstr("there is no 'b/1'; the nearest"));
        EXPECT_FALSE(file->contains("a")) << "a group is no value";
    }
}

TEST_F(Hdf5Test, links_and_optimizers_come_back_with_chainers_keys) {
    TwoLayers model;
    Adam adam;
    adam.setup(model);
    save_hdf5(path("m.h5"), model);
    auto keys = open_hdf5(path("m.h5"))->keys();
    EXPECT_THAT(keys, ::testing::UnorderedElementsAre("l1/W", "l1/b", "l2/W", "l2/b", "seen"));
    TwoLayers other;
    load_hdf5(path("m.h5"), other);
    EXPECT_EQ(other.l1.W.array().to_vector<float>(), model.l1.W.array().to_vector<float>());
    EXPECT_FALSE(other.l2.W.is_initialized());
    adam.set_step_count(3);
    save_hdf5(path("o.h5"), adam);
    adam.set_step_count(0);
    load_hdf5(path("o.h5"), adam);
    EXPECT_EQ(adam.t(), 3);
    EXPECT_THAT(message_of<FileError>([&] { load_hdf5(path("o.h5"), other); }),
                HasSubstr("there is no 'l1/W'"));
}

TEST_F(Hdf5Test, h5py_reads_what_is_written) {
    if (!has_h5py()) GTEST_SKIP() << "h5py is not installed";
    TwoLayers model;
    bool flag = true;
    std::string text = "añ";
    save_hdf5(path("m.h5"), SerializeFunction([&](const Serializer& s) {
                  model.serialize(s);
                  s("flag", flag);
                  s("text", text);
                  s.write("half", Array::from<float>({1.5, -2}).astype(Dtype::float16));
              }));
    EXPECT_EQ(python("f = h5py.File('m.h5', 'r')\n"
                     "print(f['l1/W'].dtype, f['l1/W'].shape, f['l1/W'].compression, "
                     "f['l2/W'].shape, f['seen'][()],\n"
                     "      f['flag'][()], f['text'][()].decode(), f['half'][()].tolist(), "
                     "f['half'].dtype)\n"),
              "float32 (40, 30) gzip None 5 True añ [1.5, -2.0] float16\n");
}

TEST_F(Hdf5Test, reads_what_h5py_writes) {
    if (!has_h5py()) GTEST_SKIP() << "h5py is not installed";
    python(
        "f = h5py.File('p.h5', 'w')\n"
        "f.create_dataset('g/big', data=np.arange(6, dtype='>f8').reshape(2, 3))\n"
        "f.create_dataset('u', data=np.array([1, 65535], dtype='u2'))\n"
        "f.create_dataset('b', data=np.array([True, False]), compression=4)\n"
        "f.create_dataset('none', data=h5py.Empty('f'))\n");
    auto file = open_hdf5(path("p.h5"));
    EXPECT_EQ(file->read("g/big").to_vector<double>()[5], 5);
    EXPECT_EQ(file->read("u").to_vector<int>()[1], 65535);
    EXPECT_EQ(file->read("b").to_vector<int>()[0], 1);
    EXPECT_FALSE(file->read("none").defined());
}

TEST_F(Hdf5Test, refuses_what_leads_elsewhere_or_announces_too_much) {
    if (!has_h5py()) GTEST_SKIP() << "h5py is not installed";
    python(
        "a = h5py.File('a.h5', 'w'); a['x'] = np.zeros(3); a.close()\n"
        "f = h5py.File('external.h5', 'w'); f['x'] = h5py.ExternalLink('a.h5', '/x'); f.close()\n"
        "f = h5py.File('soft.h5', 'w'); f['y'] = np.zeros(3); f['x'] = h5py.SoftLink('/y'); "
        "f.close()\n"
        "f = h5py.File('huge.h5', 'w'); f.create_dataset('x', (1 << 40,), 'f4', chunks=(1 << 20,), "
        "compression=4); f.close()\n"
        "f = h5py.File('unwritten.h5', 'w'); f.create_dataset('x', (1 << 28,), 'f4'); f.close()\n"
        "f = h5py.File('outside.h5', 'w')\n"
        "f.create_dataset('x', (4,), 'f4', external=[('/etc/passwd', 0, 16)]); f.close()\n"
        "f = h5py.File('virtual.h5', 'w'); l = h5py.VirtualLayout((3,), 'f8'); l[:] = "
        "h5py.VirtualSource('a.h5', 'x', (3,))\n"
        "f.create_virtual_dataset('x', l); f.close()\n"
        "f = h5py.File('compound.h5', 'w'); f['x'] = np.zeros(2, [('a', 'f4'), ('b', 'i4')]); "
        "f.close()\n"
        "f = h5py.File('lzf.h5', 'w'); f.create_dataset('x', data=np.zeros(9), compression='lzf'); "
        "f.close()\n");
    EXPECT_THAT(error_of("external.h5"), HasSubstr("there is no 'x'"));
    EXPECT_THAT(error_of("soft.h5"), HasSubstr("there is no 'x'"));
    EXPECT_THAT(error_of("huge.h5"), HasSubstr("'x' declares 4398046511104 bytes"));
    EXPECT_THAT(error_of("unwritten.h5"), HasSubstr("'x' declares 1073741824 bytes"));
    EXPECT_THAT(error_of("outside.h5"), HasSubstr("is in another file"));
    EXPECT_THAT(error_of("virtual.h5"), HasSubstr("is in another file"));
    EXPECT_THAT(error_of("compound.h5"), HasSubstr("of a type that is not supported"));
    EXPECT_THAT(error_of("lzf.h5"), HasSubstr("compressed by filter 32000"));
}

TEST_F(Hdf5Test, chunks_without_elements_are_refused_before_the_library_divides_by_them) {
    if (!has_h5py()) GTEST_SKIP() << "h5py is not installed";
    python(
        "f = h5py.File('x.h5', 'w')\n"  // Of the older form, whose headers have no checksums.
        "f.create_dataset('x', data=np.zeros((30, 40), 'f4'), chunks=(30, 40), compression=4)\n");
    const std::string sound = content("x.h5");
    const size_t layout =
        sound.find("\3\2\3");  // Version 3, in chunks, of 2 dimensions and an element's bytes.
    ASSERT_NE(layout, sound.npos);
    for (size_t dim = 0; dim < 3; ++dim) {
        std::string changed = sound;
        changed.replace(layout + 11 + 4 * dim, 4, 4, '\0');
        write("x.h5", changed);
        EXPECT_THAT(error_of("x.h5"),
                    HasSubstr(fmt::format(
                        "a dataset whose chunks have size 0 in dimension {} at byte", dim)));
        changed[layout] =
            1;  // The older form: rank, kind, five bytes of nothing, and then as before.
        changed[layout + 1] = 3;
        changed[layout + 2] = 2;
        changed.replace(layout + 3, 25, 25, '\0');
        write("x.h5", changed);
        EXPECT_THAT(error_of("x.h5"), HasSubstr("size 0 in dimension 0"));
    }
}

TEST_F(Hdf5Test, many_datasets_may_not_announce_more_in_all_than_the_file_may) {
    save_hdf5(path("x.h5"), SerializeFunction([](const Serializer& s) {
                  for (const char* key : {"a", "b", "c"})
                      s.write(key, Array::zeros({Dtype::float32, {100'000}}));
              }));
    const FileLimits before = file_limits();
    FileLimits limits;
    limits.bytes = 1'000'000;
    set_file_limits(limits);
    const auto file = open_hdf5(path("x.h5"));
    file->read("a");
    file->read("b");
    file->read("b");
    EXPECT_THAT(message_of<FileError>([&] { file->read("c"); }),
                HasSubstr("'c' declares 400000 bytes after 800000 others"));
    set_file_limits(before);
}

TEST_F(Hdf5Test, arrays_are_saved_and_read_by_name) {
    save_hdf5(path("x.h5"), {{"x", array({1.5f, 2.5f})}, {"deep/t", array({7})}});
    EXPECT_EQ(read_hdf5(path("x.h5"))["deep/t"].item<int>(), 7);
    const NamedArrays all = read_hdf5(path("x.h5"));
    ASSERT_EQ(all.size(), 2u);
    EXPECT_TRUE(all.contains("x"));
    EXPECT_EQ(all["x"].to_vector<float>(), (std::vector<float>{1.5f, 2.5f}));
    EXPECT_THAT(message_of<ValueError>([&] { all["y"]; }), HasSubstr("there is no array 'y'"));
}

/// The two bytes of an exponent's bias follow the positions of a float's parts (12 bytes).
TEST_F(Hdf5Test, types_that_are_not_standard_are_refused) {
    if (!has_h5py()) GTEST_SKIP() << "h5py is not installed";
    python("f = h5py.File('x.h5', 'w'); f['x'] = np.array([1.5, 2.5], 'f4')\n");
    const std::string sound = content("x.h5");
    // Version 1, class 1, the positions; 4 bytes; offset 0, precision 32; exponent 8 bits from 23
    // on, mantissa 23 from 0 on; bias 127.
    const std::string type("\x11\x20\x1f\0\4\0\0\0\0\0\x20\0\x17\x08\0\x17\x7f\0\0\0", 20);
    const size_t at = sound.find(type);
    ASSERT_NE(at, sound.npos);
    int loaded = 0;
    for (size_t byte = 8; byte < type.size(); ++byte)  // Behind the size, which decides the dtype.
        for (int bit = 0; bit < 8; ++bit) {
            std::string changed = sound;
            changed[at + byte] = char(changed[at + byte] ^ (1 << bit));
            write("x.h5", changed);
            try {
                const Array x = read_hdf5(path("x.h5"))["x"];
                EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1.5f, 2.5f}))
                    << "byte " << byte << ", bit " << bit;
                ++loaded;
            } catch (const FileError&) {
            }
        }
    EXPECT_EQ(loaded, 0);
    std::string biased = sound;
    biased[at + 16] = char(0x7f ^ 2);
    write("x.h5", biased);
    EXPECT_THAT(error_of("x.h5"),
                HasSubstr("of a type that is not supported: floats of 4 bytes (8 bits of exponent "
                          "with bias 125, 23 of mantissa)"));
}

/// A file of h5py's that has `count` chunks of one byte would be as small: the chunks are not
/// written. The sizes of chunks follow the address of their tree.
TEST_F(Hdf5Test, many_small_chunks_are_refused) {
    if (!has_h5py()) GTEST_SKIP() << "h5py is not installed";
    python(
        "f = h5py.File('x.h5', 'w')\n"
        "f.create_dataset('x', data=np.zeros(3 << 19, 'u1'), chunks=(1 << 20,), compression=4)\n");
    const std::string sound = content("x.h5");
    const size_t layout = sound.find("\3\2\2");  // Version 3, in chunks, of 1 dimension.
    ASSERT_NE(layout, sound.npos);
    std::string changed = sound;
    changed.replace(layout + 11, 4, std::string("\1\0\0\0", 4));
    write("x.h5", changed);
    EXPECT_THAT(error_of("x.h5"), HasSubstr("'x', in 1572864 chunks,"));
}

TEST_F(Hdf5Test, groups_in_groups_in_groups_have_a_limit) {
    const auto nested = [&](int depth) {
        std::string key = "x";
        for (int i = 0; i < depth; ++i) key = "g/" + key;
        save_hdf5(path("x.h5"), {{key, array({1})}});
        return key;
    };
    const std::string key = nested(90);
    EXPECT_EQ(read_hdf5(path("x.h5"))[key].item<int>(), 1);
    nested(2000);
    EXPECT_THAT(message_of<FileError>([&] { open_hdf5(path("x.h5")); }),
                HasSubstr("groups are nested deeper than 100"));
}

TEST_F(Hdf5Test, reads_what_was_never_written_and_uint64) {
    if (!has_h5py()) GTEST_SKIP() << "h5py is not installed";
    python(
        "f = h5py.File('p.h5', 'w')\n"
        "f.create_dataset('x', (10, 2), 'f4', maxshape=(None, 2), fillvalue=1.5)\n"
        "d = f.create_dataset('part', (3000,), 'i4', maxshape=(None,), chunks=(100,)); d[:100] = "
        "7\n"
        "f.create_dataset('u', data=np.array([1, 2**62], dtype='u8'))\n"
        "f.create_dataset('large', data=np.array([1, 2**63 + 5], dtype='>u8'))\n");
    auto file = open_hdf5(path("p.h5"));
    EXPECT_EQ(file->read("x").to_vector<float>(), std::vector<float>(20, 1.5f));
    EXPECT_THAT(message_of<FileError>([&] { file->read("part"); }),
                HasSubstr("declares 12000 bytes in chunks of 400, but the file contains 400"))
        << "a flip in its size would read so";
    EXPECT_EQ(file->read("u").to_vector<int64_t>()[1], int64_t(1) << 62);
    EXPECT_THAT(message_of<FileError>([&] { file->read("large"); }),
                HasSubstr("element 1 is 9223372036854775813; of uint64 only what int64 can hold"));
}

TEST_F(Hdf5Test, truncated_and_damaged_files_are_errors) {
    TwoLayers model;
    save_hdf5(path("m.h5"), model);
    std::string whole = content("m.h5");
    TwoLayers other;
    std::vector<float> before = other.l1.W.array().to_vector<float>();
    for (size_t length = 0; length < whole.size(); length += 97) {
        write("cut.h5", whole.substr(0, length));
        EXPECT_THROW(load_hdf5(path("cut.h5"), other), FileError) << length;
    }
    EXPECT_EQ(other.l1.W.array().to_vector<float>(), before);
    uint32_t state = 1;
    for (int trial = 0; trial < 300;
         ++trial) {  // A changed byte gives an error or other numbers, nothing worse.
        std::string changed = whole;
        state = state * 1664525u + 1013904223u;
        changed[state % std::min<size_t>(changed.size(), 4000)] ^= char(1 + (state >> 16) % 255);
        write("bad.h5", changed);
        try {
            load_hdf5(path("bad.h5"), other);
        } catch (const FileError&) {
        }
    }
    write("no.h5", "nothing of the kind");
    EXPECT_THAT(error_of("no.h5"), HasSubstr("is not an HDF5 file"));
    EXPECT_THAT(error_of("absent.h5"), HasSubstr("No such file"));
}

TEST_F(Hdf5Test, a_damaged_byte_is_an_error_or_harmless_also_without_compression) {
    TwoLayers model, other;
    save_hdf5(path("m.h5"), model, {.compression = false});
    const std::string whole = content("m.h5");
    const std::vector<float> good = model.l1.W.array().to_vector<float>();
    int errors = 0;
    for (size_t at = 13; at < whole.size(); at += 131) {
        std::string changed = whole;
        changed[at] ^= 0x55;
        write("bad.h5", changed);
        try {
            load_hdf5(path("bad.h5"), other);
            EXPECT_EQ(other.l1.W.array().to_vector<float>(), good) << at;
        } catch (const FileError&) {
            ++errors;
        }
    }
    EXPECT_GT(errors, int(4 * good.size() / 131) - 2);
}

TEST_F(Hdf5Test, no_bit_that_flips_gives_other_numbers) {
    const Array x = array({1.5f, -3.25e-5f, 1e30f}), n = array({{1, 2}, {3, 4}});
    for (const bool is_packed : {false, true}) {
        save_hdf5(path("x.h5"), {{"x", x}, {"g/n", n}}, {.compression = is_packed});
        const std::string whole = content("x.h5");
        int loaded = 0;
        for (size_t at = is_packed; at < whole.size(); at += 11) {
            std::string changed = whole;
            changed[at] = char(changed[at] ^ 1 << (at * 5 + is_packed) % 8);
            write("bad.h5", changed);
            try {
                NamedArrays all = read_hdf5(path("bad.h5"));
                ASSERT_EQ(all.size(), 2u) << at;
                ASSERT_EQ(all["x"].to_vector<float>(), x.to_vector<float>()) << at;
                ASSERT_EQ(all["g/n"].to_vector<int>(), n.to_vector<int>()) << at;
                ++loaded;
            } catch (const FileError&) {
            }
        }
        EXPECT_LT(loaded, int(whole.size())) << "nothing was noticed";
    }
}

TEST_F(Hdf5Test, a_full_disk_leaves_the_last_good_file) {
    TwoLayers model;
    save_hdf5(path("m.h5"), model);
    std::string before = content("m.h5");
    auto save_without_room = [&] {
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit limit{2000, 2000};
        setrlimit(RLIMIT_FSIZE, &limit);
        std::string text = message_of<FileError>([&] { save_hdf5(path("m.h5"), model); });
        std::_Exit(text.find("an older file of that name is untouched") != std::string::npos ? 7
                                                                                             : 8);
    };
    EXPECT_EXIT(save_without_room(), ::testing::ExitedWithCode(7), "");
    EXPECT_EQ(content("m.h5"), before);
}

}  // namespace
}  // namespace catena
