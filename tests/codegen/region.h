#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "codegen/compiler.h"
#include "runtime/graph/trace/tracer.h"

namespace catena::test {

using Function = std::function<std::vector<Variable>(const std::vector<Variable>&)>;

/// A function of arrays, recorded while it ran eagerly, and compiled. The inputs' dtypes and shapes
/// are the program's.
class Region {
public:
    Region(const Function& function, const std::vector<Array>& arguments,
           const CompileOptions& options = {});

    /// What the recording run returned, and what the compiled program returns for its inputs.
    const std::vector<Array>& eager() const { return eager_; }
    std::vector<Array> run() const { return run(arguments_); }
    std::vector<Array> run(const std::vector<Array>& arguments, bool donate_states = false) const;
    /// As run(), with states donated, and their new contents put into the variables.
    std::vector<Array> step(const std::vector<Array>& arguments);

    const Trace& trace() const { return trace_; }
    const ExecutableInfo& info() const { return executable_->info(); }
    Executable& executable() const { return *executable_; }

private:
    std::vector<Array> inputs(const std::vector<Array>& arguments) const;
    Trace trace_;
    std::vector<Array> arguments_, eager_;
    std::vector<double> scalars_;
    std::shared_ptr<Executable> executable_;
};

/// A variable whose content a program may replace.
Variable state(const Array& content);

Array random_array(const Type& type, uint32_t seed, double low = -2, double high = 2);

/// Compiled results are as near to float64's as eager ones are, up to `slack` units in the last
/// place. Integers and bools are equal.
void expect_as_near_as_eager(const Function& function, const std::vector<Array>& arguments,
                             double slack = 4);

}  // namespace catena::test
