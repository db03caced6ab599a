#include "tools/catena/limit.h"

#include <algorithm>
#include <map>
#include <string>

#include "benchmarks/limit/library_time.h"
#include "benchmarks/limit/traffic.h"
#include "runtime/profile/machine_speed.h"

namespace catena::tool {
namespace {

/// Times of calls, each measured once.
class Measured {
public:
    double seconds(const ProductCall& call) {
        const auto [found, is_new] = calls_.emplace(call.key(), 0);
        if (is_new) found->second = fastest_seconds(call);
        return found->second;
    }

private:
    std::map<std::string, double> calls_;
};

Limit limit_from(const Traffic& traffic, double operations, Measured& measured) {
    Limit limit;
    // Each form is measured with its operands in a cache, where weights cannot be that do not fit
    // there all together.
    const double speed = profile::bandwidth(traffic.first_read() + traffic.bytes);
    for (const ProductCall& call : traffic.products) {
        limit.library_ms +=
            1e3 * std::max(call.times * measured.seconds(call), call.first_read / speed);
        limit.product_operations += call.times * call.operations;
        limit.bytes += call.times * call.bytes();
    }
    limit.bytes += traffic.bytes;
    limit.memory_ms = 1e3 * traffic.bytes / profile::bandwidth(traffic.bytes);
    for (double* each :
         {&limit.library_ms, &limit.memory_ms, &limit.product_operations, &limit.bytes})
        *each /= operations;
    return limit;
}

}  // namespace

Limit limit_of(const Workload& workload) {
    std::vector<Traffic> traffics;
    double operations = 1;
    {
        const Iteration iteration = workload.prepare(Variant::eager, 1);
        operations = iteration.operations;
        iteration.run();  // Parameters and moments are made in the first.
        for (int i = 0; i < iteration.cycle; ++i)
            traffics.push_back(traffic_of(iteration.run, iteration.results));
    }
    Measured measured;
    std::vector<Limit> limits;
    for (const Traffic& traffic : traffics)
        limits.push_back(limit_from(traffic, operations, measured));
    const auto middle = limits.begin() + std::ptrdiff_t(limits.size() / 2);
    std::nth_element(limits.begin(), middle, limits.end(),
                     [](const Limit& a, const Limit& b) { return a.ms() < b.ms(); });
    return *middle;
}

}  // namespace catena::tool
