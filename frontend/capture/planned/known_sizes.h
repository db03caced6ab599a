#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "codegen/compiler.h"
#include "frontend/capture/planned/expected_results.h"
#include "frontend/capture/planned/size_line.h"

namespace catena::capture {

class KnownLoops;

/// Compiles the programs of a region, or plans them from programs of other sizes. A size between
/// two known ones on a line of sizes needs no pass and no code generation, nor does another number
/// of loop iterations (known_loops.h). With CATENA_CHECK_SCHEDULES=1 such a program is compiled as
/// well, and an InternalError names what differs.
class KnownSizes {
public:
    /// Every program is compiled with this CompileOptions::memory_budget.
    explicit KnownSizes(int64_t memory_budget = 0);
    ~KnownSizes();

    struct Made {
        std::shared_ptr<Executable> executable;
        bool is_resized = false;  ///< True if the program was planned from programs of other sizes.
        /// True if the program was read from the disk and not compiled.
        bool is_from_disk = false;
    };
    /// Plans the program, reads it from the disk or compiles it. Nothing where it would have to be
    /// compiled and there is no compiler.
    Made compile(const std::shared_ptr<const Trace>& trace, CompileOptions options);
    /// Plans the program without compiling it. Null where the sizes of `trace` would have to be
    /// compiled. Larger sizes may be compiled, so that these lie between known ones.
    std::shared_ptr<Executable> resize(const Trace& trace, CompileOptions options);

    ExpectedResults expected_results;

private:
    /// A program that is on no line yet. Neither trace nor executable is kept alive by this.
    struct Single {
        std::weak_ptr<const Trace> trace;
        std::weak_ptr<Executable> executable;
        bool fast_math = false;
    };
    struct Line {
        std::unique_ptr<SizeLine> sizes;
        bool fast_math = false;
    };

    std::shared_ptr<Executable> resize_loops(const Trace& trace, const CompileOptions& options);
    std::shared_ptr<Executable> between(SizeLine& line, const Trace& trace, int64_t position,
                                        const CompileOptions& options);
    void reach_beyond(SizeLine& line, int64_t position, const CompileOptions& options);
    void remember(const std::shared_ptr<const Trace>& trace,
                  const std::shared_ptr<Executable>& executable, bool fast_math);
    void begin_line(const Trace& trace, const std::shared_ptr<const program::Schedule>& schedule,
                    bool fast_math);

    const int64_t memory_budget_;
    std::mutex mutex_;
    std::deque<Single> singles_;  ///< The latest programs on no line.
    std::deque<Line> lines_;      ///< The lines of sizes, the most recently used first.
    const std::unique_ptr<KnownLoops> loops_;
};

}  // namespace catena::capture
