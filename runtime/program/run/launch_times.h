#pragma once

#include <vector>

#include "runtime/profile/profiler.h"
#include "runtime/program/schedule/schedule.h"

namespace catena::program {

/// The profile of one schedule: sums of the times of its launches, and the labels of its slices.
/// Made when a profiled call runs; one call at a time.
class LaunchTimes {
public:
    explicit LaunchTimes(const Schedule& schedule, const std::string& device = "cpu");

    void begin_call();
    void end_call() { profile::add(program_, call_begin_, profile::Clock::now()); }
    /// A launch ran from `begin` to now.
    void add_launch(size_t launch, profile::Clock::time_point begin) {
        add_launch(launch, begin, profile::Clock::now());
    }
    void add_launch(size_t launch, profile::Clock::time_point begin,
                    profile::Clock::time_point end);
    /// A launch that a device did then, by `method`, which stands in its slice's name, too; null if
    /// it has but one.
    void add_device_launch(size_t launch, const profile::Label* method,
                           profile::Clock::time_point begin, profile::Clock::time_point end);

    const profile::Label* kernel(int k) const { return kernels_[size_t(k)]; }
    std::vector<LaunchReport> reports() const;

private:
    std::vector<LaunchReport> reports_;
    int64_t generation_ = 0;
    const profile::Label* program_;
    std::vector<const profile::Label*> launches_, kernels_;
    profile::Clock::time_point call_begin_;
};

/// The slices of one thread's part of a launch: consecutive pieces of one kernel are one slice.
class KernelSlices {
public:
    explicit KernelSlices(const LaunchTimes& times) : times_(times) {}
    ~KernelSlices() { end(); }
    KernelSlices(const KernelSlices&) = delete;
    void begin(int kernel);

private:
    void end();
    const LaunchTimes& times_;
    int kernel_ = -1;
    profile::Clock::time_point begin_;
};

}  // namespace catena::program
