#include "frontend/serializer/safetensors.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "frontend/link/chain.h"
#include "frontend/link/connection/linear.h"
#include "frontend/optimizer/rules/adam.h"
#include "frontend/serializer/npz.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SafetensorsTest : public ::testing::Test {
protected:
    SafetensorsTest() { std::filesystem::create_directories(folder_); }
    ~SafetensorsTest() override { std::filesystem::remove_all(folder_); }
    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    std::string content(const std::string& name) const {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void write(const std::string& name, const std::string& content) const {
        std::ofstream(path(name), std::ios::binary) << content;
    }
    template <class Error, class Call>
    static std::string error_of(const Call& call) {
        try {
            call();
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    }

private:
    static inline int counter_ = 0;
    std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                    fmt::format("catena_tensors_{}_{}", getpid(), counter_++);
};

struct TwoTensors : Chain {
    Linear l1{3, 4}, l2{std::nullopt, 2};
    State seen{Array::scalar<int64_t>(5)};
    TwoTensors() {
        add_children({{"l1", l1}, {"l2", l2}});
        add_persistent("seen", seen);
    }
};

/// A file with this header, in front of these bytes.
std::string file_of(const std::string& header, const std::string& data) {
    const uint64_t length = header.size();
    return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + data;
}

std::string raw_bytes(const auto& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof values[0]};
}

TEST_F(SafetensorsTest, every_dtype_comes_back_as_it_was) {
    NamedArrays arrays;
    for (int i = 0; i < dtype_count; ++i)
        arrays.emplace_back(
            std::string(name_of(Dtype(i))),
            Array::from<float>(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3}).astype(Dtype(i)));
    save_safetensors(path("a.safetensors"), arrays);
    const NamedArrays back = load_safetensors(path("a.safetensors"));
    ASSERT_EQ(back.size(), arrays.size());
    for (const auto& [name, array] : arrays) {
        EXPECT_EQ(back[name].dtype(), array.dtype()) << "bfloat16, too";
        EXPECT_EQ(back[name].to_vector<double>(), array.to_vector<double>()) << name;
        EXPECT_EQ(to_string(back[name].shape()), "[2,3]");
    }
}

TEST_F(SafetensorsTest, empty_scalar_strided_and_missing_arrays_come_back_in_their_order) {
    const Array matrix = Array::from<float>(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3});
    save_safetensors(path("a.safetensors"), {{"byte", Array::scalar<uint8_t>(200)},
                                             {"empty", Array::zeros({Dtype::float32, {0, 4}})},
                                             {"scalar", Array::scalar(2.5)},
                                             {"transposed", matrix.view({3, 2}, {1, 3}, 0)},
                                             {"none", Array()}});
    const NamedArrays back = read_safetensors(path("a.safetensors"));
    ASSERT_EQ(back.size(), 5u);
    EXPECT_EQ(back[0].first, "byte");
    EXPECT_EQ(back[0].second.item<int>(), 200);
    EXPECT_EQ(to_string(back[1].second.shape()), "[0,4]");
    EXPECT_EQ(back["scalar"].item<double>(), 2.5);
    EXPECT_THAT(back["transposed"].to_vector<float>(), ElementsAre(0, 3, 1, 4, 2, 5));
    EXPECT_EQ(back[4].first, "none");
    EXPECT_FALSE(back["none"].defined());
}

/// As safetensors 0.8.0 wrote {"w": ..., "n": ..., "flag": ...} with metadata={"format": "pt"}.
TEST_F(SafetensorsTest, a_file_of_the_formats_own_library_is_read) {
    const std::string header =
        R"({"__metadata__":{"format":"pt"},"n":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
        R"("w":{"dtype":"F32","shape":[2,2],"data_offsets":[8,24]},)"
        R"("flag":{"dtype":"BOOL","shape":[2],"data_offsets":[24,26]}}    )";
    const std::vector<int64_t> n = {7};
    const std::vector<float> w = {1.5, -2, 3, 4};
    write("py.safetensors", file_of(header, raw_bytes(n) + raw_bytes(w) + std::string("\1\0", 2)));
    const SafetensorsFile file(path("py.safetensors"));
    EXPECT_THAT(file.keys(), ElementsAre("n", "w", "flag", "format"));
    EXPECT_EQ(file.read("n").item<int64_t>(), 7);
    EXPECT_EQ(file.read("w").to_vector<float>(), w);
    EXPECT_THAT(file.read("flag").to_vector<int>(), ElementsAre(1, 0));
    EXPECT_EQ(file.metadata().at("format"), "pt");
    EXPECT_TRUE(file.is_text("format"));
    EXPECT_EQ(file.read_text("format"), "pt");
}

TEST_F(SafetensorsTest, unsigned_integers_are_widened_and_never_wrap) {
    const std::vector<uint64_t> fits = {1, uint64_t(INT64_MAX)}, large = {1, uint64_t(1) << 63};
    const std::string header = R"({"x":{"dtype":"U64","shape":[2],"data_offsets":[0,16]}})";
    write("u.safetensors", file_of(header, raw_bytes(fits)));
    EXPECT_EQ(read_safetensors(path("u.safetensors"))["x"].to_vector<int64_t>()[1], INT64_MAX);
    write("u.safetensors", file_of(header, raw_bytes(large)));
    EXPECT_THAT(error_of<FileError>([&] { read_safetensors(path("u.safetensors")); }),
                HasSubstr("u.safetensors: 'x': element 1 is 9223372036854775808; of uint64 only"));
    const std::vector<uint16_t> narrow = {65535, 3};
    write("u.safetensors",
          file_of(R"({"x":{"dtype":"U16","shape":[2],"data_offsets":[0,4]}})", raw_bytes(narrow)));
    const Array x = read_safetensors(path("u.safetensors"))["x"];
    EXPECT_EQ(x.dtype(), Dtype::int32);
    EXPECT_THAT(x.to_vector<int>(), ElementsAre(65535, 3));
}

TEST_F(SafetensorsTest, types_that_catena_lacks_are_refused_by_name_where_they_are_asked_for) {
    const std::string header = R"({"x":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]},)"
                               R"("y":{"dtype":"U8","shape":[1],"data_offsets":[4,5]}})";
    write("f8.safetensors", file_of(header, "abcde"));
    const SafetensorsFile file(path("f8.safetensors"));
    EXPECT_EQ(file.read("y").item<int>(), 'e');
    EXPECT_THAT(error_of<FileError>([&] { file.read("x"); }),
                HasSubstr("tensor 'x' is F8_E4M3, which Catena does not have; those that are read: "
                          "BOOL, U8, I8, I16, U16, F16, BF16,"));
}

TEST_F(SafetensorsTest, links_and_optimizers_come_back_with_chainers_keys) {
    TwoTensors model;
    Adam adam;
    adam.setup(model);
    save_safetensors(path("m.safetensors"), model, {{"format", "catena"}});
    const SafetensorsFile file(path("m.safetensors"));
    EXPECT_THAT(file.keys(),
                ::testing::UnorderedElementsAre("l1/W", "l1/b", "l2/W", "l2/b", "seen", "format"));
    TwoTensors other;
    load_safetensors(path("m.safetensors"), other);
    EXPECT_EQ(other.l1.W.array().to_vector<float>(), model.l1.W.array().to_vector<float>());
    EXPECT_FALSE(other.l2.W.is_initialized());
    adam.set_step_count(3);
    save_safetensors(path("o.safetensors"), adam);
    adam.set_step_count(0);
    load_safetensors(path("o.safetensors"), adam);
    EXPECT_EQ(adam.t(), 3);
}

/// The rules are load_npz's: the same words for the same mistake.
TEST_F(SafetensorsTest, what_does_not_fit_is_refused_as_of_npz_and_changes_nothing) {
    const NamedArrays arrays{{"l1/W", Array::zeros({Dtype::float32, {4, 3}})},
                             {"seen", Array::scalar<int64_t>(6)}};
    save_safetensors(path("x"), arrays);
    TwoTensors model;
    const std::vector<float> before = model.l1.W.array().to_vector<float>();
    const std::string message = error_of<FileError>([&] { load_safetensors(path("x"), model); });
    EXPECT_EQ(model.l1.W.array().to_vector<float>(), before);
    save_npz(path("x"), arrays);
    EXPECT_EQ(message, error_of<FileError>([&] { load_npz(path("x"), model); }));
    EXPECT_THAT(message, HasSubstr("there is no 'l1/b'; the nearest of its 2 keys is 'l1/W'"));
    save_safetensors(path("x"), arrays);
    load_safetensors(path("x"), model, {.strict = false});
    EXPECT_EQ(model.seen.array().item<int64_t>(), 6);
    EXPECT_EQ(model.l1.W.array().to_vector<float>()[0], 0);
}

TEST_F(SafetensorsTest, texts_are_metadata) {
    std::string text = "größer \"as\" \n before", loaded;
    save_safetensors(path("t"), SerializeFunction([&](const Serializer& s) { s("text", text); }));
    EXPECT_EQ(SafetensorsFile(path("t")).metadata().at("text"), text);
    load_safetensors(path("t"), SerializeFunction([&](const Serializer& s) { s("text", loaded); }));
    EXPECT_EQ(loaded, text);
    EXPECT_THAT(error_of<FileError>([&] { SafetensorsFile(path("t")).read("text"); }),
                HasSubstr("'text' is a text, an array is expected"));
}

TEST_F(SafetensorsTest, names_that_the_file_cannot_hold_are_refused_and_the_old_file_stays) {
    const Array one = Array::scalar(1.0f);
    save_safetensors(path("a"), {{"x", one}});
    const std::string before = content("a");
    const auto refused = [&](const NamedArrays& arrays, const SafetensorsMetadata& metadata = {}) {
        return error_of<ValueError>([&] { save_safetensors(path("a"), arrays, metadata); });
    };
    EXPECT_THAT(refused({{"x", one}, {"x", one}}), HasSubstr("two values of the name 'x'"));
    EXPECT_THAT(refused({{"x", one}}, {{"x", "text"}}), HasSubstr("two values of the name 'x'"));
    EXPECT_THAT(refused({{"__metadata__", one}}),
                HasSubstr("the name '__metadata__' is reserved by the format"));
    EXPECT_THAT(refused({{"\xff", one}}), HasSubstr("is not UTF-8"));
    EXPECT_THAT(refused({{"a\nb", Array()}}), HasSubstr("its name has a line break"));
    EXPECT_EQ(content("a"), before);
}

TEST_F(SafetensorsTest, elements_lie_at_multiples_of_their_size) {
    save_safetensors(path("a"), {{"byte", Array::scalar<uint8_t>(1)},
                                 {"double", Array::scalar(2.0)},
                                 {"half", Array::scalar(3.0f).astype(Dtype::float16)}});
    const std::string all = content("a");
    uint64_t length = 0;
    std::memcpy(&length, all.data(), sizeof length);
    EXPECT_EQ(length % 8, 0u);
    double number = 0;
    std::memcpy(&number, all.data() + 8 + length, sizeof number);
    EXPECT_EQ(number, 2);
    EXPECT_EQ(all.back(), 1);
}

}  // namespace
}  // namespace catena
