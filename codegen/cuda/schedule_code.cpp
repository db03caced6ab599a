#include "codegen/cuda/schedule_code.h"

#include <algorithm>
#include <map>
#include <set>

#include "codegen/kernel/pattern.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/program/schedule/device_form.h"

namespace catena::codegen::cuda {

namespace {

std::vector<int64_t> alignments_of(const KernelLaunch& launch) {
    std::vector<int64_t> alignments;
    for (const KernelLaunch::Operand& operand : launch.operands)
        alignments.push_back(program::alignment_at(operand.byte_offset));
    return alignments;
}

/// One of each name, in the order of names.
std::vector<CodeKernel*> distinct(std::span<CodeKernel* const> kernels) {
    std::map<std::string, CodeKernel*> by_name;
    for (CodeKernel* kernel : kernels) by_name.emplace(kernel->name, kernel);
    std::vector<CodeKernel*> found;
    for (auto& [name, kernel] : by_name) found.push_back(kernel);
    return found;
}

/// Element texts of a schedule's calls, by index of the call.
using CallKernels = std::map<int, ElementKernels>;

void set_elements(Schedule& schedule, CallKernels& calls) {
    for (auto& [index, elements] : calls) {
        elements.take_names();
        schedule.library_calls[size_t(index)].elements = elements.launches;
    }
}

/// What each run of a program launches: one program at several sizes.
using Runs = std::vector<std::vector<Kernel>>;

/// Code of the groups, by kernel. It serves all runs, and all get its form.
std::vector<CodeKernel> group_kernels(std::span<Schedule> schedules, const Runs& runs) {
    std::vector<CodeKernel> kernels;
    for (size_t k = 0; k < runs[0].size(); ++k) {
        // Sizes are affine in the open ones: what divides them at all runs divides them always.
        int vector = 8;
        for (size_t r = 0; r < runs.size(); ++r)
            vector = std::min(vector,
                              layout_of(runs[r][k], alignments_of(schedules[r].kernels[k])).vector);
        CodeKernel kernel;
        kernel.layout = layout_of(runs[0][k], alignments_of(schedules[0].kernels[k]), vector);
        kernel.text = emit_kernel(runs[0][k], kernel.layout);
        for (Schedule& schedule : schedules)
            schedule.kernels[k].device = {kernel.layout.threads, kernel.layout.reduce_threads,
                                          kernel.layout.vector, kernel.layout.wide_index,
                                          kernel.layout.scalars_by_value};
        kernels.push_back(std::move(kernel));
    }
    return kernels;
}

/// The element texts of calls for which the device has no library.
CallKernels calls_without_library(const Schedule& schedule, CodeDevice& device) {
    CallKernels calls;
    program::Placement placement(schedule, device,
                                 1);  // Arrays that lie as in a call, for libraries to look at.
    for (size_t c = 0; c < schedule.library_calls.size(); ++c) {
        const LibraryCall& call = schedule.library_calls[c];
        std::vector<Array> inputs, outputs;
        for (const View& view : call.inputs) inputs.push_back(placement.array(view));
        for (const View& view : call.outputs) outputs.push_back(placement.array(view));
        const std::vector<double> scalars(call.scalars.size());
        const KernelCall made{*call.op, inputs, outputs, call.attributes, scalars};
        if (has_element_plan(*call.op) && outputs[0].size() > 0 && !device.has_library_for(made))
            calls.emplace(int(c), element_kernels(made));
    }
    return calls;
}

}  // namespace

std::shared_ptr<program::DeviceExecutable> make_executable(Draft draft, CodeDevice& device,
                                                           bool fast_math, std::string* text) {
    Schedule& schedule = draft.schedule;
    Runs runs(1);
    runs[0] = std::move(draft.kernels);
    std::vector<CodeKernel> groups = group_kernels({&schedule, 1}, runs);
    CallKernels calls = calls_without_library(schedule, device);
    std::vector<CodeKernel*> wanted, elements;
    for (CodeKernel& kernel : groups) wanted.push_back(&kernel);
    for (auto& [index, call] : calls) call.add_to(elements);
    // Groups and single elements alike, few translation units for all; but contraction is never
    // allowed where the host's bits are promised.
    if (!fast_math) wanted.insert(wanted.end(), elements.begin(), elements.end());
    find_or_compile(device, wanted, fast_math);
    if (fast_math) find_or_compile(device, elements, false);

    program::DeviceKernels kernels;
    std::set<const void*> handles;
    for (size_t k = 0; k < groups.size(); ++k) {
        schedule.kernels[k].symbol = groups[k].name;
        handles.insert(groups[k].handle);
    }
    for (const std::vector<CodeKernel*>& list : {wanted, elements})
        for (const CodeKernel* kernel : list) kernels[kernel->name] = kernel->handle;
    set_elements(schedule, calls);
    schedule.info.kernels = int(handles.size());
    if (text) {
        std::vector<CodeKernel*> shown;
        for (CodeKernel& kernel : groups) shown.push_back(&kernel);
        *text = unit_text(distinct(shown));
    }
    return std::make_shared<program::DeviceExecutable>(std::move(schedule), device, kernels);
}

namespace {

/// The kernels of all calls at one size.
CallKernels call_kernels(const Schedule& schedule) {
    CallKernels calls;
    for (size_t c = 0; c < schedule.library_calls.size(); ++c) {
        const LibraryCall& call = schedule.library_calls[c];
        if (!has_element_plan(*call.op)) {
            if (runs_anywhere(*call.op)) continue;
            fail<CompileError>("{} ({}) does not run on devices: {}", call.op->name,
                               to_string(call.location),
                               host_only_reason(*call.op).empty() ? "it has no element text"
                                                                  : host_only_reason(*call.op));
        }
        std::vector<Array> inputs, outputs;
        for (const View& view : call.inputs)
            inputs.push_back(Array::empty(view.type, meta_device()));
        for (const View& view : call.outputs)
            outputs.push_back(Array::empty(view.type, meta_device()));
        const std::vector<double> scalars(call.scalars.size());
        calls.emplace(int(c),
                      element_kernels({*call.op, inputs, outputs, call.attributes, scalars}));
    }
    return calls;
}

void set_names(std::span<CodeKernel* const> kernels, bool fast_math) {
    for (CodeKernel* kernel : kernels) kernel->name = kernel_name(*kernel, fast_math);
}

std::vector<CodeKernel> copy_kernels(const Schedule& schedule) {
    std::set<size_t> sizes;
    for (const Type& type : schedule.input_types) sizes.insert(size_of(type.dtype));
    for (const LibraryCall& call : schedule.library_calls)
        for (const auto* views : {&call.inputs, &call.outputs})
            for (const View& view : *views) sizes.insert(size_of(view.type.dtype));
    std::vector<CodeKernel> kernels;
    for (size_t bytes : sizes)
        for (const program::CopyForm& form : program::copy_forms) {
            const KernelLaunch launch = program::copy_kernel(form.rank, bytes);
            CodeKernel& kernel = kernels.emplace_back();
            kernel.layout = layout_of(launch.geometry);
            kernel.layout.wide_index = form.wide_index;
            kernel.text = emit_kernel(copying_kernel(launch.geometry), kernel.layout);
            kernel.name = launch.symbol;
        }
    return kernels;
}

/// One image for each architecture and translation unit.
void add_images(DevicePortableProgram& program, std::span<CodeKernel* const> kernels,
                bool fast_math, const DevicePortableOptions& options) {
    for (const TranslationUnit& unit : units_of(distinct(kernels)))
        for (const std::string& architecture : options.architectures)
            program.images.push_back(
                {architecture, code_for(architecture, unit.text, fast_math, options.newest_code),
                 unit.names});
}

}  // namespace

void add_device_code(DevicePortableProgram& program, std::vector<Draft> drafts,
                     const DevicePortableOptions& options) {
    std::vector<Schedule>& runs = program.schedules;
    Runs kernels_of_runs;
    for (Draft& draft : drafts) {
        for (size_t k = 0; k < draft.kernels.size(); ++k)
            draft.schedule.kernels[k].key = pattern_of(draft.kernels[k]);
        runs.push_back(std::move(draft.schedule));
        kernels_of_runs.push_back(std::move(draft.kernels));
    }
    program::check_same_kernels(runs);
    std::vector<CodeKernel> groups = group_kernels(runs, kernels_of_runs),
                            copies = copy_kernels(runs[0]);
    std::vector<CodeKernel*> wanted, others;
    for (CodeKernel& kernel : groups) wanted.push_back(&kernel);
    set_names(wanted, options.fast_math);
    for (Schedule& run : runs)
        for (size_t k = 0; k < groups.size(); ++k) run.kernels[k].symbol = groups[k].name;

    std::vector<CallKernels> calls;
    for (Schedule& run : runs) {
        std::vector<CodeKernel*> elements;
        for (auto& [index, call] : calls.emplace_back(call_kernels(run))) call.add_to(elements);
        set_names(elements, false);
        set_elements(run, calls.back());
        others.insert(others.end(), elements.begin(), elements.end());
    }
    for (CodeKernel& kernel : copies) others.push_back(&kernel);
    add_images(program, wanted, options.fast_math, options);
    add_images(program, others, false, options);
    if (options.stages) program.stages.emplace_back("kernels.cu", unit_text(distinct(wanted)));
    for (Schedule& run : runs) run.info.kernels = int(distinct(wanted).size());
}

std::vector<std::string> portable_architectures(const CodeDevice& device) {
    const std::string own = device.architecture();
    if (!own.starts_with("sm_")) return {own};
    const std::vector<int> known = nvrtc_architectures(device.newest_code());
    const int number = std::atoi(own.c_str() + 3);
    int newest = 0;
    for (int each : known)
        if (each <= number) newest = std::max(newest, each);
    if (newest == number) return {own, fmt::format("compute_{}", number)};
    return {fmt::format("compute_{}", newest > 0 ? newest : number)};
}

}  // namespace catena::codegen::cuda
