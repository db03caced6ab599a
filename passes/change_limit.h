#pragma once

#include <cstdint>
#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace catena::passes {

/// How many changes passes may make in this process: all of them, or CATENA_PASS_LIMIT. A change is what a pass could have
/// left alone: an operation folded away with an equal one, a pattern applied, calls joined, two clusters fused.
/// The last one that is allowed is told on stderr, so that the first bad one is found by halving
/// (scripts/bisect_pass.sh).
class ChangeLimit {
public:
    static ChangeLimit& instance();

    /// True when `pass` may make one more change; `text` says which.
    bool allows(llvm::StringRef pass, llvm::function_ref<std::string()> text);
    /// Changes still allowed; -1: any number.
    int64_t left() const { return limit_ < 0 ? -1 : limit_ - made_; }

    /// For tests; -1: no limit.
    void set(int64_t limit);

private:
    ChangeLimit();
    int64_t limit_ = -1, made_ = 0;
};

}  // namespace catena::passes
