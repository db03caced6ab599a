#pragma once

#include <string_view>

#include "runtime/profile/profiler.h"

namespace catena::profile {

/// What a kernel that can compute its result by several methods says while it uses one of them: in
/// a profile, a slice named for the method, whether the kernel runs eagerly or in a compiled
/// program. There it lies in the slice of the launch, whose row names the method, too.
class MethodSpan {
public:
    /// `work`: what is computed, "convolution". `method`: "winograd 4x4"; `further` is appended.
    MethodSpan(const char* work, std::string_view method, std::string_view further = {}) {
        if (is_on()) begin(work, method, further);
    }
    ~MethodSpan() {
        if (label_) add(label_, begin_, Clock::now());
    }
    MethodSpan(const MethodSpan&) = delete;

private:
    void begin(const char* work, std::string_view method, std::string_view further);

    const Label* label_ = nullptr;
    Clock::time_point begin_;
};

/// Tells a method without a slice: for what only starts work that a device does later.
void tell_method(const char* work, std::string_view method);

/// The label of this thread's last method since it was asked; null if there was none.
const Label* take_method();

}  // namespace catena::profile
