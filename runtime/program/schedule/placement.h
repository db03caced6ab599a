#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/core/array/borrowed_storage.h"
#include "runtime/program/schedule/schedule.h"

namespace catena::program {

/// What a call's temporaries lie in.
struct Temporaries {
    Ref<Storage> block;
    /// Where memory is checked, a block of each buffer's size instead
    /// (runtime/core/memory/checked_memory.h).
    std::vector<Ref<Storage>> apart;
    /// The scratch memory of library calls, behind the buffers; empty where memory is checked.
    std::span<std::byte> scratch;
};

/// The memory of a schedule's buffers in one call: inputs in the caller's memory, outputs in new
/// memory or in that of a donated input, temporaries in one block. Common to all devices that run
/// schedules.
class Placement {
public:
    /// Inputs that are not row-major, or do not begin at a multiple of `input_alignment` bytes, are
    /// copied. The schedule must outlive this.
    Placement(const Schedule& schedule, Device& device, size_t input_alignment);

    /// DtypeError, ShapeError or DeviceError when an input does not match the program.
    void place_inputs(std::span<const Array> inputs);
    /// Makes the outputs. `donated`: by input, whether its memory may be overwritten.
    void place_outputs(std::span<const Array> inputs, std::span<const bool> donated,
                       std::span<Array> outputs);
    /// Uses the caller's row-major outputs instead; copy_shared() fills those that are views of
    /// inputs or outputs.
    void place_given(std::span<const Array> outputs);
    void copy_shared(std::span<const Array> inputs, std::span<const Array> outputs) const;

    /// Allocates the temporaries and sets the array()s to this call's memory.
    [[nodiscard]] Temporaries place_temporaries(size_t scratch_bytes = 0);
    void release_copies();

    char* address(int buffer) const { return addresses_[size_t(buffer)]; }
    /// An array in its buffer's memory, updated at every call.
    Array array(const View& view);

private:
    const Array& readable(size_t input, const Array& given);
    Temporaries together(size_t scratch_bytes);
    Temporaries apart();

    const Schedule& schedule_;
    Device& device_;
    size_t input_alignment_;
    std::vector<int> input_buffers_;
    std::vector<Array> copies_;  ///< Copies of inputs, by input.
    // By buffer: its address, the caller's storage that has it if it is an input, and the storage
    // of array()s (empty when there is none).
    std::vector<char*> addresses_;
    std::vector<Storage*> lenders_;
    std::vector<std::optional<BorrowedStorage>> storages_;
};

}  // namespace catena::program
