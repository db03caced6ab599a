#pragma once

#include <chrono>
#include <memory>

#include "codegen/draft.h"
#include "runtime/ops/declare/channels_last.h"
#include "runtime/program/schedule/executable.h"

namespace mlir {
class MLIRContext;
}
namespace catena::passes {
class Dump;
}

namespace catena::codegen {

/// One compilation in this process.
struct Compilation {
    mlir::MLIRContext& context;
    passes::Dump& dump;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    /// Seconds since the compilation began.
    double seconds() const;
};

/// A kind of machine that programs are compiled for, with the options of one compilation. The
/// passes and the schedule are common to all targets.
class Target {
public:
    virtual ~Target() = default;
    /// Whether library calls run by the host's own kernels, so that passes may make calls that only
    /// these know.
    virtual bool is_host() const = 0;
    /// The rule by which passes choose the memory order of images; empty: row-major.
    virtual ChannelsLastRule channels_last() const = 0;
    virtual SplitRule split_rule() const = 0;
    /// Compiles the kernels of `draft`. CompileError with the words of the code generator.
    virtual std::shared_ptr<Executable> compile(Draft draft, const Compilation& compilation) = 0;
};

}  // namespace catena::codegen
