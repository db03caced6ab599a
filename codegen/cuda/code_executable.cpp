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

char* address_of(const Array& array) {
    return static_cast<char*>(array.storage()->data) +
           array.body()->offset * int64_t(size_of(array.dtype()));
}

}  // namespace

CodeExecutable::CodeExecutable(Schedule schedule, CodeDevice& device, bool fast_math)
    : schedule_(std::move(schedule)), device_(device) {
    const size_t buffers = schedule_.buffers.size();
    addresses_.assign(buffers, nullptr);
    storages_.assign(buffers, nullptr);
    input_buffers_.assign(schedule_.input_types.size(), -1);
    for (size_t b = 0; b < buffers; ++b)
        if (schedule_.buffers[b].place == Buffer::Place::input)
            input_buffers_[size_t(schedule_.buffers[b].index)] = int(b);
    copies_.resize(input_buffers_.size());
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

CodeExecutable::~CodeExecutable() {
    calls_.clear();
    for (Storage* storage : storages_) delete storage;
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

Array CodeExecutable::bound_array(const View& view) {
    Storage*& storage = storages_[size_t(view.buffer)];
    if (!storage) {
        storage = new Storage;
        // Ours until the destructor: the count never falls to zero, so no pool sees it.
        storage->retain();
        storage->device = &device_;
        storage->bytes = schedule_.buffers[size_t(view.buffer)].bytes;
    }
    Ref<ArrayBody> body = make_ref<ArrayBody>();
    body->storage = Ref<Storage>(storage);
    body->offset = view.offset;
    body->type = view.type;
    body->strides = view.strides;
    body->contiguous = view.contiguous();
    return Array(std::move(body));
}

KernelCall CodeExecutable::bound_call(size_t index) {
    const LibraryCall& call = schedule_.library_calls[index];
    BoundCall& bound = calls_[index];
    return {*call.op, bound.inputs, bound.outputs, call.attributes, bound.scalars};
}

void CodeExecutable::bind_library_calls() {
    for (const LibraryCall& call : schedule_.library_calls) {
        BoundCall bound;
        for (const View& view : call.inputs) bound.inputs.push_back(bound_array(view));
        for (const View& view : call.outputs) bound.outputs.push_back(bound_array(view));
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

void CodeExecutable::place_inputs(std::span<const Array> inputs) {
    if (inputs.size() != input_buffers_.size())
        throw InternalError(fmt::format("compiled program: {} inputs given, {} expected",
                                        inputs.size(), input_buffers_.size()));
    for (size_t i = 0; i < inputs.size(); ++i) {
        const Array* array = &inputs[i];
        const Type& expected = schedule_.input_types[i];
        if (array->dtype() != expected.dtype)
            fail<DtypeError>("compiled program: input {} is {}, it was compiled for {}", i,
                             to_string(array->type()), to_string(expected));
        if (!(array->shape() == expected.shape))
            fail<ShapeError>("compiled program: input {} is {}, it was compiled for {}", i,
                             to_string(array->type()), to_string(expected));
        if (&array->device() != &device_)
            fail<DeviceError>(
                "compiled program: input {} is on {}, it was compiled for {}; move it there first",
                i, array->device().name(), device_.name());
        if (!array->contiguous()) array = &(copies_[i] = array->as_contiguous());
        if (uintptr_t(address_of(*array)) % alignment != 0) {
            Array aligned = Array::empty(array->type(), device_);
            copy_elements(*array, aligned);
            array = &(copies_[i] = std::move(aligned));
        }
        addresses_[size_t(input_buffers_[i])] = address_of(*array);
    }
}

void CodeExecutable::place_outputs(std::span<const Array> inputs, std::span<const bool> donated,
                                   std::span<Array> outputs) {
    for (size_t r = 0; r < schedule_.results.size(); ++r) {
        const Result& result = schedule_.results[r];
        if (result.input >= 0) {
            outputs[r] = inputs[size_t(result.input)];
            continue;
        }
        const Buffer& buffer = schedule_.buffers[size_t(result.view.buffer)];
        if (buffer.index != int(r)) {  // Another look at an earlier result.
            const Array& owner = outputs[size_t(buffer.index)];
            outputs[r] =
                owner.type() == result.view.type
                    ? owner
                    : owner.view(result.view.type.shape, result.view.strides, owner.body()->offset);
            continue;
        }
        const size_t donor = size_t(buffer.donor);
        const bool takes_over = buffer.donor >= 0 && donor < donated.size() && donated[donor] &&
                                !copies_[donor].defined() &&
                                inputs[donor].type() == result.view.type;
        outputs[r] = takes_over ? inputs[donor] : Array::empty(result.view.type, device_);
        addresses_[size_t(result.view.buffer)] = address_of(outputs[r]);
    }
}

void CodeExecutable::set_arguments(size_t k) {
    const KernelLaunch& launch = schedule_.kernels[k];
    std::vector<uint64_t>& words = arguments_[k];
    const size_t operands = launch.operands.size();
    for (size_t o = 0; o < operands; ++o)
        words[o] = uint64_t(addresses_[size_t(launch.operands[o].buffer)] +
                            launch.operands[o].byte_offset);
    if (!launch.scalars.empty())
        words[std::max<size_t>(operands, 1)] =
            uint64_t(static_cast<double*>(device_scalars_.storage()->data) + scalar_begins_[k]);
}

void CodeExecutable::execute(std::span<const double> scalars) {
    Ref<Storage> arena;
    if (schedule_.arena_bytes) arena = device_.allocate(schedule_.arena_bytes);
    char* base = arena ? static_cast<char*>(arena->data) : nullptr;
    for (size_t b = 0; b < addresses_.size(); ++b) {
        const Buffer& buffer = schedule_.buffers[b];
        if (buffer.place == Buffer::Place::arena) addresses_[b] = base + buffer.offset;
        if (storages_[b]) storages_[b]->data = addresses_[b];
    }
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
    for (Array& copy : copies_)
        if (copy.defined()) copy = Array();
}

void CodeExecutable::run(std::span<const Array> inputs, std::span<const double> scalars,
                         std::span<const bool> donated, std::span<Array> outputs) {
    std::lock_guard lock(mutex_);
    place_inputs(inputs);
    place_outputs(inputs, donated, outputs);
    execute(scalars);
}

void CodeExecutable::run_into(std::span<const Array> inputs, std::span<const double> scalars,
                              std::span<const Array> outputs) {
    std::lock_guard lock(mutex_);
    place_inputs(inputs);
    for (size_t r = 0; r < schedule_.results.size(); ++r) {
        const Result& result = schedule_.results[r];
        if (result.input < 0 && schedule_.buffers[size_t(result.view.buffer)].index == int(r))
            addresses_[size_t(result.view.buffer)] = address_of(outputs[r]);
    }
    execute(scalars);
    for (size_t r = 0; r < schedule_.results.size(); ++r) {
        const Result& result = schedule_.results[r];
        if (result.input >= 0) {
            copy_elements(inputs[size_t(result.input)], outputs[r]);
        } else if (int owner = schedule_.buffers[size_t(result.view.buffer)].index;
                   owner != int(r)) {
            copy_elements(outputs[size_t(owner)].view(result.view.type.shape, result.view.strides,
                                                      outputs[size_t(owner)].body()->offset),
                          outputs[r]);
        }
    }
}

}  // namespace catena::codegen::cuda
