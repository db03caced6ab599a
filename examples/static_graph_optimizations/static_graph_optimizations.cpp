// What static_graph does for three networks of Chainer's examples. Each is trained three times from
// the same seed: eagerly, with its forward pass as a static region (Chainer's decorator), and with
// the whole iteration as one.
#include <chrono>
#include <random>

#include "cifar/vgg.h"
#include "ptb/language_model.h"
#include "support/example.h"
#include "support/pictures.h"

namespace ct = catena;

struct Options {
    std::string model = "all";
    int64_t iterations = 20, batch_size = 32, units = 200, width = 8;
};

using Step = std::function<ct::Variable(const ct::Variable& x, const ct::Variable& t)>;

/// A network in training; `loss` computes what is to be minimised.
struct Training {
    std::shared_ptr<ct::Link> model;
    std::shared_ptr<ct::Optimizer> optimizer;
    Step loss;
};

enum class Region { none, forward, iteration };

static Step step_of(const Training& training, Region region) {
    Step loss = training.loss;
    if (region == Region::forward) {
        auto compiled = std::make_shared<ct::StaticGraph<Step>>(ct::static_graph(loss, "forward"));
        loss = [compiled](const ct::Variable& x, const ct::Variable& t) {
            return (*compiled)(x, t);
        };
    }
    Step step = [=](const ct::Variable& x, const ct::Variable& t) {
        const ct::Variable y = loss(x, t);
        training.model->cleargrads();
        y.backward();
        y.unchain_backward();
        training.optimizer->update();
        return y;
    };
    if (region != Region::iteration) return step;
    auto compiled = std::make_shared<ct::StaticGraph<Step>>(ct::static_graph(step, "iteration"));
    return [compiled](const ct::Variable& x, const ct::Variable& t) { return (*compiled)(x, t); };
}

struct Outcome {
    double loss = 0, milliseconds = 0;  ///< Of the last iteration; median.
};

static Outcome run(const Training& training, Region region, const ct::Variable& x,
                   const ct::Variable& t, int64_t iterations) {
    const Step step = step_of(training, region);
    Outcome outcome;
    std::vector<double> times;
    for (int64_t i = 0; i < iterations; ++i) {
        const auto start = std::chrono::steady_clock::now();
        outcome.loss = step(x, t).item<double>();
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                .count());
    }
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    outcome.milliseconds = times[times.size() / 2];
    return outcome;
}

template <class Model, class Optimizer>
static Training training_of(Model model, std::shared_ptr<Optimizer> optimizer, auto loss) {
    auto held = std::make_shared<Model>(std::move(model));
    optimizer->setup(*held);
    return {held, optimizer, [held, loss](const ct::Variable& x, const ct::Variable& t) {
                return loss(*held, x, t);
            }};
}

static const auto classification = [](auto& model, const ct::Variable& x, const ct::Variable& t) {
    return ct::softmax_cross_entropy(model(x), t);
};

static Training perceptron(const Options& options) {
    ct::Sequential model{ct::Linear{options.units}, ct::relu, ct::Linear{options.units}, ct::relu,
                         ct::Linear{10}};
    return training_of(std::move(model), std::make_shared<ct::Adam>(), classification);
}
static Training vgg(const Options& options) {
    return training_of(VGG(10, options.width), std::make_shared<ct::MomentumSGD>(0.05),
                       classification);
}
static Training language_model(const Options& options, int64_t words) {
    return training_of(RNNForLM(words, options.units), std::make_shared<ct::Adam>(),
                       [](RNNForLM& model, const ct::Variable& x, const ct::Variable& t) {
                           model.reset_state();
                           return model.loss(x, t);
                       });
}

/// Prints a row for each form, and returns how far the compiled losses are from the eager one,
/// relatively.
static double compare(const std::string& name, const std::function<Training()>& make,
                      const ct::Variable& x, const ct::Variable& t, const Options& options,
                      uint64_t seed) {
    Outcome eager;
    double distance = 0;
    for (const Region region : {Region::none, Region::forward, Region::iteration}) {
        ct::set_seed(int64_t(seed));
        const Outcome outcome = run(make(), region, x, t, options.iterations);
        if (region == Region::none) eager = outcome;
        distance = std::max(distance, std::abs(outcome.loss - eager.loss) / eager.loss);
        constexpr const char* forms[] = {"eager", "forward compiled", "iteration compiled"};
        fmt::print("{:<6} {:<18} {:>10.3f} ms {:>6.2f}x  loss {:.6f}\n", name, forms[int(region)],
                   outcome.milliseconds, eager.milliseconds / outcome.milliseconds, outcome.loss);
        std::fflush(stdout);
    }
    return distance;
}

static void compare_all(examples::Example& example, const Options& options) {
    double distance = 0;
    const auto wanted = [&](const char* name) {
        return options.model == "all" || options.model == name;
    };
    const auto compare_model = [&](const char* name, const std::function<Training()>& make,
                                   ct::Array x, ct::Array t) {
        ct::Device& device = ct::current_device();
        if (wanted(name))
            distance = std::max(
                distance, compare(name, make, x.to(device), t.to(device), options, example.seed));
    };
    const examples::Pictures pictures = examples::made_up_pictures(options.batch_size, 1);
    compare_model("mnist", [&] { return perceptron(options); }, pictures.images, pictures.labels);
    compare_model("cifar", [&] { return vgg(options); }, pictures.images, pictures.labels);
    const Corpus corpus = load_corpus("");
    constexpr int64_t steps = 20;
    const ct::Array words =
        ct::get_item(corpus.train, {ct::slice(0, options.batch_size * steps + 1)}).array();
    const auto window = [&](int64_t begin) {
        return ct::reshape(
                   ct::get_item(words, {ct::slice(begin, begin + options.batch_size * steps)}),
                   {options.batch_size, steps})
            .array();
    };
    compare_model(
        "ptb", [&] { return language_model(options, int64_t(corpus.vocabulary.size())); },
        window(0), window(1));
    example.result("largest relative distance from the eager loss", distance,
                   examples::Better::smaller);
}

int main(int argc, char** argv) {
    Options options;
    examples::Example example(
        "Compares eager training with compiled forward passes and compiled iterations");
    example.choice("-m,--model", options.model, {"all", "mnist", "cifar", "ptb"}, "network");
    example.flag("-i,--iterations", options.iterations, "of each form");
    example.flag("-b,--batchsize", options.batch_size, "of the networks");
    example.flag("-u,--unit", options.units,
                 "units of a layer of the perceptron and the LSTM network");
    example.flag("--width", options.width, "channels of VGG's first stage");
    return example.run(argc, argv, [&] { compare_all(example, options); });
}
