// When the gradients of a network become complete during backward, and how large they are: what
// simulate.py needs to know of a network. Prints a JSON object for each network; times on this
// machine's CPU are fractions of its backward.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "benchmarks/models/gpt.h"
#include "benchmarks/models/resnet50.h"
#include "frontend/catena.h"
#include "runtime/comm/communicator.h"
#include "runtime/core/array/sizes.h"

namespace ct = catena;

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A gradient that was handed over to be sent.
struct Handed {
    int64_t bytes;
    double seconds;  ///< Since backward began.
};

/// A group of this process alone that sends nothing, and notes what it is given to send.
class Watching final : public ct::Communicator {
public:
    Watching() : Communicator(0, 1) { share_one_machine(); }
    ~Watching() override { close(); }
    std::string name() const override { return "watching"; }
    std::shared_ptr<ct::Communicator> split(int color, int) override {
        return color < 0 ? nullptr : std::make_shared<Watching>();
    }
    [[noreturn]] void abort(int status, const std::string&) override { std::_Exit(status); }

    Clock::time_point start;
    std::vector<Handed> handed;

protected:
    void transfer(const char*, int, std::span<const Message>, std::span<const Message>) override {}
    void filled(const ct::Array& buffer) override {
        handed.push_back({int64_t(ct::byte_count(buffer.type())), seconds_since(start)});
    }
    void reduce_bucket(const char*, const ct::Array&, ct::Reduction, int64_t) override {}
};

struct Training {
    std::shared_ptr<ct::Link> model;
    std::function<ct::Variable()> loss;
};

struct Run {
    double forward, backward;
    std::vector<Handed> gradients;
};

/// The runs of some iterations; the first ones, which set up, are left out.
std::vector<Run> run(const Training& training, int iterations) {
    auto watching = std::make_shared<Watching>();
    ct::SGD sgd(0.0);
    sgd.setup(*training.model);
    ct::create_multi_node_optimizer(sgd, watching, {.bucket_bytes = 0});
    std::vector<Run> runs;
    for (int i = 0; i < iterations; ++i) {
        const auto start = Clock::now();
        ct::Variable loss = training.loss();
        const double forward = seconds_since(start);
        training.model->cleargrads();
        watching->handed.clear();
        watching->start = Clock::now();
        sgd.backward(loss);
        const double backward = seconds_since(watching->start);
        sgd.update();
        if (i >= 2) runs.push_back({forward, backward, watching->handed});
    }
    return runs;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

/// Writes one line; false where the runs differ in what they send.
bool print(const char* name, const std::vector<Run>& runs) {
    std::string gradients;
    for (size_t g = 0; g < runs[0].gradients.size(); ++g) {
        std::vector<double> fractions;
        for (const Run& run : runs) {
            if (run.gradients.size() != runs[0].gradients.size() ||
                run.gradients[g].bytes != runs[0].gradients[g].bytes)
                return false;
            fractions.push_back(run.gradients[g].seconds / run.backward);
        }
        gradients += fmt::format("{}[{}, {:.4f}]", g ? ", " : "", runs[0].gradients[g].bytes / 4,
                                 median(fractions));
    }
    std::vector<double> forward, backward;
    for (const Run& run : runs) forward.push_back(run.forward), backward.push_back(run.backward);
    fmt::print(
        "{{\"network\": \"{}\", \"forward_seconds\": {:.4f}, \"backward_seconds\": {:.4f}, "
        "\"gradients\": [{}]}}\n",
        name, median(forward), median(backward), gradients);
    std::fflush(stdout);
    return true;
}

Training resnet50() {
    auto model = std::make_shared<ct::models::ResNet50>();
    const ct::Variable x(ct::Array::zeros({ct::Dtype::float32, {4, 3, 224, 224}}), false),
        t(ct::Array::zeros({ct::Dtype::int32, {4}}), false);
    return {model, [=] { return ct::softmax_cross_entropy((*model)(x), t); }};
}

Training gpt2() {
    const ct::models::GptSizes sizes{50257, 1024, 768, 12, 12};
    auto model = std::make_shared<ct::models::Gpt>(sizes);
    const ct::Variable x(ct::Array::zeros({ct::Dtype::int32, {1, 512}}), false),
        t(ct::Array::zeros({ct::Dtype::int32, {512}}), false);
    return {model, [=] {
                const ct::Variable scores = (*model)(x);
                return ct::softmax_cross_entropy(ct::reshape(scores, {512, sizes.words}), t);
            }};
}

}  // namespace

int main() {
    if (!print("resnet50", run(resnet50(), 9)) || !print("gpt2_small", run(gpt2(), 9))) {
        fmt::print(stderr, "scaling_gradients: the iterations send different gradients\n");
        return 1;
    }
}
