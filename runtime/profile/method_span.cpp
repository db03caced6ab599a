#include "runtime/profile/method_span.h"

#include <utility>

#include "runtime/core/system/per_thread.h"

namespace catena::profile {
namespace {

constinit PerThread<const Label*> last_method;

}  // namespace

void MethodSpan::begin(const char* work, std::string_view method, std::string_view further) {
    label_ = keep({.name = fmt::format("{}{}", method, further), .category = work, .place = ""});
    last_method.get() = label_;
    begin_ = Clock::now();
}

void tell_method(const char* work, std::string_view method) {
    if (is_on())
        last_method.get() = keep({.name = std::string(method), .category = work, .place = ""});
}

const Label* take_method() { return std::exchange(last_method.get(), nullptr); }

}  // namespace catena::profile
