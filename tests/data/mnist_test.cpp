// MNIST itself: three epochs of the example's perceptron, eager and compiled. Runs where
// CATENA_DATA names a folder that has mnist/train-images-idx3-ubyte.gz and its three companions;
// nothing is downloaded.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/support/command.h"

namespace catena::testing {
namespace {

struct Epoch {
    double number, loss, test_loss, accuracy, test_accuracy, seconds;
};

/// The rows of the table that the example prints.
std::vector<Epoch> train(const std::string& data, const std::string& flags) {
    const std::string out = ::testing::TempDir() + "catena_mnist";
    const auto result =
        run(program("mnist") + " --epoch 3 --data " + data + " --out " + out + flags);
    EXPECT_EQ(result.status, 0) << result.output;
    std::vector<Epoch> epochs;
    std::istringstream lines(result.output);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream cells(line);
        Epoch e{};
        if (cells >> e.number >> e.loss >> e.test_loss >> e.accuracy >> e.test_accuracy >>
            e.seconds)
            epochs.push_back(e);
    }
    return epochs;
}

TEST(Mnist, perceptron_learns_in_three_epochs_eager_and_compiled) {
    const char* folder = std::getenv("CATENA_DATA");
    if (!folder || !std::filesystem::exists(std::filesystem::path(folder) / "mnist"))
        GTEST_SKIP() << "CATENA_DATA names no folder with mnist/ in it";
    const std::string data = (std::filesystem::path(folder) / "mnist").string();
    const auto eager = train(data, " --eager");
    const auto compiled = train(data, "");
    ASSERT_EQ(eager.size(), 3u);
    ASSERT_EQ(compiled.size(), 3u);
    EXPECT_GE(eager.back().test_accuracy, 0.975);
    EXPECT_GE(compiled.back().test_accuracy, 0.975);
    EXPECT_NEAR(eager.back().test_accuracy, compiled.back().test_accuracy, 0.003);
    for (size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(eager[i].loss, compiled[i].loss, 0.1 * eager[i].loss) << "epoch " << i + 1;
}

}  // namespace
}  // namespace catena::testing
