// `catena show` on files of arrays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/serializer/npz.h"
#include "runtime/file/npy.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

CommandResult show(const std::string& arguments) { return run(program("catena") + " show " + arguments + " 2>&1"); }

TEST(Show, lists_the_arrays_of_an_npz_file) {
    const std::string path = ::testing::TempDir() + "show.npz";
    save_npz(path, NamedArrays{{"l1/W", Array::zeros({Dtype::float32, {2, 3}})}, {"t", Array::scalar<int64_t>(5)}});
    const auto result = show(path);
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_EQ(result.output, "l1/W float32[2,3]\nt int64[]\n");
}

TEST(Show, tells_what_an_npy_file_holds) {
    const std::string path = ::testing::TempDir() + "show.npy";
    save_npy(path, Array::zeros({Dtype::int32, {4}}));
    EXPECT_EQ(show(path).output, "int32[4]\n");
}

TEST(Show, stages_are_those_of_programs) {
    EXPECT_THAT(show("some.npz --stage fused.mlir").output, ::testing::HasSubstr("--stage is for programs (.catena), some.npz is none"));
}

}  // namespace
}  // namespace catena::testing
