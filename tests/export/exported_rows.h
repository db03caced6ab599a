#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/op/op.h"

namespace catena::testing {

using RowFunction = std::function<Variables(const std::vector<Variable>&)>;

/// Whether calls of `op` stay calls in a compiled program.
bool is_called(const OpDef& op);
/// An op and the type of what it gives.
using Called = std::set<std::pair<const OpDef*, Dtype>>;

/// One program that is exported.
struct Exported {
    std::string row;
    bool near = false;  ///< Sums in another order, or the C library's functions in place of vector
                        ///< code: not the same bits.
    std::vector<Array> inputs, outputs;
};

/// Calls of functions as programs in C, in a folder: all are built into one executable.
class ExportedRows {
public:
    explicit ExportedRows(std::string folder);

    std::string row;  ///< Of the next calls.
    Called seen;
    std::set<const OpDef*> exported;  ///< Called by the programs, which passes have changed.
    bool library = false;             ///< Some program uses libcatena_c.

    /// Exports the call if its row, or an op in it, is new, and gives the eager results.
    Variables add(const RowFunction& run, const std::vector<Variable>& inputs);
    const std::vector<Exported>& all() const { return all_; }
    /// Builds all programs with cc and runs them; their outputs.
    std::vector<std::vector<Array>> run_c() const;

private:
    void write_main() const;

    std::string folder_;
    std::set<std::string> rows_;
    std::vector<Exported> all_;
};

}  // namespace catena::testing
