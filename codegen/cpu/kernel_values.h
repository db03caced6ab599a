#pragma once

#include <vector>

#include "codegen/cpu/kernel_memory.h"
#include "codegen/cpu/loop_nest.h"

namespace catena::codegen::cpu {

/// A value where it is being emitted: one scalar for all lanes, or one vector per copy.
struct EmittedValue {
    mlir::Value uniform;
    Values copies;
    explicit operator bool() const { return uniform || !copies.empty(); }
};

/// The values of the kernel being emitted. Each is emitted once in the loop of its level, as one
/// scalar for all lanes or as `copies()` vectors side by side; what a loop's body has emitted is
/// forgotten after it.
class KernelValues {
public:
    KernelValues(Lanes& lanes, const Kernel& kernel, const KernelOptions& options,
                 const LoopNest& nest, const RowScratch& scratch, KernelMemory& memory);

    int copies() const { return copies_; }
    void set_copies(int copies) { copies_ = copies; }
    /// Makes values that earlier stages have saved in the row scratch be loaded from now on.
    void begin_stage(int stage);
    const std::vector<bool>& known() const { return known_; }

    /// Emits the missing values of `level`, up to results of `stage` reductions.
    void emit(int level, int stage, const std::vector<bool>* needed = nullptr);
    void set_uniform(int v, mlir::Value scalar);
    void set_copies_of(int v, Values copies) { emitted_[size_t(v)].copies = std::move(copies); }
    /// Copy c of a value in vector form (scalar form when there is one lane).
    mlir::Value in_lanes(int v, int c) const;

    /// Emits the stores of outputs that do not vary along reduced dimensions.
    void store_outputs();
    void store_output(int output);

    /// The number of vectors to emit side by side: fewer where many values are needed.
    int unroll_of(const std::vector<bool>& needed) const;

    /// A scope; at its end, values emitted in it are forgotten and operands move back.
    class Scope {
    public:
        explicit Scope(KernelValues& values)
            : values_(values), emitted_(values.emitted_), offsets_(values.memory_.offsets()) {}
        ~Scope();
        Scope(const Scope&) = delete;

    private:
        KernelValues& values_;
        std::vector<EmittedValue> emitted_;
        std::vector<mlir::Value> offsets_;
    };

private:
    mlir::Value emit_value(int v, int c);
    mlir::Value instruction(const KernelValue& value, const Values& args);
    mlir::Value operation(const KernelValue& value, const Values& args);

    Lanes& lanes_;
    const Kernel& kernel_;
    const KernelOptions& options_;
    const LoopNest& nest_;
    const RowScratch& scratch_;
    KernelMemory& memory_;
    std::vector<EmittedValue> emitted_;
    int copies_ = 1, stage_ = 0;
    std::vector<bool> known_;
};

}  // namespace catena::codegen::cpu
