// Safetensors files that lie: each is refused by name, reason and values, before memory for
// elements is taken.
#include "frontend/serializer/safetensors.h"

#include <ctime>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "runtime/file/limits.h"
#include "tests/reject/rejection.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class WrongSafetensors : public ::testing::Test {
protected:
    ~WrongSafetensors() override {
        set_file_limits(before_);
        fs::remove(path_);
    }
    std::string refused_file(const std::string& content) const {
        std::ofstream(path_, std::ios::binary) << content;
        const std::string message = refusal<FileError>([&] { SafetensorsFile{path_}; });
        EXPECT_THAT(message, ::testing::StartsWith(path_ + ": "));
        return message;
    }
    std::string refused_header(const std::string& header, uint64_t data_bytes = 0) const {
        return refused_file(with_length(header.size(), header) + std::string(data_bytes, 'x'));
    }
    /// Of a header with one tensor.
    std::string refused_tensor(const std::string& fields, uint64_t data_bytes = 0) const {
        return refused_header(R"({"x":{)" + fields + "}}", data_bytes);
    }
    static std::string with_length(uint64_t length, const std::string& header) {
        return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header;
    }
    static std::string tensor(const std::string& name, int begin, int end) {
        return fmt::format(R"("{}":{{"dtype":"U8","shape":[{}],"data_offsets":[{},{}]}})", name,
                           end - begin, begin, end);
    }

    const FileLimits before_ = file_limits();
    const std::string path_ =
        (fs::temp_directory_path() / fmt::format("catena_reject_{}.safetensors", getpid()))
            .string();
};

TEST_F(WrongSafetensors, what_is_no_header_is_refused) {
    EXPECT_THAT(refused_file(""), HasSubstr("it has 0 bytes, and the length of a header takes 8"));
    EXPECT_THAT(refused_file("PK\3\4 and some more bytes"),
                HasSubstr("its header would have 7236828441365138256"));
    EXPECT_THAT(refused_file(with_length(100'000'001, "{}")),
                HasSubstr("would have 100000001 bytes, the format allows 100000000"));
    EXPECT_THAT(refused_file(with_length(100, "{}")),
                HasSubstr("its header has 100 bytes from byte 8, the file only 10: it was cut"));
    EXPECT_THAT(refused_header(" {}"), HasSubstr("should begin with '{' at byte 8"));
    EXPECT_THAT(refused_header("\xef\xbb\xbf{}"), HasSubstr("should begin with '{'"));
    EXPECT_THAT(refused_header("{"), HasSubstr("is no JSON at byte"));
    EXPECT_THAT(refused_header("{}}"), HasSubstr("is no JSON at byte"));
    EXPECT_THAT(refused_header("{\"\xff\":{}}"), HasSubstr("is no JSON at byte"));
    EXPECT_THAT(refused_header(std::string("{}\0{}", 5)), HasSubstr("byte 2 of it is zero"));
    EXPECT_THAT(refused_header("{" + std::string(200, '[') + "}"),
                HasSubstr("nested deeper than 100"));
}

TEST_F(WrongSafetensors, values_of_other_kinds_are_refused_with_their_place) {
    EXPECT_THAT(refused_header(R"({"x":[]})"),
                HasSubstr("in the header, 'x': a list should be an object with dtype, shape and"));
    EXPECT_THAT(refused_header(R"({"__metadata__":{"a":1}})"),
                HasSubstr("in its metadata, 'a': 1 should be a text"));
    EXPECT_THAT(refused_header(R"({"__metadata__":null})"), HasSubstr("null should be"));
    const std::string end = R"(,"data_offsets":[0,4])";
    EXPECT_THAT(refused_tensor(R"("dtype":4,"shape":[])" + end),
                HasSubstr("in tensor 'x', 'dtype': 4 should be the name of a type"));
    for (const char* size : {"-1", "1.0", "1e0", "-0", "true", "\"1\"", "99999999999999999999"})
        EXPECT_THAT(refused_tensor(fmt::format(R"("dtype":"F32","shape":[{}])", size) + end),
                    HasSubstr(" should be a whole number from 0 to 2^63 - 1"))
            << size;
    EXPECT_THAT(refused_tensor(R"("dtype":"F32","shape":[9223372036854775808])" + end),
                HasSubstr("9223372036854775808 should be a whole number"));
    EXPECT_THAT(refused_tensor(R"("dtype":"F32","shape":[[1]])" + end), HasSubstr("a list should"));
    EXPECT_THAT(refused_tensor(R"("dtype":"F32","shape":[],"data_offsets":[0])"),
                HasSubstr("1 numbers should be two whole numbers"));
    EXPECT_THAT(refused_tensor(R"("dtype":"F32","shape":[],"data_offsets":[0,4,8])"),
                HasSubstr("8 should be two whole numbers"));
    EXPECT_THAT(refused_tensor(R"("dtype":"F32","shape":[1,1,1,1,1,1,1,1,1])" + end),
                HasSubstr("tensor 'x' has more than 8 axes"));
    EXPECT_THAT(refused_tensor(R"("dtype":"F31","shape":[])" + end),
                HasSubstr("tensor 'x' has the dtype 'F31', which the format does not have; those "
                          "that are read: BOOL, U8,"));
}

TEST_F(WrongSafetensors, missing_unknown_and_repeated_names_are_refused) {
    EXPECT_THAT(refused_tensor(R"("dtype":"F32","shape":[])"),
                HasSubstr("tensor 'x' lacks one of dtype, shape and data_offsets"));
    EXPECT_THAT(refused_tensor(R"("dtype":"F32","scale":1)"),
                HasSubstr("tensor 'x' has 'scale'; dtype, shape and data_offsets are known"));
    EXPECT_THAT(refused_tensor(R"("dtype":"F32","dtype":"F64")"),
                HasSubstr("'dtype' is twice in tensor 'x'"));
    EXPECT_THAT(refused_header("{" + tensor("x", 0, 1) + "," + tensor("x", 1, 2) + "}", 2),
                HasSubstr("'x' is twice in the header"));
    EXPECT_THAT(refused_header(R"({"__metadata__":{"a":"1","a":"2"}})"),
                HasSubstr("'a' is twice in its metadata"));
}

TEST_F(WrongSafetensors, bytes_that_overlap_leave_holes_or_are_missing_are_refused) {
    const auto two = [&](int begin, int end, uint64_t data) {
        return refused_header("{" + tensor("a", 0, 4) + "," + tensor("b", begin, end) + "}", data);
    };
    EXPECT_THAT(two(3, 7, 8), HasSubstr("tensor 'b' begins at byte 3 of the data, 'a' ends at byte "
                                        "4: they should lie one behind the other"));
    EXPECT_THAT(two(0, 4, 4), HasSubstr("begins at byte 0 of the data"));
    EXPECT_THAT(two(5, 8, 8), HasSubstr("tensor 'b' begins at byte 5 of the data, 'a' ends at"));
    EXPECT_THAT(two(4, 8, 7), HasSubstr("'b' ends at byte 8 of the data, the file has 7"));
    EXPECT_THAT(two(4, 8, 9), HasSubstr("1 bytes follow 'b', which should be the last thing"));
    EXPECT_THAT(refused_header("{}", 1), HasSubstr("1 bytes follow the header"));
    EXPECT_THAT(refused_header("{" + tensor("a", 1, 4) + "}", 4),
                HasSubstr("tensor 'a' begins at byte 1 of the data, the header ends at byte 0"));
    EXPECT_THAT(refused_tensor(R"("dtype":"U8","shape":[1],"data_offsets":[4,3])", 4),
                HasSubstr("tensor 'x' ends at byte 3, before it begins at byte 4"));
}

TEST_F(WrongSafetensors, shapes_that_do_not_have_the_size_of_their_bytes_are_refused) {
    EXPECT_THAT(refused_tensor(R"("dtype":"F32","shape":[2,3],"data_offsets":[0,20])", 20),
                HasSubstr("tensor 'x' is F32 of shape [2,3], which takes 24 bytes; its "
                          "data_offsets [0,20] are 20"));
    EXPECT_THAT(
        refused_tensor(R"("dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,0])"),
        HasSubstr("F64 of shape [4611686018427387904,4], which no memory holds"));
    EXPECT_THAT(
        refused_tensor(R"("dtype":"F32","shape":[1000000000000],"data_offsets":[0,4000000000000])",
                       8),
        HasSubstr("'x' ends at byte 4000000000000 of the data, the file has 8: it was cut off"));
    EXPECT_THAT(refused_tensor(R"("dtype":"F4","shape":[3],"data_offsets":[0,1])", 1),
                HasSubstr("F4 of shape [3], which is 12 bits and no whole bytes"));
}

TEST_F(WrongSafetensors, a_none_that_is_a_tensor_is_refused) {
    EXPECT_THAT(
        refused_header(R"({"__metadata__":{"catena.none":"y\nx"},)" + tensor("x", 0, 1) + "}", 1),
        HasSubstr("'x' is a tensor and listed as None"));
}

TEST_F(WrongSafetensors, limits_for_files_count_here_too) {
    FileLimits limits;
    limits.entries = 2;
    set_file_limits(limits);
    EXPECT_THAT(
        refused_header(
            "{" + tensor("a", 0, 1) + "," + tensor("b", 1, 2) + "," + tensor("c", 2, 3) + "}", 3),
        HasSubstr("declares 3 entries; at most 2 are allowed"));
    limits.json = 10;
    set_file_limits(limits);
    EXPECT_THAT(refused_header("{" + tensor("a", 0, 1) + "}", 1), HasSubstr("is JSON of"));
}

/// Names cost what they weigh, not their square, which would be minutes.
TEST_F(WrongSafetensors, many_names_are_read_in_little_time) {
    const std::clock_t begin = std::clock();
    std::string header = R"({"__metadata__":{"catena.none":"a)";
    for (int i = 0; i < 200'000; ++i) header += fmt::format("\\n{}", i);
    header += "\"";
    for (int i = 0; i < 200'000; ++i) header += fmt::format(R"(,"m{}":"")", i);
    header += "}";
    for (int i = 0; i < 200'000; ++i)
        header += fmt::format(R"(,"t{}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})", i);
    header += "}";
    std::ofstream(path_, std::ios::binary) << with_length(header.size(), header);
    const SafetensorsFile file(path_);
    EXPECT_EQ(file.keys().size(), 600'001u);
    for (int i = 0; i < 200'000; ++i) EXPECT_EQ(file.read(fmt::format("t{}", i)).size(), 0);
    EXPECT_LT(double(std::clock() - begin) / CLOCKS_PER_SEC, 20);
}

TEST_F(WrongSafetensors, a_file_is_refused_at_every_length) {
    save_safetensors(path_, {{"x", Array::from<float>({1, 2, 3})}, {"y", Array::scalar(1.0)}},
                     {{"text", "some"}});
    std::ifstream whole_file(path_, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(whole_file), {}};
    for (size_t length = 0; length < whole.size(); ++length) refused_file(whole.substr(0, length));
}

}  // namespace
}  // namespace catena::testing
