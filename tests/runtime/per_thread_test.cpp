#include "runtime/core/system/per_thread.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "runtime/graph/op/attributes.h"

namespace catena {
namespace {

/// What happened on a thread that has ended.
std::vector<std::string>& events() {
    static auto& all = *new std::vector<std::string>;
    return all;
}

template <int number>
struct Noted {
    ~Noted() { events().push_back("end of " + std::to_string(number)); }
    int content = 0;
};

constinit PerThread<Noted<1>> first;
constinit PerThread<Noted<2>> second;

template <class F>
std::vector<std::string> events_of_thread(F&& body) {
    events().clear();
    std::thread(body).join();
    return events();
}

TEST(PerThread, a_value_is_its_threads_own) {
    constinit static PerThread<int> number;
    number.get() = 3;
    int of_other = -1;
    std::thread([&] { of_other = number.get([] { return 7; })++; }).join();
    EXPECT_EQ(of_other, 7);
    EXPECT_EQ(number.get(), 3);
}

TEST(PerThread, values_are_destroyed_with_their_thread_the_latest_first) {
    const auto events = events_of_thread([] {
        second.get();
        first.get();
    });
    EXPECT_EQ(events, (std::vector<std::string>{"end of 1", "end of 2"}));
}

/// Its destructor runs before or after that of any thread_local, as it was made.
struct UsesValueLate {
    ~UsesValueLate() {
        events().push_back("end of a thread_local, content " + std::to_string(first.get().content));
        second.get().content = 1;
    }
    int content = 0;
};

TEST(PerThread, destructors_of_thread_local_objects_find_the_values) {
    const auto events = events_of_thread([] {
        thread_local UsesValueLate late;
        late.content = 1;
        first.get().content = 5;
    });
    EXPECT_EQ(events, (std::vector<std::string>{"end of a thread_local, content 5", "end of 2",
                                                "end of 1"}));
}

/// Uses the other value when it is destroyed, which may be gone by then.
struct Last {
    ~Last() {
        events().push_back("content " + std::to_string(first.get().content));
        const Attributes made{{"axis", int64_t(1)}};
        events().push_back("axis " + std::to_string(made.integer("axis")));
    }
};

TEST(PerThread, what_destructors_make_anew_is_destroyed_as_well) {
    constinit static PerThread<Last> last;
    const auto events = events_of_thread([] {
        last.get();
        first.get().content = 5;
    });
    EXPECT_EQ(events, (std::vector<std::string>{"end of 1", "content 0", "axis 1", "end of 1"}));
}

TEST(PerThread, a_value_whose_making_fails_is_made_at_the_next_use) {
    constinit static PerThread<int> number;
    EXPECT_THROW(number.get([]() -> int { throw std::string("no"); }), std::string);
    EXPECT_EQ(number.get([] { return 4; }), 4);
}

}  // namespace
}  // namespace catena
