#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "mlir/Pass/PassInstrumentation.h"

namespace catena::passes {

/// Output of compilations requested by the environment:
///   CATENA_PRINT_IR=after-all|STAGE   the program after every stage, or after one, on stderr;
///   ValueError with the names
///                                     there are for another;
///   CATENA_DUMP_DIR=DIR               files DIR/REGION/NN-stage.EXTENSION, numbered in order;
///   CATENA_TIME=1                     milliseconds of every stage on stderr.
struct DumpSettings {
    std::string print;
    std::string directory;
    bool time = false;
    static DumpSettings from_environment();
    bool any() const { return !print.empty() || !directory.empty() || time; }
};

/// Prints one compilation stage by stage. A region compiled again in the same process gets a folder
/// of its own, REGION-2 and so on.
class Dump {
public:
    explicit Dump(const std::string& region,
                  DumpSettings settings = DumpSettings::from_environment());

    /// Restarts the numbers of stages, because the program is made anew: later stages replace those
    /// shown so far.
    void restart() { number_ = 0; }
    /// Shows the program `op` after `stage`. Each line of an operation ends with the user's file
    /// and line as a comment, so the text reads like the user's program and is still MLIR.
    void program(llvm::StringRef stage, mlir::Operation* op);
    /// Shows a text of another kind: "ll", "s", "txt". It is written to files only, unless the
    /// stage was requested by name.
    void text(llvm::StringRef stage, llvm::StringRef extension, llvm::StringRef text);
    /// Notes that the stage took from `begin` to `end`.
    using Clock = std::chrono::steady_clock;
    void time(llvm::StringRef stage, Clock::time_point begin, Clock::time_point end);
    bool wants(llvm::StringRef stage) const;  ///< Whether the text of that stage is needed.

private:
    void show(llvm::StringRef stage, llvm::StringRef extension, llvm::StringRef text, bool print);

    std::string region_;
    std::string folder_;
    DumpSettings settings_;
    int number_ = 0;
};

/// Shows every pass of a pass manager through `dump`, which must outlive it. The stage of a pass is
/// its argument without "catena-".
std::unique_ptr<mlir::PassInstrumentation> dump_instrumentation(Dump& dump);

/// The text that Dump::program() shows.
std::string print_with_places(mlir::Operation* op);

}  // namespace catena::passes
