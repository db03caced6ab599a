#pragma once

#include "codegen/cpu/emission.h"

namespace catena::codegen::cpu {

/// The stages of a row, or of a chunk of kept lanes: each has loops over the reduced dimensions, whose reductions the next one
/// reads; then the outputs that remain are stored.
class StageEmitter {
public:
    explicit StageEmitter(Emission& emission) : e(emission) {}
    void emit();

private:
    void emit_stage();
    Values neutral_elements();
    void set_reductions(const Values& done);
    Values emit_reduced_loops(size_t at, const Values& carried);
    template <class F>
    Values loop_in_chains(mlir::Value low, mlir::Value high, int64_t step, const Values& carried, F&& body);
    Values emit_lane_loops(Values carried);
    Values emit_body(const Values& carried);
    const KernelValue& value_of(size_t reduction) const { return e.kernel.values[size_t(reductions_[reduction])]; }

    Emission& e;
    // Of the stage that is emitted.
    std::vector<bool> needed_;
    std::vector<int> reductions_, full_outputs_;
};

}  // namespace catena::codegen::cpu
