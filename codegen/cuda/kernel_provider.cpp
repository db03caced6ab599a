#include "codegen/cuda/kernel_provider.h"

#include <algorithm>

#include "codegen/cuda/element_kernel.h"
#include "codegen/generator_version.h"
#include "codegen/kernel/collapse.h"
#include "codegen/kernel/kernel.h"
#include "runtime/core/array/address.h"
#include "runtime/file/disk_cache.h"
#include "runtime/graph/settings/config.h"
#include "runtime/graph/trace/tracer.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/program/schedule/device_form.h"

namespace catena::codegen::cuda {

namespace {

/// Programs are small; a process that makes this many has shapes without end.
constexpr size_t most_programs = 8192;

bool has_elements(std::span<const Array> arrays) {
    return std::any_of(arrays.begin(), arrays.end(),
                       [](const Array& array) { return array.size() > 0; });
}

/// A text of all that decides about a program but the values of scalars.
std::string key_of(const CodeDevice& device, const KernelCall& call) {
    std::string key =
        fmt::format("{} {}{}", device.name(), call.op.id, config().fast_math ? " fast" : "");
    for (const Array& input : call.inputs) key += " " + to_string(input.type());
    for (const Array& output : call.outputs)
        key += output.contiguous() ? "" : " " + to_string(output.strides());
    for (const Attributes::Entry& entry : call.attributes.entries())
        key += fmt::format(" {}={}", entry.name, to_string(entry.value));
    return key;
}

std::string with_scalars(std::string key, std::span<const double> scalars) {
    for (double scalar : scalars) key += fmt::format(" {}", scalar);
    return key;
}

/// The call's scalars as numbers that can be found again in what a body records.
class TaggedScalars {
public:
    explicit TaggedScalars(std::span<const double> values) {
        for (double value : values) {
            const Cell cell(value);
            cell.body()->reads = &reads_;
            scalars_.emplace_back(cell);
        }
    }
    const std::vector<Scalar>& scalars() const { return scalars_; }
    bool were_read() const { return reads_ > 0; }
    /// For each slot of the trace, which of the scalars it is; -1: a number of the body's own.
    std::vector<int> origins(const Trace& trace) const {
        std::vector<int> origins;
        for (const Trace::ScalarSlot& slot : trace.scalars) {
            const auto same = [&](const Scalar& scalar) {
                return slot.cell && scalar.cell() == slot.cell;
            };
            const auto found = std::find_if(scalars_.begin(), scalars_.end(), same);
            origins.push_back(found == scalars_.end() ? -1 : int(found - scalars_.begin()));
        }
        return origins;
    }

private:
    int reads_ = 0;
    std::vector<Scalar> scalars_;
};

/// A call as a program.
struct RecordedCall {
    Trace trace;
    std::map<int, int> argument_of;  ///< The call's argument for an input of the trace.
    std::vector<int> scalar_of;      ///< For each scalar of the trace, the call's scalar, or -1.
    bool reads_scalars = false;      ///< Whether the body is computed with the values of scalars.
};

RecordedCall record(const KernelCall& call) {
    RecordedCall made;
    auto mode = using_config(&Config::enable_backprop, false);
    Tracer tracer(true);
    std::vector<Variable> inputs;
    std::vector<const Variable*> pointers;
    for (const Array& input : call.inputs) {
        // Arrays of their own, though the caller may have passed one twice.
        inputs.emplace_back(Array::empty(input.type(), meta_device()), false);
        const int number = int(inputs.size()) - 1;
        made.argument_of[tracer.add_argument(inputs.back().array(), fmt::format("x{}", number))] =
            number;
    }
    for (const Variable& input : inputs) pointers.push_back(&input);
    const TaggedScalars tagged(call.scalars);
    Variables outputs;
    {
        RecorderScope scope(&tracer);
        outputs = apply(call.op, pointers, known_location(), call.attributes, tagged.scalars());
    }
    made.trace = tracer.trace();
    made.trace.outputs.clear();
    for (const Variable& output : outputs)
        made.trace.outputs.push_back(tracer.value_of(output.array()));
    made.trace.name = call.op.name;
    made.scalar_of = tagged.origins(made.trace);
    made.reads_scalars = tagged.were_read();
    return made;
}

void run_on_host(CodeDevice& device, const KernelCall& call) {
    Arrays inputs, outputs;
    for (const Array& input : call.inputs) inputs.push_back(input.to(cpu_device()));
    for (const Array& output : call.outputs)
        outputs.push_back(Array::empty(output.type(), cpu_device()));
    cpu_device().launch(KernelCall{call.op, inputs, outputs, call.attributes, call.scalars});
    for (size_t i = 0; i < outputs.size(); ++i)
        device.copy_from_host(outputs[i].raw_data(), call.outputs[i]);
}

void launch(CodeDevice& device, CodeKernel& kernel, std::vector<uint64_t> words,
            std::span<const int64_t> numbers) {
    CodeKernel* wanted = &kernel;
    find_or_compile(device, {&wanted, 1}, false);
    words.push_back(0);  // No scalars.
    for (int64_t number : numbers) words.push_back(uint64_t(number));
    device.launch_code({.kernel = kernel.handle,
                        .name = kernel.name.c_str(),
                        .blocks = program::launch_blocks(kernel.layout.blocks(), device),
                        .threads = uint32_t(kernel.layout.threads),
                        .arguments = words.data(),
                        .bytes = words.size() * sizeof(uint64_t),
                        .location = known_location()});
}

/// Another build may ask its libraries for something else by the same key.
std::string key_on_disk(const std::string& key) {
    return "library code, " + generator_version() + ", " + key;
}

Strides strides_without_ones(const Array& array) {
    Strides strides = array.strides();
    for (int dim = 0; dim < strides.rank(); ++dim)
        if (array.dim(dim) == 1) strides[dim] = 0;
    return strides;
}

}  // namespace

void CompilingProvider::run(CodeDevice& device, const KernelCall& call) {
    if (!has_elements(call.outputs) || device.launch_in_library(call)) return;
    if (runs_anywhere(call.op)) return call.op.kernel(call);
    const std::shared_ptr<const Program> found = find(device, call);
    const Program& program = *found;
    if (program.elements) return program.elements->launch(device, call);
    if (!program.executable) {
        ++host_calls_;
        return run_on_host(device, call);
    }
    for (const Array& output : call.outputs)
        CATENA_ASSERT(output.contiguous(), "programs give row-major results");
    std::vector<Array> inputs;
    for (size_t i = 0; i < program.arguments.size(); ++i)
        inputs.push_back(program.arguments[i] >= 0 ? call.inputs[size_t(program.arguments[i])]
                                                   : program.captured[i]);
    std::vector<double> scalars = program.scalars;
    for (size_t s = 0; s < scalars.size(); ++s)
        if (program.scalar_of[s] >= 0) scalars[s] = call.scalars[size_t(program.scalar_of[s])];
    static_cast<program::DeviceExecutable&>(*program.executable)
        .run_into(inputs, scalars, call.outputs);
}

std::shared_ptr<const CompilingProvider::Program> CompilingProvider::find(CodeDevice& device,
                                                                          const KernelCall& call) {
    const std::string common = key_of(device, call);
    std::string key = common;
    {
        std::lock_guard lock(mutex_);
        if (reads_scalars_.contains(common)) key = with_scalars(common, call.scalars);
        if (auto found = programs_.find(key); found != programs_.end()) return found->second;
        if (programs_.size() >= most_programs) programs_.clear();
    }
    auto made = std::make_shared<const Program>(
        build(device, call));  // May run operations itself, for constants.
    std::lock_guard lock(mutex_);
    if (made->reads_scalars) {
        reads_scalars_.insert(common);
        key = with_scalars(common, call.scalars);
    }
    return programs_.emplace(key, std::move(made)).first->second;
}

CompilingProvider::Program CompilingProvider::build(CodeDevice& device, const KernelCall& call) {
    Program program;
    if (has_element_plan(call.op)) {
        // The results' order is given, by a compiled program whose call the library has declined;
        // inputs are copied.
        Arrays rows;
        for (const Array& input : call.inputs)
            rows.push_back(Array::empty(input.type(), meta_device()));
        const KernelCall made{call.op, rows, call.outputs, call.attributes, call.scalars};
        ElementKernels elements = element_kernels(made);
        std::vector<CodeKernel*> wanted;
        elements.add_to(wanted);
        find_or_compile(device, wanted, false);
        elements.take_names();
        program.elements =
            std::make_unique<program::ElementCall>(made, elements.launches, elements.handles());
        return program;
    }
    const RecordedCall recorded = record(call);
    const Trace& trace = recorded.trace;
    for (int v : trace.inputs) {
        auto argument = recorded.argument_of.find(v);
        const bool captured = argument == recorded.argument_of.end();
        program.arguments.push_back(captured ? -1 : argument->second);
        program.captured.push_back(captured ? trace.values[size_t(v)].captured.to(device)
                                            : Array());
    }
    program.scalar_of = recorded.scalar_of;
    for (const Trace::ScalarSlot& slot : trace.scalars) program.scalars.push_back(slot.value);
    program.reads_scalars = recorded.reads_scalars;

    program.executable = compile_(trace, {.fast_math = config().fast_math, .device = &device});
    const program::Schedule& schedule =
        static_cast<program::DeviceExecutable&>(*program.executable).schedule();
    const bool alone = trace.steps.size() == 1 && trace.steps[0].op == &call.op;
    // The device asks us: there is nobody else to ask.
    if (alone && !schedule.library_calls.empty()) program.executable = nullptr;
    return program;
}

std::optional<std::string> CompilingProvider::kept_code(const std::string& key) {
    DiskCache& disk = DiskCache::instance();
    return disk.on() ? disk.find(key_on_disk(key)) : std::nullopt;
}

void CompilingProvider::keep_code(const std::string& key, const std::string& code) {
    if (DiskCache& disk = DiskCache::instance(); disk.on()) disk.store(key_on_disk(key), code);
}

void CompilingProvider::copy(CodeDevice& device, const Array& from, const Array& to) {
    if (to.size() == 0) return;
    Kernel elements = copying_kernel({.domain = to.shape(),
                                      .inputs = {{from.dtype(), strides_without_ones(from)}},
                                      .outputs = {{to.dtype(), strides_without_ones(to)}}});
    collapse(elements);
    const uint64_t addresses[] = {address_word(from), address_word(to)};
    CodeKernel kernel;
    kernel.layout = layout_of(
        elements, {int64_t(addresses[0] & -addresses[0]), int64_t(addresses[1] & -addresses[1])});
    kernel.text = emit_kernel(elements, kernel.layout);
    launch(device, kernel, {addresses[0], addresses[1]}, kernel_numbers(elements, kernel.layout));
}

}  // namespace catena::codegen::cuda
