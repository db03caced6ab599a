#pragma once

#include <new>

#include <gtest/gtest.h>

#include "runtime/core/memory/out_of_memory.h"
#include "tests/no_memory/failing_allocations.h"

namespace catena::testing {

/// Makes something again and again, each time with the next allocation failing, until none fails
/// any more; says how often there was no memory.
template <class Make>
int failures_before(Make make) {
    for (int number = 0;; ++number) {
        begin_failing(number, 1, nullptr);
        try {
            make();
            if (end_failing() <= number) return number;
            ADD_FAILURE() << "allocation " << number << " failed, and nothing was said";
            return number;
        } catch (const std::bad_alloc&) {
            end_failing();
        } catch (const OutOfMemory&) {
            end_failing();
        } catch (...) {
            end_failing();
            throw;
        }
    }
}

}  // namespace catena::testing
