#include "passes/analysis/change_limit.h"

#include <mutex>

#include "llvm/Support/raw_ostream.h"

#include "runtime/core/system/environment.h"
#include "runtime/core/system/fork.h"

namespace catena::passes {

namespace {

std::mutex& mutex = taken_by_forks(*new std::mutex);  // Regions may be compiled on several threads.

}  // namespace

ChangeLimit::ChangeLimit()
    : limit_(environment::whole_number("CATENA_PASS_LIMIT", 0).value_or(-1)) {}

ChangeLimit& ChangeLimit::instance() {
    static ChangeLimit limit;
    return limit;
}

bool ChangeLimit::allows(llvm::StringRef pass, llvm::function_ref<std::string()> text) {
    if (limit_ < 0) return true;
    std::lock_guard lock(mutex);
    if (made_ >= limit_) return false;
    if (++made_ == limit_)
        llvm::errs() << "catena: change " << made_ << ", the last: " << pass << ": " << text()
                     << "\n";
    return true;
}

void ChangeLimit::set(int64_t limit) {
    std::lock_guard lock(mutex);
    limit_ = limit;
    made_ = 0;
}

}  // namespace catena::passes
