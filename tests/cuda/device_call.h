#pragma once

#include <memory>
#include <vector>

#include "runtime/core/array/code_device.h"
#include "runtime/graph/trace/trace.h"
#include "tests/ops/op_table.h"

namespace catena::program {
class DeviceExecutable;
}

namespace catena::testing {

using ArrayFunction = std::function<Variables(const std::vector<Variable>&)>;

/// One run on the host, recorded.
struct RecordedCall {
    Trace trace;
    std::vector<int> arguments;  ///< The value of each input, -1 for one that is not there.
    Variables results;
};
RecordedCall record_call(const ArrayFunction& run, const std::vector<Variable>& inputs);

/// Programs made from runs on the host, for a device. In the first round of calls each is compiled
/// and the host's results are given; in the second round, of the same calls, the programs run on
/// the device and theirs are: so all kernels are there before the first one is needed. A program
/// that only maps must give the host's bits, on a real device but for what its own functions round
/// otherwise. Only programs with operations of the host (host_only_reason) may ask it.
class DeviceCalls {
public:
    explicit DeviceCalls(CodeDevice& device) : device_(device) {}
    Variables operator()(const ArrayFunction& run, const std::vector<Variable>& inputs);
    void begin_second_round() { second_ = true; }
    /// Results in float32 of programs that only map that were not the host's bits, by one unit of
    /// the last place.
    int float32_differences() const { return float32_differences_; }

private:
    CodeDevice& device_;
    bool second_ = false;
    int float32_differences_ = 0;
    std::vector<std::shared_ptr<program::DeviceExecutable>>
        programs_;  ///< Null: it could not be made.
    size_t next_ = 0;
};

/// The compiled forms of all rows and of their gradients; see DeviceCalls. Of `parts` parts, rows
/// of one.
void check_rows(DeviceCalls& calls, size_t part = 0, size_t parts = 1);

/// Both rounds of one call.
Variables call_on_device(CodeDevice& device, const ArrayFunction& run,
                         const std::vector<Variable>& inputs);

}  // namespace catena::testing
