#include "frontend/link/loss/negative_sampling.h"

#include <cmath>

#include "runtime/core/system/error.h"

namespace catena {
namespace {

std::vector<double> raised(std::vector<double> counts, double power) {
    for (double& count : counts) count = std::pow(count, power);
    return counts;
}

void check_sizes(const char* link, int64_t in_size, int64_t sample_size) {
    if (in_size < 1 || sample_size < 1)
        fail<ValueError>("{}: in_size and sample_size should be positive, they are {} and {}", link,
                         in_size, sample_size);
}

}  // namespace

NegativeSampling::NegativeSampling(int64_t in_size, const std::vector<double>& counts,
                                   int64_t sample_size, double power)
    : W(0.0, Shape{int64_t(counts.size()), in_size}),
      sample_size_(sample_size),
      sampler_(raised(counts, power)) {
    check_sizes("NegativeSampling", in_size, sample_size);
    add_param("W", W);
}

Variable NegativeSampling::operator()(const Operand& x, const Operand& t,
                                      const std::string& reduce) {
    return with_samples(x, t, reduce).loss;
}
NegativeSamplingResult NegativeSampling::with_samples(const Operand& x, const Operand& t,
                                                      const std::string& reduce) {
    LocationScope scope(x.location());
    return called({&x.variable(), &t.variable()},
                  [&] { return negative_sampling(x, t, W, sampler_, sample_size_, reduce); });
}

BlackOut::BlackOut(int64_t in_size, const std::vector<double>& counts, int64_t sample_size)
    : W(Initializer(), Shape{int64_t(counts.size()), in_size}),
      sample_size_(sample_size),
      sampler_(counts) {
    check_sizes("BlackOut", in_size, sample_size);
    add_param("W", W);
}

Variable BlackOut::operator()(const Operand& x, const Operand& t) {
    LocationScope scope(x.location());
    return called({&x.variable(), &t.variable()}, [&] {
        return black_out(x, t, W, sampler_({x.variable().shape()[0], sample_size_}));
    });
}
Variable BlackOut::operator()(const Operand& x, const Operand& t, const Operand& samples) {
    LocationScope scope(x.location());
    return called({&x.variable(), &t.variable(), &samples.variable()},
                  [&] { return black_out(x, t, W, samples); });
}

}  // namespace catena
