#include "runtime/program/schedule/placement.h"

#include <algorithm>

#include "runtime/core/array/address.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/checked_memory.h"
#include "runtime/core/memory/memory_pool.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/call/call_changes.h"

namespace catena::program {

namespace {

/// Alignment that vector code and device kernels need for outputs.
constexpr size_t output_alignment = 64;

bool is_aligned(const Array& array, size_t alignment) {
    return uintptr_t(address_of(array)) % alignment == 0;
}

Array other_look(const Array& owner, const View& view) {
    return owner.view(view.type.shape, view.strides, owner.body()->offset);
}

}  // namespace

Placement::Placement(const Schedule& schedule, Device& device, size_t input_alignment)
    : schedule_(schedule),
      device_(device),
      input_alignment_(input_alignment),
      input_buffers_(schedule.input_types.size(), -1),
      copies_(schedule.input_types.size()),
      addresses_(schedule.buffers.size(), nullptr),
      lenders_(schedule.buffers.size(), nullptr),
      storages_(schedule.buffers.size()) {
    for (size_t b = 0; b < schedule.buffers.size(); ++b)
        if (schedule.buffers[b].place == Buffer::Place::input)
            input_buffers_[size_t(schedule.buffers[b].index)] = int(b);
}

const Array& Placement::readable(size_t i, const Array& given) {
    const Type& expected = schedule_.input_types[i];
    if (given.dtype() != expected.dtype)
        fail<DtypeError>("compiled program: input {} is {}, it was compiled for {}", i,
                         to_string(given.type()), to_string(expected));
    if (!(given.shape() == expected.shape))
        fail<ShapeError>("compiled program: input {} is {}, it was compiled for {}", i,
                         to_string(given.type()), to_string(expected));
    if (&given.device() != &device_)
        fail<DeviceError>(
            "compiled program: input {} is on {}, it was compiled for {}; move it there first", i,
            given.device().name(), device_.name());
    const Array* array = &given;
    if (!array->contiguous()) array = &(copies_[i] = array->as_contiguous());
    if (!is_aligned(*array, input_alignment_)) {
        Array aligned = Array::empty(array->type(), device_);
        copy_elements(*array, aligned);
        array = &(copies_[i] = std::move(aligned));
    }
    return *array;
}

void Placement::place_inputs(std::span<const Array> inputs) {
    if (inputs.size() != input_buffers_.size())
        throw InternalError(fmt::format("compiled program: {} inputs given, {} expected",
                                        inputs.size(), input_buffers_.size()));
    for (size_t i = 0; i < inputs.size(); ++i) {
        const Array& array = readable(i, inputs[i]);
        addresses_[size_t(input_buffers_[i])] = address_of(array);
        lenders_[size_t(input_buffers_[i])] = array.storage().get();
    }
}

void Placement::place_outputs(std::span<const Array> inputs, std::span<const bool> donated,
                              std::span<Array> outputs) {
    const bool keeps_inputs = is_noting();  // The old content of a state may be asked for again.
    for (size_t r = 0; r < schedule_.results.size(); ++r) {
        const Result& result = schedule_.results[r];
        if (result.input >= 0) {
            outputs[r] = inputs[size_t(result.input)];
            continue;
        }
        const Buffer& buffer = schedule_.buffers[size_t(result.view.buffer)];
        if (buffer.index != int(r)) {  // A view of an earlier result.
            const Array& owner = outputs[size_t(buffer.index)];
            outputs[r] = owner.type() == result.view.type ? owner : other_look(owner, result.view);
            continue;
        }
        const size_t donor = size_t(buffer.donor);
        const bool takes_over = !keeps_inputs && buffer.donor >= 0 && donor < donated.size() &&
                                donated[donor] && !copies_[donor].defined() &&
                                inputs[donor].type() == result.view.type &&
                                is_aligned(inputs[donor], output_alignment);
        outputs[r] = takes_over ? inputs[donor] : Array::empty(result.view.type, device_);
        if (takes_over) {  // What reads the old content in this call keeps nothing of it.
            inputs[donor].storage()->will_change();
            lenders_[size_t(input_buffers_[donor])] = nullptr;
        }
        addresses_[size_t(result.view.buffer)] = address_of(outputs[r]);
    }
}

void Placement::place_given(std::span<const Array> outputs) {
    for (size_t r = 0; r < schedule_.results.size(); ++r) {
        const Result& result = schedule_.results[r];
        if (result.input < 0 && schedule_.buffers[size_t(result.view.buffer)].index == int(r))
            addresses_[size_t(result.view.buffer)] = address_of(outputs[r]);
    }
    for (const Array& output : outputs) output.storage()->will_change();
}

void Placement::copy_shared(std::span<const Array> inputs, std::span<const Array> outputs) const {
    for (size_t r = 0; r < schedule_.results.size(); ++r) {
        const Result& result = schedule_.results[r];
        if (result.input >= 0) {
            copy_elements(inputs[size_t(result.input)], outputs[r]);
        } else if (int owner = schedule_.buffers[size_t(result.view.buffer)].index;
                   owner != int(r)) {
            copy_elements(other_look(outputs[size_t(owner)], result.view), outputs[r]);
        }
    }
}

Temporaries Placement::together(size_t scratch_bytes) {
    Temporaries temporaries;
    const size_t scratch_offset =
        (schedule_.arena_bytes + output_alignment - 1) / output_alignment * output_alignment;
    const size_t bytes = scratch_bytes ? scratch_offset + scratch_bytes : schedule_.arena_bytes;
    if (bytes == 0) return temporaries;
    const ShortLivedMemory soon_free;
    temporaries.block = device_.allocate(bytes);
    auto* const base = static_cast<std::byte*>(temporaries.block->data);
    if (scratch_bytes) temporaries.scratch = {base + scratch_offset, scratch_bytes};
    for (size_t b = 0; b < addresses_.size(); ++b)
        if (const Buffer& buffer = schedule_.buffers[b]; buffer.place == Buffer::Place::arena)
            addresses_[b] = reinterpret_cast<char*>(base + buffer.offset);
    return temporaries;
}

Temporaries Placement::apart() {
    Temporaries temporaries;
    const std::vector<Buffer>& buffers = schedule_.buffers;
    const auto is_temporary = [&](int b) {
        return b >= 0 && buffers[size_t(b)].place == Buffer::Place::arena;
    };
    for (size_t b = 0; b < buffers.size(); ++b)
        if (is_temporary(int(b)) && !is_temporary(buffers[b].over))
            addresses_[b] = static_cast<char*>(
                temporaries.apart
                    .emplace_back(device_.allocate(std::max<size_t>(buffers[b].bytes, 1)))
                    ->data);
    for (size_t b = 0; b < buffers.size(); ++b) {
        int below = int(b);
        while (is_temporary(buffers[size_t(below)].over)) below = buffers[size_t(below)].over;
        if (is_temporary(int(b))) addresses_[b] = addresses_[size_t(below)];
    }
    return temporaries;
}

Temporaries Placement::place_temporaries(size_t scratch_bytes) {
    Temporaries temporaries =
        checked_memory::is_on() && &device_ == &cpu_device() ? apart() : together(scratch_bytes);
    for (size_t b = 0; b < addresses_.size(); ++b) {
        const Buffer& buffer = schedule_.buffers[b];
        if (buffer.place == Buffer::Place::part)
            addresses_[b] = addresses_[size_t(buffer.index)] + buffer.offset;
        if (storages_[b]) storages_[b]->move_to(addresses_[b], lenders_[b]);
    }
    return temporaries;
}

void Placement::release_copies() {
    for (Array& copy : copies_)
        if (copy.defined()) copy = Array();
}

Array Placement::array(const View& view) {
    std::optional<BorrowedStorage>& storage = storages_[size_t(view.buffer)];
    if (!storage) storage.emplace(nullptr, schedule_.buffers[size_t(view.buffer)].bytes, device_);
    return storage->array(view.type, view.strides, view.offset);
}

}  // namespace catena::program
