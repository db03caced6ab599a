// Which launches of a program in two parts run in which, on schedules made by hand.
#include "codegen/sides.h"

#include <gtest/gtest.h>

#include "runtime/graph/op/op.h"

namespace catena::codegen {
namespace {

using program::Buffer;

/// Calls of one op with one result each; which op does not matter.
struct Made {
    Schedule schedule;
    std::vector<Launch> in_order;

    int add(Buffer::Place place, int index, size_t bytes) {
        Buffer buffer;
        buffer.place = place;
        buffer.index = index;
        buffer.bytes = bytes;
        schedule.buffers.push_back(buffer);
        return int(schedule.buffers.size()) - 1;
    }
    void call(const std::vector<int>& reads, int writes) {
        program::LibraryCall made;
        made.op = find_op("matmul");
        for (int b : reads) made.inputs.push_back(view(b));
        made.outputs.push_back(view(writes));
        in_order.emplace_back().library_call = int(schedule.library_calls.size());
        schedule.library_calls.push_back(made);
    }
    static program::View view(int buffer) {
        program::View view;
        view.buffer = buffer;
        return view;
    }
    void result(int buffer) { schedule.results.push_back({-1, view(buffer)}); }
};

std::vector<int> calls_of(const std::vector<Launch>& launches) {
    std::vector<int> calls;
    for (const Launch& launch : launches) calls.push_back(launch.library_call);
    return calls;
}

/// x -> large -> y; large -> small, which the gradient reads, and so does nobody else.
Made with_something_between(size_t large_bytes, size_t small_bytes) {
    Made made;
    const int x = made.add(Buffer::Place::input, 0, 64), gy = made.add(Buffer::Place::input, 1, 64);
    const int large = made.add(Buffer::Place::arena, 0, large_bytes),
              y = made.add(Buffer::Place::output, 0, 64);
    const int small = made.add(Buffer::Place::arena, 0, small_bytes),
              early = made.add(Buffer::Place::arena, 0, 64);
    const int gx = made.add(Buffer::Place::output, 1, 64);
    made.call({x}, large);          // 0
    made.call({large}, small);      // 1
    made.call({large}, y);          // 2
    made.call({gy}, early);         // 3
    made.call({early, small}, gx);  // 4
    made.result(y);
    made.result(gx);
    made.schedule.cut = {.launch = 0, .inputs = 1, .outputs = 1, .assigns = 0};
    return made;
}

TEST(Sides, of_two_values_the_smaller_one_is_saved) {
    const Made smaller = with_something_between(4096, 64);
    const Sides first = divide_launches(smaller.schedule, smaller.in_order);
    EXPECT_EQ(calls_of(first.forward), (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(calls_of(first.backward), (std::vector<int>{3, 4}));

    const Made larger = with_something_between(64, 4096);
    const Sides second = divide_launches(larger.schedule, larger.in_order);
    EXPECT_EQ(calls_of(second.forward), (std::vector<int>{0, 2}));
    EXPECT_EQ(calls_of(second.backward), (std::vector<int>{3, 1, 4}));  // Right before its reader.
}

TEST(Sides, what_fails_on_values_stays_forward) {
    Made made = with_something_between(64, 4096);
    made.schedule.library_calls[1].op = find_op("select_item");
    ASSERT_TRUE(made.schedule.library_calls[1].op->checks_values);
    EXPECT_EQ(calls_of(divide_launches(made.schedule, made.in_order).forward),
              (std::vector<int>{0, 1, 2}));
}

TEST(Sides, a_gradient_that_forward_computes_is_refused) {
    Made made = with_something_between(64, 64);
    made.schedule.results[1] = {-1, Made::view(3)};  // y
    try {
        divide_launches(made.schedule, made.in_order);
        FAIL() << "was divided";
    } catch (const CompileError& error) {
        EXPECT_NE(
            std::string(error.what()).find("gradient 0 is an array that the forward part computes"),
            std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace catena::codegen
