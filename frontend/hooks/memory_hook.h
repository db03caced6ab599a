#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "runtime/graph/hooks.h"

namespace catena {

/// Measures how much host memory every operation of this thread keeps and obtains from the system, as Chainer's
/// CupyMemoryProfileHook does on devices:
///
///     ct::MemoryHook memory;
///     { ct::FunctionHookScope scope(memory);  loss = model(x); }
///     memory.print_report();
class MemoryHook : public FunctionHook {
public:
    struct Record {
        int64_t used_bytes = 0;      ///< Live afterwards minus before, operations called inside included; negative where
                                     ///< gradients free what forward kept.
        int64_t acquired_bytes = 0;  ///< Obtained from the system by the pool.
        int occurrence = 0;
    };
    struct Call {
        std::string name;
        int64_t used_bytes, acquired_bytes;
    };

    std::string name() const override { return "MemoryHook"; }
    void forward_preprocess(const OpDef&, std::span<const Variable* const>) override { start(); }
    void forward_postprocess(const OpDef& op, std::span<const Variable* const>) override { stop(op.name); }
    void backward_preprocess(const OpDef&, std::span<const Array>, std::span<const Variable>) override { start(); }
    void backward_postprocess(const OpDef& op, std::span<const Array>, std::span<const Variable>) override {
        stop("backward of " + op.name);
    }

    const std::vector<Call>& call_history() const { return call_history_; }  ///< In the order in which they ended.
    std::map<std::string, Record> summary() const;
    void print_report(std::ostream& out) const;  ///< A table, most bytes first.
    void print_report() const;                   ///< To std::cout.

private:
    struct Level {
        int64_t used, acquired;
    };
    static Level present();
    void start() { running_.push_back(present()); }
    void stop(const std::string& name);
    std::vector<Level> running_;
    std::vector<Call> call_history_;
};

}  // namespace catena
