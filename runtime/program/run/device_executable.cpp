#include "runtime/program/run/device_executable.h"

#include <algorithm>
#include <bit>

#include "runtime/core/system/environment.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/declare/message.h"
#include "runtime/program/schedule/device_form.h"
#include "runtime/program/schedule/launch_reports.h"

namespace catena::program {

namespace {

const void* find_buffer(const DeviceKernels& kernels, const std::string& symbol) {
    auto found = kernels.find(symbol);
    if (found == kernels.end()) fail<FileError>("its code has no kernel {}", symbol);
    return found->second;
}

}  // namespace

DeviceExecutable::DeviceExecutable(Schedule schedule, CodeDevice& device,
                                   const DeviceKernels& kernels)
    : schedule_(std::move(schedule)),
      device_(device),
      placement_(schedule_, device, /*input_alignment=*/16) {
    bind_kernels();
    bind_library_calls(kernels);
    bind_steps(kernels);
    list_work();
}

void DeviceExecutable::bind_kernels() {
    for (const KernelLaunch& launch : schedule_.kernels) {
        scalar_begins_.push_back(scalar_indices_.size());
        if (!launch.device.scalars_by_value)
            scalar_indices_.insert(scalar_indices_.end(), launch.scalars.begin(),
                                   launch.scalars.end());
        const std::vector<int64_t> numbers =
            device_numbers(launch.geometry, launch.device.vector, launch.strides_read);
        std::vector<uint64_t> words(std::max<size_t>(launch.operands.size(), 1) + 1, 0);
        words.insert(words.end(), numbers.begin(), numbers.end());
        if (launch.device.scalars_by_value) words.resize(words.size() + launch.scalars.size());
        arguments_.push_back(std::move(words));
    }
    scalar_values_.resize(scalar_indices_.size());
    if (!scalar_values_.empty())
        device_scalars_ =
            Array::empty({Dtype::float64, Shape{int64_t(scalar_values_.size())}}, device_);
}

KernelCall DeviceExecutable::bound_call(size_t index) {
    const LibraryCall& call = schedule_.library_calls[index];
    BoundCall& bound = calls_[index];
    return {*call.op, bound.inputs, bound.outputs, call.attributes, bound.scalars};
}

void DeviceExecutable::bind_library_calls(const DeviceKernels& kernels) {
    for (const LibraryCall& call : schedule_.library_calls) {
        BoundCall bound;
        for (const View& view : call.inputs) bound.inputs.push_back(placement_.array(view));
        for (const View& view : call.outputs) bound.outputs.push_back(placement_.array(view));
        bound.scalars.resize(call.scalars.size());
        calls_.push_back(std::move(bound));
        const KernelCall made = bound_call(calls_.size() - 1);
        calls_.back().in_library = device_.has_library_for(made);
        if (!call.elements) continue;
        std::vector<const void*> handles;
        for (const ElementLaunches::Pass& pass : call.elements->passes)
            handles.push_back(find_buffer(kernels, pass.symbol));
        calls_.back().elements.emplace(made, *call.elements, handles);
    }
}

void DeviceExecutable::bind_steps(const DeviceKernels& kernels) {
    uint32_t level = 0;
    for (const Launch& launch : schedule_.launches) {
        ++level;
        if (launch.library_call >= 0 || steps_.empty() || steps_.back().library_call >= 0)
            steps_.push_back({.library_call = launch.library_call, .launch = size_t(level - 1)});
        for (int k : launch.kernels) {
            const KernelLaunch& kernel = schedule_.kernels[size_t(k)];
            const void* handle = find_buffer(kernels, kernel.symbol);
            if (!kernel.device.wide_index && needs_wide_index(kernel.geometry))
                fail<FileError>(
                    "kernel {} has 32-bit indices, too narrow for {} elements; save the program at "
                    "sizes that "
                    "need more",
                    kernel.symbol, element_count(kernel.geometry.domain));
            const int64_t blocks = block_count(kernel.geometry, kernel.device);
            if (blocks == 0) continue;
            steps_.back().kernels.push_back(k);
            steps_.back().launches.push_back(
                {.kernel = handle,
                 .name = kernel.symbol.c_str(),
                 .blocks = launch_blocks(blocks, device_),
                 .threads = uint32_t(kernel.device.threads),
                 .arguments = arguments_[size_t(k)].data(),
                 .bytes = arguments_[size_t(k)].size() * sizeof(uint64_t),
                 .level = level});
        }
    }
}

/// Work is recorded as a whole where there is a call of a library: kernels alone are one step.
/// Messages wait for other processes, and what neither a library nor kernels compute for the
/// device.
void DeviceExecutable::list_work() {
    const auto fits = [this](size_t c) {
        const OpDef& op = *schedule_.library_calls[c].op;
        return !is_message(op) && (calls_[c].in_library || calls_[c].elements || runs_anywhere(op));
    };
    for (size_t c = 0; c < calls_.size(); ++c)
        if (!fits(c)) return;
    if (steps_.size() < 2 || !environment::flag("CATENA_CUDA_GRAPHS", true)) return;
    for (const LibraryCall& call : schedule_.library_calls) {
        for (const std::vector<View>* views : {&call.inputs, &call.outputs})
            for (const View& view : *views) called_buffers_.push_back(view.buffer);
        called_scalars_.insert(called_scalars_.end(), call.scalars.begin(), call.scalars.end());
    }
    for (std::vector<int>* numbers : {&called_buffers_, &called_scalars_}) {
        std::ranges::sort(*numbers);
        numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
    }
    for (Step& step : steps_) {
        if (step.library_call < 0)
            work_.push_back({step.launches, {}});
        else
            work_.push_back({{}, [this, call = size_t(step.library_call)] {
                                 run_library_call(call, scalars_);
                             }});
    }
}

/// False where the work has no recorded form.
bool DeviceExecutable::execute_recorded(std::span<const double> scalars) {
    if (work_.empty() || device_.is_recording()) return false;
    key_.assign(1, uint64_t(config().tf32) | uint64_t(config().autotune)
                                                 << 1);  // Asked by libraries.
    for (int b : called_buffers_) key_.push_back(uint64_t(placement_.address(b)));
    for (int s : called_scalars_) key_.push_back(std::bit_cast<uint64_t>(scalars[size_t(s)]));
    scalars_ = scalars;
    CodeDevice::Replay* form = recorded_.find(key_, device_, work_);
    if (form) device_.replay(*form, work_);
    return form != nullptr;
}

void DeviceExecutable::set_arguments(size_t k, std::span<const double> scalars) {
    const KernelLaunch& launch = schedule_.kernels[k];
    std::vector<uint64_t>& words = arguments_[k];
    const size_t operands = launch.operands.size();
    for (size_t o = 0; o < operands; ++o)
        words[o] = uint64_t(placement_.address(launch.operands[o].buffer) +
                            launch.operands[o].byte_offset);
    if (launch.device.scalars_by_value)
        std::transform(launch.scalars.begin(), launch.scalars.end(),
                       words.end() - int64_t(launch.scalars.size()),
                       [&](int s) { return std::bit_cast<uint64_t>(scalars[size_t(s)]); });
    else if (!launch.scalars.empty())
        words[std::max<size_t>(operands, 1)] =
            uint64_t(static_cast<double*>(device_scalars_.storage()->data) + scalar_begins_[k]);
}

void DeviceExecutable::run_library_call(size_t index, std::span<const double> scalars) {
    const LibraryCall& call = schedule_.library_calls[index];
    BoundCall& bound = calls_[index];
    for (size_t s = 0; s < bound.scalars.size(); ++s)
        bound.scalars[s] = scalars[size_t(call.scalars[s])];
    LocationScope location(call.location);
    const KernelCall made = bound_call(index);
    const bool empty = std::all_of(made.outputs.begin(), made.outputs.end(),
                                   [](const Array& y) { return y.size() == 0; });
    if (empty || (bound.in_library && device_.launch_in_library(made))) return;
    if (bound.elements)
        bound.elements->launch(device_, made);
    else
        device_.launch(made);
}

void DeviceExecutable::upload_scalars(std::span<const double> scalars) {
    if (scalar_values_.empty()) return;
    for (size_t s = 0; s < scalar_indices_.size(); ++s)
        scalar_values_[s] = scalars[size_t(scalar_indices_[s])];
    device_.upload(device_scalars_.storage()->data, scalar_values_.data(),
                   scalar_values_.size() * sizeof(double));
}

void DeviceExecutable::execute(std::span<const double> scalars) {
    const Temporaries temporaries = placement_.place_temporaries();
    upload_scalars(scalars);
    if (profile::is_on() && !device_.is_recording()) {
        execute_timed(scalars);
        return placement_.release_copies();
    }
    for (const Step& step : steps_)
        for (int k : step.kernels) set_arguments(size_t(k), scalars);
    if (!execute_recorded(scalars)) {
        for (Step& step : steps_) {
            if (step.library_call < 0)
                device_.replay(step.replay, step.launches);
            else
                run_library_call(size_t(step.library_call), scalars);
        }
    }
    placement_.release_copies();
}

/// One launch after another, each between two marks.
void DeviceExecutable::execute_timed(std::span<const double> scalars) {
    if (!times_) times_ = std::make_unique<LaunchTimes>(schedule_, device_.name());
    times_->begin_call();
    const std::unique_ptr<CodeDevice::Timer> timer = device_.make_timer();
    std::vector<size_t> measured;
    profile::Clock::time_point time = profile::Clock::now();
    timer->mark();
    const auto end_launch = [&](size_t launch) {
        timer->mark();
        measured.push_back(launch);
    };
    for (const Step& step : steps_) {
        if (step.library_call >= 0) {
            run_library_call(size_t(step.library_call), scalars);
            end_launch(step.launch);
        }
        for (size_t i = 0; i < step.launches.size(); ++i) {
            set_arguments(size_t(step.kernels[i]), scalars);
            device_.launch_code(step.launches[i]);
            const uint32_t level = step.launches[i].level;
            if (i + 1 == step.launches.size() || step.launches[i + 1].level != level)
                end_launch(level - 1);
        }
    }
    const std::vector<double> seconds = timer->seconds();
    for (size_t i = 0; i < measured.size(); ++i) {
        const profile::Clock::time_point end =
            time + std::chrono::duration_cast<profile::Clock::duration>(
                       std::chrono::duration<double>(seconds[i]));
        times_->add_launch(measured[i], time, end);
        time = end;
    }
    times_->end_call();
}

std::vector<LaunchReport> DeviceExecutable::launches() {
    std::lock_guard lock(mutex_);
    std::vector<LaunchReport> reports = times_ ? times_->reports() : launch_reports(schedule_);
    for (LaunchReport& report : reports) report.device = device_.name();
    return reports;
}

void DeviceExecutable::run(std::span<const Array> inputs, std::span<const double> scalars,
                           std::span<const bool> donated, std::span<Array> outputs) {
    std::lock_guard lock(mutex_);
    placement_.place_inputs(inputs);
    placement_.place_outputs(inputs, donated, outputs);
    execute(scalars);
}

void DeviceExecutable::run_into(std::span<const Array> inputs, std::span<const double> scalars,
                                std::span<const Array> outputs) {
    std::lock_guard lock(mutex_);
    placement_.place_inputs(inputs);
    placement_.place_given(outputs);
    execute(scalars);
    placement_.copy_shared(inputs, outputs);
}

}  // namespace catena::program
