#include "runtime/program/run/launch_times.h"

#include "runtime/profile/launch_labels.h"
#include "runtime/profile/method_span.h"
#include "runtime/program/schedule/launch_reports.h"
#include "runtime/program/schedule/product_type.h"

namespace catena::program {
namespace {

const profile::Label* label_of(const LaunchReport& report, const char* category,
                               const std::string& lines, double program_bytes) {
    return profile::keep_launch({.name = report.name,
                                 .category = category,
                                 .place = lines,
                                 .bytes_read = report.bytes_read,
                                 .bytes_written = report.bytes_written,
                                 .operations = report.product_operations},
                                {.device = report.device,
                                 .bytes = report.bytes_read + report.bytes_written,
                                 .operations = report.product_operations,
                                 .product_type = product_type(report),
                                 .program_bytes = program_bytes});
}

}  // namespace

LaunchTimes::LaunchTimes(const Schedule& schedule, const std::string& device)
    : reports_(launch_reports(schedule)),
      generation_(profile::generation()),
      program_(profile::keep({.name = "program " + schedule.info.name, .category = "program"})) {
    double bytes = 0;
    for (LaunchReport& report : reports_) {
        report.device = device;
        bytes += report.bytes_read + report.bytes_written;
    }
    for (size_t l = 0; l < reports_.size(); ++l)
        launches_.push_back(
            label_of(reports_[l], reports_[l].is_library_call ? "library call" : "kernels",
                     lines_of(operations_of(schedule, schedule.launches[l])), bytes));
    if (device != "cpu") return;  // Its kernels are not told apart.
    for (const KernelLaunch& kernel : schedule.kernels)
        kernels_.push_back(label_of(kernel_report(schedule, kernel), "kernel",
                                    lines_of(kernel.operations), bytes));
}

void LaunchTimes::begin_call() {
    call_begin_ = profile::Clock::now();
    profile::take_method();  // Of what ran before.
    if (generation_ == profile::generation()) return;
    generation_ = profile::generation();
    for (LaunchReport& report : reports_) {
        report.calls = 0;
        report.seconds = 0;
        report.method.clear();
    }
}

void LaunchTimes::add_launch(size_t launch, profile::Clock::time_point begin,
                             profile::Clock::time_point end) {
    LaunchReport& report = reports_[launch];
    ++report.calls;
    report.seconds += std::chrono::duration<double>(end - begin).count();
    if (const profile::Label* const method = profile::take_method()) report.method = method->name;
    profile::add(launches_[launch], begin, end);
}

void LaunchTimes::add_device_launch(size_t launch, const profile::Label* method,
                                    profile::Clock::time_point begin,
                                    profile::Clock::time_point end) {
    const profile::Label* const label = launches_[launch];
    if (method) {
        reports_[launch].method = method->name;
        profile::Label told = *label;
        told.name += ", " + method->name;
        profile::LaunchCost cost = *profile::cost_of(label);
        cost.product_type = product_type(reports_[launch]);
        launches_[launch] = profile::keep_launch(std::move(told), std::move(cost));
    }
    add_launch(launch, begin, end);
    launches_[launch] = label;
}

std::vector<LaunchReport> LaunchTimes::reports() const { return reports_; }

void KernelSlices::begin(int kernel) {
    if (kernel == kernel_) return;
    end();
    kernel_ = kernel;
    begin_ = profile::Clock::now();
}

void KernelSlices::end() {
    if (kernel_ >= 0) profile::add(times_.kernel(kernel_), begin_, profile::Clock::now(), true);
}

}  // namespace catena::program
