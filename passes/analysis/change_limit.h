#pragma once

#include <cstdint>
#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

namespace catena::passes {

/// Limits the number of changes made by passes in this process (CATENA_PASS_LIMIT). A change is a
/// step that a pass could skip: an operation merged with an equal one, a pattern applied, calls
/// joined, two clusters fused. The last allowed change is printed on stderr, so that the first bad
/// one can be found by bisection (scripts/bisect_pass.sh).
class ChangeLimit {
public:
    static ChangeLimit& instance();

    /// Whether `pass` may make one more change; `text` describes the change.
    bool allows(llvm::StringRef pass, llvm::function_ref<std::string()> text);
    /// Number of changes still allowed; -1: any number.
    int64_t left() const { return limit_ < 0 ? -1 : limit_ - made_; }

    /// Sets the limit, for tests; -1: no limit.
    void set(int64_t limit);

private:
    ChangeLimit();
    int64_t limit_ = -1, made_ = 0;
};

}  // namespace catena::passes
