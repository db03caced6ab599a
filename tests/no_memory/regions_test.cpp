// A region that no memory is left for is an error of Catena.
#include <new>

#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "tests/no_memory/failing_allocations.h"
#include "tests/no_memory/failures_before.h"

namespace catena::testing {
namespace {

TEST(RegionsWithoutMemory, a_region_is_made_or_the_error_is_of_catena) {
    if (!allocations_can_fail()) GTEST_SKIP() << "a sanitizer has malloc";
    EXPECT_GT(failures_before([] {
                  try {
                      const auto twice = static_graph([](const Variable& x) { return x + x; },
                                                      "a name that is no short string");
                  } catch (const std::bad_alloc&) {
                      ADD_FAILURE() << "std::bad_alloc left static_graph()";
                      throw;
                  }
              }),
              3);
}

}  // namespace
}  // namespace catena::testing
