#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "runtime/graph/op/hooks.h"

namespace catena {

class Device;

/// Measures how much memory every operation of this thread keeps and obtains from the system or the
/// driver, on the device of its arrays, as Chainer's CupyMemoryProfileHook:
///
///     ct::MemoryHook memory;
///     { ct::FunctionHookScope scope(memory);  loss = model(x); }
///     memory.print_report();
class MemoryHook : public FunctionHook {
public:
    struct Record {
        /// Bytes of live arrays after the operation minus before, including operations inside of
        /// it; negative where gradients free what forward kept.
        int64_t used_bytes = 0;
        int64_t acquired_bytes = 0;  ///< Bytes that the device's pool obtained meanwhile.
        int occurrence = 0;
    };
    struct Call {
        std::string name;
        int64_t used_bytes, acquired_bytes;
        int depth;  ///< The number of calls that this one is inside of.
        /// The device whose memory was measured: that of the first array, else the current one.
        const Device* device;
    };

    std::string name() const override { return "MemoryHook"; }
    void forward_preprocess(const OpDef& op, std::span<const Variable* const> inputs) override;
    void forward_postprocess(const OpDef& op, std::span<const Variable* const> inputs) override;
    void backward_preprocess(const OpDef& op, std::span<const Array> inputs,
                             std::span<const Variable> grad_outputs) override;
    void backward_postprocess(const OpDef& op, std::span<const Array> inputs,
                              std::span<const Variable> grad_outputs) override;

    /// All calls in the order in which they ended.
    const std::vector<Call>& call_history() const { return call_history_; }
    /// Total bytes used. Calls inside others count once, here and in total_acquired_bytes().
    int64_t total_used_bytes() const { return total_.used_bytes; }
    int64_t total_acquired_bytes() const { return total_.acquired_bytes; }
    std::map<std::string, Record> summary() const;
    /// Prints a table, most bytes first. Units: "auto" (one for each column), "auto_foreach", "B",
    /// "KB" (1024 bytes), ... "TB"; ValueError for another.
    void print_report(std::ostream& out, const std::string& unit = "auto") const;
    void print_report(const std::string& unit = "auto") const;  ///< Prints the table to std::cout.

private:
    struct Start {
        Device* device;
        int64_t used, acquired;
    };
    static Start present(Device& device);
    void start(Device& device) { running_.push_back(present(device)); }
    void stop(const std::string& name);
    std::vector<Start> running_;
    std::vector<Call> call_history_;
    Record total_;
};

}  // namespace catena
