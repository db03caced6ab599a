// Long trainings, batches of many sizes, and a training that is killed and goes on.
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "benchmarks/models/gpt.h"
#include "benchmarks/models/lenet.h"
#include "frontend/serializer/npz.h"
#include "tests/gpu/on_the_card.h"
#include "tests/support/command.h"
#include "tests/support/environment.h"

namespace catena::testing {
namespace {

namespace fs = std::filesystem;

/// Words of which half follow from the one before, so that there is something to learn and a loss
/// that no model falls below.
struct Words {
    static constexpr int32_t count = 32;
    std::mt19937 random{11};

    std::pair<Variable, Variable> batch(CodeDevice& device, int64_t rows, int64_t length) {
        std::vector<int32_t> words, next;
        for (int64_t row = 0; row < rows; ++row) {
            auto word = int32_t(random() % count);
            for (int64_t i = 0; i < length; ++i) {
                words.push_back(word);
                word = random() % 2 ? (5 * word + 3) % count : int32_t(random() % count);
                next.push_back(word);
            }
        }
        return {Variable(Array::from(words, {rows, length}).to(device), false),
                Variable(Array::from(next, {rows * length}).to(device), false)};
    }
};

/// The mean loss of the last tenth of some steps of a small GPT.
double final_loss(CodeDevice& device, Dtype dtype, int64_t steps, int64_t rows) {
    const DeviceScope scope(device);
    const AutocastScope casting(dtype);
    set_seed(3);
    models::Gpt model({Words::count, 32, 64, 4, 2});
    AdamW optimizer(AdamOptions{.alpha = 1e-3, .weight_decay_rate = 1e-5});
    optimizer.setup(model);
    auto step = static_graph(
        [&](const Variable& x, const Variable& t) {
            Variable loss = softmax_cross_entropy(reshape(model(x), {-1, Words::count}), t);
            model.cleargrads();
            loss.backward();
            optimizer.update();
            return loss;
        },
        {.name = "gpt"});
    Words words;
    double sum = 0;
    int64_t counted = 0;
    for (int64_t i = 0; i < steps; ++i) {
        const auto [x, t] = words.batch(device, rows, 2 * rows);
        const Variable loss = step(x, t);
        if (i < steps - std::max<int64_t>(1, steps / 10)) continue;
        sum += loss.array().to(cpu_device()).astype(Dtype::float64).item<double>();
        ++counted;
    }
    return sum / double(counted);
}

TEST_F(OnTheCard, two_thousand_steps_in_bfloat16_end_where_those_of_float32_do) {
    const int64_t steps = size(2000, 2), rows = size(16, 2);
    const double exact = final_loss(*device, Dtype::float32, steps, rows),
                 rounded = final_loss(*device, Dtype::bfloat16, steps, rows);
    std::printf("loss in float32 %.4f, in bfloat16 %.4f\n", exact, rounded);
    EXPECT_NEAR(rounded / exact, 1, 0.02);
    // Half of the words are certain, half are one of 32: 2.43 at least.
    EXPECT_LT(exact, steps == 2000 ? 2.7 : 4.0) << "nothing was learned";
}

/// LeNet on numbered batches, as one compiled step.
struct LeNetTraining {
    CodeDevice& device;
    models::LeNet model;
    MomentumSGD optimizer{0.01};
    int64_t rows = 4;

    explicit LeNetTraining(CodeDevice& device) : device(device) { optimizer.setup(model); }
    Variable step(const Variable& x, const Variable& t) {
        Variable loss = softmax_cross_entropy(model(x), t);
        model.cleargrads();
        loss.backward();
        optimizer.update();
        return loss;
    }
    std::pair<Variable, Variable> batch(int64_t number, int64_t count) const {
        std::mt19937 random{uint32_t(number)};
        std::vector<float> pixels(size_t(count * 28 * 28));
        for (float& pixel : pixels) pixel = float(random() % 256) / 256;
        std::vector<int32_t> labels(static_cast<size_t>(count));
        for (int32_t& label : labels) label = int32_t(random() % 10);
        return {Variable(Array::from(pixels, {count, 1, 28, 28}).to(device), false),
                Variable(Array::from(labels, {count}).to(device), false)};
    }
    std::vector<std::vector<float>> parameters() const {
        std::vector<std::vector<float>> all;
        for (const Parameter* parameter : model.params())
            all.push_back(parameter->array().to(cpu_device()).to_vector<float>());
        return all;
    }
};

TEST_F(OnTheCard, batches_of_many_sizes_give_the_same_bits_recorded_and_not) {
    const auto trained = [&] {
        const DeviceScope scope(*device);
        set_seed(5);
        LeNetTraining training(*device);
        auto step =
            static_graph([&](const Variable& x, const Variable& t) { return training.step(x, t); },
                         {.name = "ragged"});
        const int64_t sizes[] = {4, 1, 4, 3, 1};
        for (int64_t i = 0; i < size(200, 12); ++i) {
            const auto [x, t] = training.batch(i, sizes[i % 5]);
            step(x, t);
        }
        return training.parameters();
    };
    const int64_t before = device->replays();
    const auto recorded = trained();
    EXPECT_GT(device->replays(), before) << "nothing was recorded";
    const test::EnvironmentScope off("CATENA_CUDA_GRAPHS", "0");
    EXPECT_EQ(trained(), recorded);
}

/// The steps of the training in FOLDER; with KILLED_AFTER it kills itself behind that one, with a
/// snapshot of some steps before. What a test starts in a process of its own.
TEST_F(OnTheCard, DISABLED_trains_in_a_folder) {
    const fs::path folder = std::getenv("CATENA_TEST_FOLDER");
    const char* killed_after = std::getenv("CATENA_TEST_KILLED_AFTER");
    const DeviceScope scope(*device);
    set_seed(5);
    LeNetTraining training(*device);
    const int64_t steps = size(200, 8), apart = size(50, 2);
    int64_t begin = 0;
    for (int64_t at = apart; fs::exists(folder / fmt::format("{}.done", at)); at += apart)
        begin = at;
    if (begin > 0) {
        load_npz((folder / fmt::format("{}.model", begin)).string(), training.model);
        load_npz((folder / fmt::format("{}.optimizer", begin)).string(), training.optimizer);
    }
    auto step = static_graph(
        [&](const Variable& x, const Variable& t) { return training.step(x, t); }, {.name = "cut"});
    for (int64_t i = begin; i < steps; ++i) {
        const auto [x, t] = training.batch(i, training.rows);
        step(x, t);
        if (killed_after && i == std::stoll(killed_after)) raise(SIGKILL);
        if ((i + 1) % apart != 0) continue;
        save_npz((folder / fmt::format("{}.model", i + 1)).string(), training.model);
        save_npz((folder / fmt::format("{}.optimizer", i + 1)).string(), training.optimizer);
        std::ofstream(folder / fmt::format("{}.done", i + 1));
    }
    std::ofstream result(folder / "result");
    for (const auto& values : training.parameters())
        for (float value : values)
            result.write(reinterpret_cast<const char*>(&value), sizeof value);
}

class Folder {
public:
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "catena_card_XXXXXX").string();
        path = mkdtemp(pattern.data());
    }
    ~Folder() { fs::remove_all(path); }
    fs::path path;

    CommandResult train(const std::string& more = "") const {
        return run(fmt::format(
            "{} CATENA_TEST_FOLDER={} {} --gtest_filter=OnTheCard.DISABLED_trains_in_a_folder "
            "--gtest_also_run_disabled_tests",
            more, path.string(), fs::read_symlink("/proc/self/exe").string()));
    }
    std::string result() const {
        std::ostringstream text;
        text << std::ifstream(path / "result").rdbuf();
        return text.str();
    }
};

TEST_F(OnTheCard, a_training_that_was_killed_goes_on_to_the_same_bits) {
    const Folder whole, cut;
    const CommandResult at_once = whole.train();
    ASSERT_EQ(at_once.status, 0) << at_once.output;
    const CommandResult killed =
        cut.train(fmt::format("CATENA_TEST_KILLED_AFTER={}", size(130, 5)));
    EXPECT_NE(killed.status, 0) << "it was to be killed: " << killed.output;
    EXPECT_EQ(cut.result(), "");
    const CommandResult resumed = cut.train();
    ASSERT_EQ(resumed.status, 0) << resumed.output;
    EXPECT_GT(whole.result().size(), 1000u);
    EXPECT_EQ(cut.result(), whole.result());
}

}  // namespace
}  // namespace catena::testing
