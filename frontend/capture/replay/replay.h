#pragma once

#include <memory>
#include <span>
#include <string>
#include <thread>

#include "frontend/capture/replay/call_description.h"
#include "frontend/static_graph/call/exported_program.h"
#include "frontend/static_graph/call/flatten.h"
#include "runtime/graph/call/code_changes.h"
#include "runtime/graph/call/code_must_run.h"

namespace catena::capture {

class Tree;

/// A followed call, to be made again without the user's code: by calls that skip it, and in files.
class Replay {
public:
    explicit Replay(CallDescription description) : call_(std::move(description)) {}

    /// The reason why calls cannot skip the code; empty if they can.
    const std::string& obstacle() const { return call_.obstacle; }
    /// Whether the call that ran was one whose code must run (code_must_run) and which may
    /// therefore have done something else than other calls.
    bool is_special() const { return is_special_; }
    /// Whether the call ran on this thread: states such as the random counter belong to a thread.
    bool is_of_this_thread() const { return thread_ == std::this_thread::get_id(); }
    /// Whether `now`, which is at its end, has the same description. Updates the
    /// captured arrays and numbers.
    bool holds(FollowedCall& now, const Program& program, const Flat& arguments,
               const Flat& results);
    /// Whether the conditions that are not part of the key are unchanged: types of states, which
    /// gradients exist, and the host facts that the code asks for.
    bool applies(const Flat& arguments, const Program& program) const;
    /// Computes a call and applies its assignments to variables; `results` are in the order of the
    /// region's list. False: the program has failed, and nothing has changed.
    bool run(const Flat& arguments, Program& program, const std::shared_ptr<Tree>& tree,
             SmallVector<Variable, 4>& results) const;
    /// The call as a program for a file; ValueError if it cannot be saved.
    ExportedProgram exported(const Program& program) const;

    /// The region's result without its Variables; the typed wrapper makes it.
    const std::shared_ptr<std::shared_ptr<void>> result_template =
        std::make_shared<std::shared_ptr<void>>();

private:
    using Source = CallDescription::Source;

    Array value_of(const Source& source, const Flat& arguments,
                   std::span<const Array> outputs) const;
    const Array& array_of(const Source& source, const Flat& arguments,
                          std::span<const Array> outputs) const;
    void apply_effects(const Flat& arguments, std::vector<Array>& outputs,
                       std::span<const Variable> results) const;
    void make_results(const Flat& arguments, std::span<const Array> outputs,
                      SmallVector<Variable, 4>& results) const;
    void attach(const Flat& arguments, Program& program, const std::shared_ptr<Tree>& tree,
                std::span<const Array> inputs, std::span<const Array> outputs,
                std::span<const double> scalars, SmallVector<Variable, 4>& results) const;

    CallDescription call_;
    bool is_special_ = code_must_run();
    /// The value of code_changes() when the code had run.
    uint64_t code_changes_ = code_changes();
    std::thread::id thread_ = std::this_thread::get_id();
};

}  // namespace catena::capture
