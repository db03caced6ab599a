// What do products and convolutions with their gradients cost on a device, called one at a time? A
// JSON object a line, with the keys of `catena bench --json`:
//
//     device_products [--device cuda:0] [--seconds 2] [--divisor 1]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>

#include <fmt/format.h>

#include "frontend/catena.h"
#include "runtime/core/array/code_device.h"
#include "runtime/core/system/read_number.h"

namespace {

using namespace catena;
using Clock = std::chrono::steady_clock;

struct Options {
    std::string device = "cuda:0";
    double seconds = 2;
    int64_t divisor = 1;  ///< Sizes are divided by it, to see that all runs.

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
void measure(const Options& options, const std::string& name, Dtype dtype, double operations,
             const std::function<void()>& run) {
    double first = 0;
    for (int i = 0; i < 4; ++i) first = std::max(first, timed(run));
    std::vector<double> times;
    const auto start = Clock::now();
    while (since(start) < options.seconds || times.size() < 5) times.push_back(timed(run));
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2];
    fmt::print(
        R"({{"peer":"catena-eager","workload":"{}","precision":"{}","ms":{:.4f},"first_s":{:.3f},"tflops":{:.2f}}})"
        "\n",
        name, name_of(dtype), median * 1e3, first, operations / median / 1e12);
    std::fflush(stdout);
}

Array random(const Shape& shape, Dtype dtype) { return random_normal(shape).array().astype(dtype); }

void time_products(const Options& o) {
    for (Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
        for (int64_t full : {1024, 4096}) {
            const int64_t size = o.cut(full);
            const Variable a(random({size, size}, dtype), false),
                b(random({size, size}, dtype), false);
            measure(o, fmt::format("matmul {}", full), dtype,
                    2.0 * double(size) * double(size) * double(size), [&] { matmul(a, b); });
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
            const double operations =
                3 * 2.0 * double(gy.size()) * double(channels_in * window * window);
            measure(o, fmt::format("conv {}-{} {}x{} /{}", in, out, window, size, stride), dtype,
                    operations, [&] {
                        x.cleargrad(), W.cleargrad();
                        Variable y = convolution_2d(x, W, shape);
                        y.set_grad(gy);
                        y.backward();
                    });
        }
    }
}

double number_in(const std::string& option, const std::string& text) {
    const auto number = read_number<double>(text);
    if (!number) fail<ValueError>("device_products: {} takes a number, not '{}'", option, text);
    return *number;
}

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const auto value = [&] {
            if (++i == argc) fail<ValueError>("device_products: {} takes a value", word);
            return std::string(argv[i]);
        };
        if (word == "--device")
            options.device = value();
        else if (word == "--seconds")
            options.seconds = number_in(word, value());
        else if (word == "--divisor")
            options.divisor = std::max<int64_t>(1, int64_t(number_in(word, value())));
        else
            fail<ValueError>(
                "device_products: '{}' is no option; --device, --seconds and --divisor are", word);
    }
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const Options options = parse(argc, argv);
        const DeviceScope scope(get_device(options.device));
        set_seed(0);
        time_products(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
