#include "codegen/cuda/code_executable.h"

#include <algorithm>
#include <set>

#include "codegen/cuda/scalar_text.h"
#include "runtime/ops/element_text.h"

namespace catena::codegen::cuda {

namespace {

/// Kernels take operands of 16 bytes at a time.
constexpr int64_t alignment = 16;
/// Blocks of 256 threads that a multiprocessor holds at once, times a few for balance.
constexpr int64_t blocks_per_multiprocessor = 32;

int64_t alignment_of(int64_t byte_offset) {
    return byte_offset == 0 ? alignment : byte_offset & -byte_offset;
}

}  // namespace

CodeExecutable::CodeExecutable(Schedule schedule, CodeDevice& device, bool fast_math)
    : schedule_(std::move(schedule)), device_(device), placement_(schedule_, device, size_t(alignment)) {
    for (const KernelLaunch& launch : schedule_.kernels) {
        std::vector<int64_t> alignments;
        for (const KernelLaunch::Operand& operand : launch.operands)
            alignments.push_back(alignment_of(operand.byte_offset));
        CodeKernel kernel;
        kernel.layout = layout_of(launch.program, alignments);
        kernel.text = emit_kernel(launch.program, kernel.layout);
        kernels_.push_back(std::move(kernel));
    }
    bind_library_calls();
    compile(fast_math);
    bind_kernels();
    bind_steps();
}

std::string CodeExecutable::text() const {
    std::set<std::string> names, math;
    std::string bodies;
    for (const CodeKernel& kernel : kernels_) {
        if (!names.insert(kernel.name).second) continue;
        math.insert(kernel.text.math.begin(), kernel.text.math.end());
        bodies += kernel_text(kernel.name, kernel.text, kernel.layout);
    }
    return preamble_text(math) + bodies;
}

/// Groups and single elements alike, few translation units for all.
void CodeExecutable::compile(bool fast_math) {
    std::vector<CodeKernel*> wanted, elements;
    for (CodeKernel& kernel : kernels_) wanted.push_back(&kernel);
    for (BoundCall& call : calls_)
        if (call.elements)
            for (CodeKernel* kernel : call.elements->kernels()) elements.push_back(kernel);
    // Contraction is never allowed where the host's bits are promised.
    if (!fast_math) wanted.insert(wanted.end(), elements.begin(), elements.end());
    find_or_compile(device_, wanted, fast_math);
    if (fast_math) find_or_compile(device_, elements, false);
    std::set<const void*> distinct;
    for (const CodeKernel& kernel : kernels_) distinct.insert(kernel.handle);
    schedule_.info.kernels = int(distinct.size());
}

void CodeExecutable::bind_kernels() {
    for (size_t k = 0; k < kernels_.size(); ++k) {
        const KernelLaunch& launch = schedule_.kernels[k];
        scalar_begins_.push_back(scalar_indices_.size());
        scalar_indices_.insert(scalar_indices_.end(), launch.scalars.begin(), launch.scalars.end());
        const std::vector<int64_t> numbers = kernel_numbers(launch.program, kernels_[k].layout);
        std::vector<uint64_t> words(std::max<size_t>(launch.operands.size(), 1) + 1, 0);
        words.insert(words.end(), numbers.begin(), numbers.end());
        arguments_.push_back(std::move(words));
    }
    scalar_values_.resize(scalar_indices_.size());
    if (!scalar_values_.empty())
        device_scalars_ =
            Array::empty({Dtype::float64, Shape{int64_t(scalar_values_.size())}}, device_);
}

KernelCall CodeExecutable::bound_call(size_t index) {
    const LibraryCall& call = schedule_.library_calls[index];
    BoundCall& bound = calls_[index];
    return {*call.op, bound.inputs, bound.outputs, call.attributes, bound.scalars};
}

void CodeExecutable::bind_library_calls() {
    for (const LibraryCall& call : schedule_.library_calls) {
        BoundCall bound;
        for (const View& view : call.inputs) bound.inputs.push_back(placement_.array(view));
        for (const View& view : call.outputs) bound.outputs.push_back(placement_.array(view));
        bound.scalars.resize(call.scalars.size());
        calls_.push_back(std::move(bound));
        if (const KernelCall made = bound_call(calls_.size() - 1);
            has_element_plan(*call.op) && made.outputs[0].size() > 0 && !device_.has_library_for(made))
            calls_.back().elements.emplace(made);
    }
}

void CodeExecutable::bind_steps() {
    const int64_t most = int64_t(device_.multiprocessors()) * blocks_per_multiprocessor;
    uint32_t level = 0;
    for (const Launch& launch : schedule_.launches) {
        ++level;
        if (launch.library_call >= 0 || steps_.empty() || steps_.back().library_call >= 0)
            steps_.emplace_back().library_call = launch.library_call;
        for (int k : launch.kernels) {
            const CodeKernel& kernel = kernels_[size_t(k)];
            if (kernel.layout.groups == 0) continue;
            steps_.back().kernels.push_back(k);
            steps_.back().launches.push_back(
                {.kernel = kernel.handle,
                 .name = kernel.name.c_str(),
                 .blocks = uint32_t(std::min(kernel.layout.blocks(), most)),
                 .threads = uint32_t(kernel.layout.threads),
                 .arguments = arguments_[size_t(k)].data(),
                 .bytes = arguments_[size_t(k)].size() * sizeof(uint64_t),
                 .level = level});
        }
    }
}

void CodeExecutable::set_arguments(size_t k) {
    const KernelLaunch& launch = schedule_.kernels[k];
    std::vector<uint64_t>& words = arguments_[k];
    const size_t operands = launch.operands.size();
    for (size_t o = 0; o < operands; ++o)
        words[o] = uint64_t(placement_.address(launch.operands[o].buffer) + launch.operands[o].byte_offset);
    if (!launch.scalars.empty())
        words[std::max<size_t>(operands, 1)] =
            uint64_t(static_cast<double*>(device_scalars_.storage()->data) + scalar_begins_[k]);
}

void CodeExecutable::execute(std::span<const double> scalars) {
    const Ref<Storage> temporaries = placement_.place_temporaries();
    if (!scalar_values_.empty()) {
        for (size_t s = 0; s < scalar_indices_.size(); ++s)
            scalar_values_[s] = scalars[size_t(scalar_indices_[s])];
        device_.upload(device_scalars_.storage()->data, scalar_values_.data(),
                       scalar_values_.size() * sizeof(double));
    }
    for (Step& step : steps_) {
        if (step.library_call < 0) {
            for (int k : step.kernels) set_arguments(size_t(k));
            device_.replay(step.replay, step.launches);
            continue;
        }
        const LibraryCall& call = schedule_.library_calls[size_t(step.library_call)];
        BoundCall& bound = calls_[size_t(step.library_call)];
        for (size_t s = 0; s < bound.scalars.size(); ++s)
            bound.scalars[s] = scalars[size_t(call.scalars[s])];
        LocationScope location(call.location);
        const KernelCall made = bound_call(size_t(step.library_call));
        if (bound.elements)
            bound.elements->launch(device_, made);
        else
            device_.launch(made);
    }
    placement_.release_copies();
}

void CodeExecutable::run(std::span<const Array> inputs, std::span<const double> scalars,
                         std::span<const bool> donated, std::span<Array> outputs) {
    std::lock_guard lock(mutex_);
    placement_.place_inputs(inputs);
    placement_.place_outputs(inputs, donated, outputs);
    execute(scalars);
}

void CodeExecutable::run_into(std::span<const Array> inputs, std::span<const double> scalars,
                              std::span<const Array> outputs) {
    std::lock_guard lock(mutex_);
    placement_.place_inputs(inputs);
    placement_.place_given(outputs);
    execute(scalars);
    placement_.copy_shared(inputs, outputs);
}

}  // namespace catena::codegen::cuda
