#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "runtime/graph/hooks.h"

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
        int64_t used_bytes = 0;      ///< Live afterwards minus before, operations called inside
                                     ///< included; negative where gradients free what forward kept.
        int64_t acquired_bytes = 0;  ///< Obtained by the device's pool.
        int occurrence = 0;
    };
    struct Call {
        std::string name;
        int64_t used_bytes, acquired_bytes;
        int depth;  ///< In how many other calls.
        const Device*
            device;  ///< Whose memory was measured: that of the first array, else the current one.
    };

    std::string name() const override { return "MemoryHook"; }
    void forward_preprocess(const OpDef& op, std::span<const Variable* const> inputs) override;
    void forward_postprocess(const OpDef& op, std::span<const Variable* const> inputs) override;
    void backward_preprocess(const OpDef& op, std::span<const Array> inputs,
                             std::span<const Variable> grad_outputs) override;
    void backward_postprocess(const OpDef& op, std::span<const Array> inputs,
                              std::span<const Variable> grad_outputs) override;

    const std::vector<Call>& call_history() const {
        return call_history_;
    }  ///< In the order in which they ended.
    int64_t total_used_bytes() const {
        return total_.used_bytes;
    }  ///< Calls inside others count once, in this and the next.
    int64_t total_acquired_bytes() const { return total_.acquired_bytes; }
    std::map<std::string, Record> summary() const;
    /// A table, most bytes first. Units: "auto" (one for each column), "auto_foreach", "B", "KB"
    /// (1024 bytes), ... "TB"; ValueError for another.
    void print_report(std::ostream& out, const std::string& unit = "auto") const;
    void print_report(const std::string& unit = "auto") const;  ///< To std::cout.

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
