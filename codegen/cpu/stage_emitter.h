#pragma once

#include "codegen/cpu/emission.h"

namespace catena::codegen::cpu {

/// Emits the stages of a row, or of a chunk of kept lanes. Each stage has loops over the reduced
/// dimensions, whose reductions the next stage reads; then the remaining outputs are stored.
class StageEmitter {
public:
    explicit StageEmitter(Emission& emission) : e(emission) {}
    void emit();

private:
    void emit_stage();
    void find_new_inputs();
    Values neutral_elements();
    void set_reductions(const Values& done);
    Values emit_reduced_loops(size_t at, const Values& carried);
    template <class F>
    Values loop_in_chains(mlir::Value low, mlir::Value high, int64_t step, const Values& carried,
                          F&& body);
    template <class F>
    Values loop_side_by_side(mlir::Value low, mlir::Value high, int64_t step, F&& body);
    Values emit_lane_loops(Values carried);
    Values emit_body(const Values& carried);
    void fetch_rows_ahead();
    bool has_loops(int stage) const;
    const KernelValue& value_of(size_t reduction) const {
        return e.kernel.values[size_t(reductions_[reduction])];
    }

    Emission& e;
    // Of the stage that is emitted.
    int stage_ = 0;
    std::vector<bool> needed_;
    std::vector<int> reductions_, full_outputs_;
    std::vector<bool> new_inputs_;  ///< Inputs that no earlier stage has read.
    std::vector<bool> read_;        ///< Inputs that some stage has read.
};

}  // namespace catena::codegen::cpu
