#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "frontend/capture/run/activation.h"
#include "frontend/capture/run/compiled.h"
#include "frontend/capture/run/plan.h"

namespace catena::capture {

class Replay;
struct FollowedCall;

/// The program that computes one segment for one ending. Shared by all calls that take this path;
/// contains no data of a single call.
class Program : public std::enable_shared_from_this<Program> {
public:
    /// Makes a program that is not compiled yet; `call` has just reached `ending`.
    Program(const FollowedCall& call, const Ending& ending)
        : Program(call, ending, std::make_shared<Trace>()) {}

    const Plan& plan() const { return plan_; }
    Compiled& compiled() { return compiled_; }
    const Compiled& compiled() const { return compiled_; }
    size_t bytes() const { return sizeof(*this) + compiled_.bytes(); }

    /// Runs compiled code and delivers the referenced values to `call`. Before that `check` is
    /// called with all outputs. `activation` gets what a backward outside needs; null: there can be
    /// none.
    using Check = std::function<void(std::span<const Array> outputs)>;
    void run(FollowedCall& call, Activation* activation, const Check& check = {});
    /// Computes the program's values with the eager kernels.
    void interpret(FollowedCall& call, Activation* activation);
    /// Runs a call whose code is skipped, see Replay. Returns the outputs in order; if the program
    /// is compiled together with its backward, those of Compiled::run().
    std::vector<Array> run(std::span<const Array> inputs, std::span<const double> scalars,
                           std::span<const bool> donated);

    //---- what backward needs (kept_for_backward.cpp)
    /// Stores in `activation` what backward will need from a call.
    void keep_for_backward(Activation& activation, std::span<const Array> inputs,
                           std::span<const Array> outputs, std::span<const double> scalars);
    /// Recomputes the kept values that a backward has released.
    void compute_kept(Activation& activation);
    /// The values of BackwardProgram::kept, recomputed by the eager kernels.
    std::vector<Array> kept_by_interpretation(const Activation& activation) const;

    std::atomic<int64_t> hits{0};
    std::atomic<int64_t> last_used{0};  ///< The number of the region's call that used it last.
    /// What calls that skip the code go by, which the region makes and knows; guarded by its mutex.
    std::shared_ptr<Replay> replay;

private:
    Program(const FollowedCall& call, const Ending& ending, std::shared_ptr<Trace> forward)
        : plan_(call, ending, *forward), compiled_(plan_, std::move(forward)) {}

    void keep_for_backward(const FollowedCall& call, Activation& activation,
                           std::span<const Array> inputs, std::span<const Array> outputs);
    void keep_values(Activation& activation, std::span<const Array> outputs) const;

    const Plan plan_;
    Compiled compiled_;
};

}  // namespace catena::capture
