// `catena run` and `catena show` of a Caffe model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/serializer/npz.h"
#include "tests/support/command.h"

namespace catena::testing {
namespace {

using ::testing::HasSubstr;

const std::string data = CATENA_SOURCE_DIR "/tests/caffe/data/";

CommandResult catena(const std::string& arguments) {
    return run(program("catena") + " " + arguments);
}
bool is_without_caffe(const CommandResult& result) {
    return result.status != 0 && result.output.find("without Caffe") != std::string::npos;
}

TEST(RunCaffe, gives_the_blobs_that_nothing_reads_compiled_and_eager) {
    const std::string folder = ::testing::TempDir() + "catena_run_caffe_";
    const NpzFile known(data + "exported.npz");
    std::string last;
    for (const std::string& key : known.keys())
        if (key.starts_with("out/Softmax")) last = key.substr(4);
    save_npz(folder + "in.npz", NamedArrays{{"data", known.read("in/data")}});
    for (const char* flag : {"", " --eager"}) {
        const auto result = catena("run " + data + "exported.caffemodel " + folder + "in.npz -o " +
                                   folder + "out.npz" + flag);
        if (is_without_caffe(result)) GTEST_SKIP() << result.output;
        ASSERT_EQ(result.status, 0) << result.output;
        EXPECT_THAT(result.output, HasSubstr(last + " float32[2,5]"));
        const NpzFile written(folder + "out.npz");
        EXPECT_EQ(written.keys().size(), 1u);
        const auto y = written.read(last).to_vector<float>(),
                   expected = known.read("out/" + last).to_vector<float>();
        for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-5);
    }
}

TEST(RunCaffe, a_training_network_runs_as_far_as_its_inputs_are_given) {
    const std::string run = "run " + data + "new_format.caffemodel --eager ";
    const auto without = catena(run + "--input data=2x4x7x6:float32");
    if (is_without_caffe(without)) GTEST_SKIP() << without.output;
    ASSERT_EQ(without.status, 0) << without.output;
    EXPECT_THAT(without.output, HasSubstr("softmax "));
    EXPECT_THAT(without.output, ::testing::Not(HasSubstr("loss ")));
    const auto with = catena(run + "--input data=2x4x7x6:float32 --input label=2:int32");
    ASSERT_EQ(with.status, 0) << with.output;
    EXPECT_THAT(with.output, HasSubstr("loss "));
}

TEST(RunCaffe, is_shown_and_checked) {
    const auto shown = catena("show " + data + "old_format.caffemodel");
    if (is_without_caffe(shown)) GTEST_SKIP() << shown.output;
    ASSERT_EQ(shown.status, 0) << shown.output;
    for (const char* line :
         {"network  old\n", "input    label\n", "layer    Convolution conv: data_a -> conv\n",
          "skipped  Data input\n", "array    /conv/W float32[5,4,3,3]\n"})
        EXPECT_THAT(shown.output, HasSubstr(line));
    EXPECT_THAT(catena("run --check " + data + "old_format.caffemodel").output,
                HasSubstr("nothing was run"));
    const auto none = catena("run --check none.caffemodel");
    EXPECT_NE(none.status, 0);
    EXPECT_THAT(none.output, HasSubstr("none.caffemodel"));
}

}  // namespace
}  // namespace catena::testing
