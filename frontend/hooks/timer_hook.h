#pragma once

#include <map>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/hooks.h"

namespace catena {

/// Measures every operation of this thread while its scope exists:
///
///     ct::TimerHook timer;
///     { ct::FunctionHookScope scope(timer);  train(); }
///     timer.print_report();
class TimerHook : public FunctionHook {
public:
    struct Record {
        double elapsed_time = 0;  ///< Seconds, operations called inside included.
        int occurrence = 0;
    };

    std::string name() const override { return "TimerHook"; }
    void forward_preprocess(const OpDef& op, std::span<const Variable* const> inputs) override;
    void forward_postprocess(const OpDef& op, std::span<const Variable* const> inputs) override;
    void backward_preprocess(const OpDef& op, std::span<const Variable> grad_outputs) override;
    void backward_postprocess(const OpDef& op, std::span<const Variable> grad_outputs) override;

    /// Name and seconds of every call, in the order in which they ended.
    const std::vector<std::pair<std::string, double>>& call_history() const { return call_history_; }
    double total_time() const { return total_; }  ///< Seconds; calls inside others count once.
    std::map<std::string, Record> summary() const;
    /// A table, longest first. Units: "auto" (one for the table), "auto_foreach", "s", "ms", "us", "ns"; ValueError
    /// for another.
    void print_report(std::ostream& out, const std::string& unit = "auto") const;
    void print_report(const std::string& unit = "auto") const;  ///< To std::cout.

private:
    void start();
    void stop(const std::string& name);
    std::vector<double> running_;  ///< When they began, in seconds.
    std::vector<std::pair<std::string, double>> call_history_;
    double total_ = 0;
};

}  // namespace catena
