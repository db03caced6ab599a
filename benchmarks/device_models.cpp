// What do products, convolutions, ResNet-50 and a block of GPT-2 cost on a device, the models in
// float32 and with autocast to bfloat16? One line each, of the same shapes and precision as
// benchmarks/cuda/torch_times.py prints them:
//
//     device_models [--device cuda:0] [--seconds 2] [--divisor 1] [products] [models]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "benchmarks/models/gpt_block.h"
#include "benchmarks/models/resnet50.h"
#include "frontend/catena.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/core/array/code_device.h"
#include "runtime/graph/settings/autocast.h"

namespace {

using namespace catena;
using Clock = std::chrono::steady_clock;

struct Options {
    std::string device = "cuda:0";
    double seconds = 2;
    int64_t divisor = 1;  ///< Sizes are divided by it, to see that all runs.
    bool products = false, models = false;

    int64_t cut(int64_t size) const { return std::max<int64_t>(1, size / divisor); }
};

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double timed(const std::function<void()>& run) {
    const auto start = Clock::now();
    run();
    if (auto* device = dynamic_cast<CodeDevice*>(&current_device())) device->synchronize();
    return since(start);
}

/// Median of runs after four that warm up, of which the longest is the first's time.
void measure(const Options& options, const char* name, const char* variant,
             const std::function<void()>& run, double operations = 0) {
    double first = 0;
    for (int i = 0; i < 4; ++i) first = std::max(first, timed(run));
    std::vector<double> times;
    const auto start = Clock::now();
    while (since(start) < options.seconds || times.size() < 5) times.push_back(timed(run));
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2];
    std::printf("%-26s catena-%-9s %10.3f ms, first %.3f s", name, variant, median * 1e3, first);
    if (operations > 0) std::printf(", %.1f Tflop/s", operations / median / 1e12);
    std::printf("\n");
    std::fflush(stdout);
}

Array random(const Shape& shape, Dtype dtype) { return random_normal(shape).array().astype(dtype); }

void time_products(const Options& o) {
    for (Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
        for (int64_t full : {1024, 4096}) {
            const int64_t size = o.cut(full);
            const Variable a(random({size, size}, dtype), false),
                b(random({size, size}, dtype), false);
            const std::string name = fmt::format("matmul {} {}", full, name_of(dtype));
            measure(
                o, name.c_str(), "eager", [&] { matmul(a, b); },
                2.0 * double(size) * double(size) * double(size));
        }
        // [channels in, channels out, size of the image, window, stride] of ResNet-50's layers.
        for (auto [in, out, size, window, stride] : {std::array<int64_t, 5>{64, 64, 56, 3, 1},
                                                     {256, 64, 56, 1, 1},
                                                     {128, 128, 56, 3, 2},
                                                     {512, 512, 7, 3, 1}}) {
            const int64_t batch = o.cut(64), channels_in = o.cut(in), channels_out = o.cut(out);
            Variable x(random({batch, channels_in, size, size}, dtype), true);
            Variable W(random({channels_out, channels_in, window, window}, dtype), true);
            const ConvolutionOptions shape{.stride = {stride}, .pad = {window / 2}};
            const Array gy = random(convolution_2d(x, W, shape).shape(), dtype);
            const std::string name = fmt::format("conv {}-{} {}x{} /{} {}", in, out, window, size,
                                                 stride, name_of(dtype));
            const double flops =
                3 * 2.0 * double(gy.size()) * double(channels_in * window * window);
            measure(
                o, name.c_str(), "eager",
                [&] {
                    x.cleargrad(), W.cleargrad();
                    Variable y = convolution_2d(x, W, shape);
                    y.set_grad(gy);
                    y.backward();
                },
                flops);
        }
    }
}

/// Eager and as one compiled step: loss, backward and update.
template <class Model, class Loss>
void time_training(const Options& o, const char* name, std::shared_ptr<Model> model,
                   Optimizer& optimizer, const Variable& x, Loss loss) {
    optimizer.setup(*model);
    auto step = [&](const Variable& x) {
        Variable l = loss(x);
        model->cleargrads();
        l.backward();
        optimizer.update();
        return l;
    };
    measure(o, name, "eager", [&] { step(x); });
    auto region = static_graph(step, {.name = name});
    measure(o, name, "step", [&] { region(x); });
}

/// With products and convolutions of `dtype`: of another one than float32 by autocast.
void time_models(const Options& o, Dtype dtype) {
    const AutocastScope casting(dtype);
    const std::string precision = dtype == Dtype::float32 ? "" : fmt::format(" {}", name_of(dtype));
    for (int64_t batch : {o.cut(4), o.cut(64)}) {
        auto model = std::make_shared<models::ResNet50>(models::ResNet50Sizes{.width = o.cut(64)});
        const int64_t size = std::max<int64_t>(32, 224 / o.divisor);
        const Variable x(random({batch, 3, size, size}, Dtype::float32), false);
        std::vector<int32_t> labels(size_t(batch), 0);
        for (size_t i = 0; i < labels.size(); ++i) labels[i] = int32_t(i * 37 % 1000);
        const Variable t(Array::from(labels, {batch}), false);
        MomentumSGD optimizer(0.1);
        time_training(o, fmt::format("resnet50 batch {}{}", batch, precision).c_str(), model,
                      optimizer, x,
                      [&](const Variable& x) { return softmax_cross_entropy((*model)(x), t); });
    }
    const int64_t batch = o.cut(8), length = o.cut(1024), width = o.cut(768);
    auto model =
        std::make_shared<models::CausalBlock>(width, width % 64 == 0 ? width / 64 : 1, length);
    const Variable x(random({batch, length, width}, Dtype::float32), false);
    Adam optimizer(3e-4);
    time_training(o, fmt::format("gpt2 block {}x{}{}", batch, length, precision).c_str(), model,
                  optimizer, x, [&](const Variable& x) { return mean(square((*model)(x))); });
}

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        auto value = [&] {
            if (++i == argc) fail<ValueError>("device_models: {} takes a value", word);
            return std::string(argv[i]);
        };
        if (word == "--device")
            options.device = value();
        else if (word == "--seconds")
            options.seconds = std::stod(value());
        else if (word == "--divisor")
            options.divisor = std::max(1, std::stoi(value()));
        else if (word == "products")
            options.products = true;
        else if (word == "models")
            options.models = true;
        else
            fail<ValueError>(
                "device_models: '{}' is no option; products, models, --device, --seconds and "
                "--divisor are",
                word);
    }
    if (!options.products && !options.models) options.products = options.models = true;
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const Options options = parse(argc, argv);
        const DeviceScope scope(get_device(options.device));
        set_seed(0);
        if (options.products) time_products(options);
        for (Dtype dtype : {Dtype::float32, Dtype::bfloat16})
            if (options.models) time_models(options, dtype);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
