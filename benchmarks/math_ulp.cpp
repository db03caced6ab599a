// How far are the float32 functions of runtime/scalar/math.h from the truth? Walks all 2^32 floats
// and prints the largest error of each function in units in the last place, and where.
//
//   math_ulp [--stride N] [--instruction-set default|avx2|avx512] [FUNCTION ...]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <vector>

#include "runtime/core/parallel/parallel.h"
#include "runtime/cpu/blocks/block_kernels.h"

namespace {

using catena::BlockKernels;
using catena::Intrinsic;

struct Function {
    Intrinsic intrinsic;
    double (*truth)(double);
};
const Function functions[] = {
    {Intrinsic::exp, std::exp},
    {Intrinsic::expm1, std::expm1},
    {Intrinsic::log, std::log},
    {Intrinsic::log1p, std::log1p},
    {Intrinsic::sin, std::sin},
    {Intrinsic::cos, std::cos},
    {Intrinsic::tanh, std::tanh},
    {Intrinsic::erf, std::erf},
    {Intrinsic::erfc, std::erfc},
    {Intrinsic::sqrt, std::sqrt},
    {Intrinsic::rsqrt, [](double x) { return 1 / std::sqrt(x); }},
};

/// Distance in spacings of float32 at the truth; 0 for equal infinities and for two NaNs.
double ulp_error(float got, double truth) {
    if (std::isnan(truth) || std::isnan(got))
        return std::isnan(truth) && std::isnan(got) ? 0 : HUGE_VAL;
    const float nearest = float(truth);
    if (got == nearest) {
        if (std::isinf(got)) return 0;
        if (got == 0 && std::signbit(got) != std::signbit(nearest)) return HUGE_VAL;
    }
    if (std::isinf(got)) return std::abs(truth) > 0x1.ffffffp127 - 0x1p103 ? 1 : HUGE_VAL;
    const int exponent = truth == 0 ? -126 : std::max(std::ilogb(truth), -126);
    return std::abs(double(got) - truth) / std::ldexp(1.0, exponent - 23);
}

struct Worst {
    double error = 0.5;
    float x = 0, got = 0;
};

Worst walk(const BlockKernels& kernels, const Function& function, uint64_t stride) {
    constexpr uint64_t block = 4096;
    const auto kernel = kernels.operation[int(catena::Compute::float32)][int(function.intrinsic)];
    const uint64_t count = ((uint64_t(1) << 32) + stride - 1) / stride;
    Worst worst;
    std::mutex mutex;
    catena::parallel_for(int64_t((count + block - 1) / block), 1, [&](int64_t first, int64_t last) {
        Worst mine;
        std::vector<float> x(block), y(block);
        for (int64_t b = first; b < last; ++b) {
            const uint64_t n = std::min(block, count - uint64_t(b) * block);
            for (uint64_t i = 0; i < n; ++i)
                x[i] = __builtin_bit_cast(float, uint32_t((uint64_t(b) * block + i) * stride));
            kernel(y.data(), x.data(), x.data(), x.data(), int64_t(n), 0);
            for (uint64_t i = 0; i < n; ++i) {
                const double truth = function.truth(x[i]);
                if (y[i] == float(truth) && y[i] != 0) continue;  // At most half a unit.
                if (const double error = ulp_error(y[i], truth); error > mine.error)
                    mine = {error, x[i], y[i]};
            }
        }
        const std::lock_guard lock(mutex);
        if (mine.error > worst.error) worst = mine;
    });
    return worst;
}

}  // namespace

int main(int argc, char** argv) {
    uint64_t stride = 1;
    const BlockKernels* kernels = &catena::block_kernels();
    std::vector<std::string_view> wanted;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--stride" && i + 1 < argc)
            stride = std::max<uint64_t>(1, std::strtoull(argv[++i], nullptr, 10));
        else if (argument == "--instruction-set" && i + 1 < argc) {
            const std::string_view name = argv[++i];
            kernels = name == "default" ? catena::block_kernels_default()
                      : name == "avx2"  ? catena::block_kernels_avx2()
                                        : catena::block_kernels_avx512();
        } else
            wanted.push_back(argument);
    }
    if (!kernels) {
        std::fprintf(stderr, "math_ulp: this machine does not run that instruction set\n");
        return 1;
    }
    for (std::string_view each : wanted) {
        bool known = false;
        for (const Function& function : functions)
            known = known || info_of(function.intrinsic).name == each;
        if (known) continue;
        std::fprintf(stderr, "math_ulp: no function is called %s\n", std::string(each).c_str());
        return 2;
    }
    bool good = true;
    std::printf("%s kernels, every %llu. of the 2^32 floats\n", kernels->instruction_set,
                (unsigned long long)stride);
    for (const Function& function : functions) {
        const std::string_view name = info_of(function.intrinsic).name;
        bool skip = !wanted.empty();
        for (std::string_view each : wanted) skip = skip && each != name;
        if (skip) continue;
        const Worst worst = walk(*kernels, function, stride);
        good = good && worst.error <= 2;
        std::printf("%-6s max %.3f ULP at x = %a, got %a, truth %a\n", std::string(name).c_str(),
                    worst.error, worst.x, worst.got, function.truth(worst.x));
        std::fflush(stdout);
    }
    return good ? 0 : 1;
}
