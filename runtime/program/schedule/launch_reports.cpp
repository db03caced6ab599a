#include "runtime/program/schedule/launch_reports.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "runtime/ops/declare/work.h"

namespace catena::program {
namespace {

constexpr size_t most_names = 4;

/// Bytes of the elements that are visited over these sizes; broadcast dimensions repeat them.
double bytes_over(const Dims& sizes, const Strides& strides, Dtype dtype, const Buffer& buffer) {
    double elements = 1;
    for (int d = 0; d < sizes.rank(); ++d)
        if (strides[d] != 0) elements *= double(sizes[d]);
    return std::min(elements * double(size_of(dtype)), double(buffer.bytes));
}

void add_kernel(LaunchReport& report, const Schedule& schedule, const KernelLaunch& kernel,
                int64_t& largest) {
    const size_t inputs = kernel.geometry.inputs.size();
    for (size_t o = 0; o < kernel.operands.size(); ++o) {
        const KernelOperand& operand = kernel.geometry.operand(int(o));
        (o < inputs ? report.bytes_read : report.bytes_written) +=
            bytes_over(kernel.geometry.domain, operand.strides, operand.dtype,
                       schedule.buffers[size_t(kernel.operands[o].buffer)]);
    }
    // The largest domain stands for all.
    if (report.kernels++ > 0 && element_count(kernel.geometry.domain) <= largest) return;
    largest = element_count(kernel.geometry.domain);
    report.sizes = catena::to_string(kernel.geometry.domain);
}

double bytes_moved(const Schedule& schedule, const std::vector<View>& views) {
    double bytes = 0;
    for (const View& view : views)
        bytes += bytes_over(view.type.shape, view.strides, view.type.dtype,
                            schedule.buffers[size_t(view.buffer)]);
    return bytes;
}

void add_call(LaunchReport& report, const Schedule& schedule, const LibraryCall& call) {
    report.is_library_call = true;
    report.bytes_read = bytes_moved(schedule, call.inputs);
    report.bytes_written = bytes_moved(schedule, call.outputs);
    for (const View& view : call.outputs)
        report.sizes += (report.sizes.empty() ? "" : ", ") + catena::to_string(view.type);
    SmallVector<Type, 4> inputs, outputs;
    for (const View& view : call.inputs) inputs.push_back(view.type);
    for (const View& view : call.outputs) outputs.push_back(view.type);
    report.product_operations =
        product_operations(TypeCall{*call.op, inputs, call.attributes}, outputs);
}

template <class Text>
std::vector<std::string> each_once(const std::vector<Operation>& operations, Text text) {
    std::vector<std::string> all;
    for (const Operation& operation : operations)
        if (std::string each = text(operation);
            !each.empty() && std::ranges::find(all, each) == all.end())
            all.push_back(std::move(each));
    return all;
}

/// "a, b, c, d and 3 more".
std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (size_t i = 0; i < std::min(names.size(), most_names); ++i)
        text += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > most_names) text += fmt::format(" and {} more", names.size() - most_names);
    return text;
}

void name(LaunchReport& report, const std::vector<Operation>& operations) {
    report.name = listed(each_once(operations, [](const Operation& o) { return o.function; }));
    if (report.name.empty())
        report.name = report.kernels == 1 ? "kernel" : fmt::format("{} kernels", report.kernels);
    report.operations = each_once(operations, [](const Operation& o) { return to_string(o); });
}

}  // namespace

Connections::Connections(const Schedule& schedule) {
    std::vector<int> writer(schedule.buffers.size(), -1);
    for (size_t l = 0; l < schedule.launches.size(); ++l) {
        std::set<int> from;
        std::vector<int> written;
        const auto reads = [&](int buffer) {
            if (writer[size_t(buffer)] >= 0) from.insert(writer[size_t(buffer)]);
        };
        const Launch& launch = schedule.launches[l];
        if (launch.library_call >= 0) {
            const LibraryCall& call = schedule.library_calls[size_t(launch.library_call)];
            for (const View& view : call.inputs) reads(view.buffer);
            for (const View& view : call.outputs) written.push_back(view.buffer);
        }
        for (int k : launch.kernels) {
            const KernelLaunch& kernel = schedule.kernels[size_t(k)];
            for (size_t o = 0; o < kernel.operands.size(); ++o) {
                if (o < kernel.geometry.inputs.size())
                    reads(kernel.operands[o].buffer);
                else
                    written.push_back(kernel.operands[o].buffer);
            }
        }
        for (int buffer : written) writer[size_t(buffer)] = int(l);
        from_.insert(from_.end(), from.begin(), from.end());
        ends_.push_back(int(from_.size()));
    }
    from_.shrink_to_fit();
    ends_.shrink_to_fit();
}

std::span<const int> Connections::reads_from(size_t launch) const {
    const size_t begin = launch == 0 ? 0 : size_t(ends_[launch - 1]);
    return std::span(from_).subspan(begin, size_t(ends_[launch]) - begin);
}

std::string to_string(const Operation& operation) {
    const std::string line = catena::to_string(operation.location);
    return line.empty() ? operation.function : fmt::format("{} ({})", operation.function, line);
}

std::string lines_of(const std::vector<Operation>& operations) {
    return listed(
        each_once(operations, [](const Operation& o) { return catena::to_string(o.location); }));
}

std::vector<Operation> operations_of(const Schedule& schedule, const Launch& launch) {
    if (launch.library_call >= 0) {
        const LibraryCall& call = schedule.library_calls[size_t(launch.library_call)];
        return {{call.function.empty() ? call.op->name : call.function, call.location}};
    }
    std::vector<Operation> all;
    for (int k : launch.kernels) {
        const OperationList& operations = schedule.kernels[size_t(k)].operations;
        all.insert(all.end(), operations.begin(), operations.end());
    }
    return all;
}

LaunchReport kernel_report(const Schedule& schedule, const KernelLaunch& kernel) {
    LaunchReport report;
    int64_t largest = 0;
    add_kernel(report, schedule, kernel, largest);
    name(report, kernel.operations);
    return report;
}

std::vector<LaunchReport> launch_reports(const Schedule& schedule) {
    const Connections connections(schedule);
    std::vector<LaunchReport> reports;
    for (const Launch& launch : schedule.launches) {
        const std::span<const int> from = connections.reads_from(reports.size());
        LaunchReport& report = reports.emplace_back();
        report.reads_from.assign(from.begin(), from.end());
        if (launch.library_call >= 0)
            add_call(report, schedule, schedule.library_calls[size_t(launch.library_call)]);
        int64_t largest = 0;
        for (int k : launch.kernels)
            add_kernel(report, schedule, schedule.kernels[size_t(k)], largest);
        name(report, operations_of(schedule, launch));
    }
    return reports;
}

}  // namespace catena::program
