#pragma once

#include <optional>
#include <span>
#include <vector>

#include "runtime/core/borrowed_storage.h"
#include "runtime/program/schedule.h"

namespace catena::program {

/// Where the buffers of a schedule lie in one call: inputs where the caller has them, outputs in new memory or in that
/// of an input that is given up, temporaries in one block. The same for every device that runs schedules.
class Placement {
public:
    /// Inputs that are not row-major, or do not begin at a multiple of `input_alignment` bytes, are copied. The
    /// schedule outlives this.
    Placement(const Schedule& schedule, Device& device, size_t input_alignment);

    /// DtypeError, ShapeError or DeviceError when an input is not what was compiled for.
    void place_inputs(std::span<const Array> inputs);
    /// Makes the outputs. `donated`: by input, whether its memory may be overwritten.
    void place_outputs(std::span<const Array> inputs, std::span<const bool> donated, std::span<Array> outputs);
    /// Row-major outputs of the caller instead; copy_shared() fills those that are other looks at inputs or outputs.
    void place_given(std::span<const Array> outputs);
    void copy_shared(std::span<const Array> inputs, std::span<const Array> outputs) const;

    /// Allocates the temporaries, which live as long as the result, and lets array()s look at this call's memory.
    [[nodiscard]] Ref<Storage> place_temporaries();
    void release_copies();

    char* address(int buffer) const { return addresses_[size_t(buffer)]; }
    /// An array that lies where its buffer lies, whatever the call.
    Array array(const View& view);

private:
    const Array& readable(size_t input, const Array& given);

    const Schedule& schedule_;
    Device& device_;
    size_t input_alignment_;
    std::vector<int> input_buffers_;
    std::vector<Array> copies_;  ///< By input.
    // By buffer: its address, and the storage of array()s (empty when there is none).
    std::vector<char*> addresses_;
    std::vector<std::optional<BorrowedStorage>> storages_;
};

}  // namespace catena::program
