// Schedules made by hand, right and broken in each way that a planner could break one.
#include "runtime/program/schedule/check_lifetimes.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/program/run/scheduled_executable.h"
#include "tests/support/environment.h"

namespace catena::program {
namespace {

using Place = Buffer::Place;

const Type vector{Dtype::float32, {64}};

/// All buffers hold 64 floats, or 64 indices.
struct Draft {
    Schedule schedule;

    int buffer(Place place, const Type& type = vector) {
        Buffer& made = schedule.buffers.emplace_back();
        made.place = place;
        made.bytes = size_t(element_count(type.shape)) * size_of(type.dtype);
        if (place == Place::input) {
            made.index = int(schedule.input_types.size());
            schedule.input_types.push_back(type);
        }
        if (place == Place::output) {
            made.index = int(schedule.results.size());
            schedule.results.push_back({.view = view(int(schedule.buffers.size()) - 1, type)});
        }
        return int(schedule.buffers.size()) - 1;
    }

    static View view(int buffer, const Type& type) {
        return {buffer, 0, type, contiguous_strides(type.shape)};
    }

    void use(int b) {
        const int l = int(schedule.launches.size()) - 1;
        if (schedule.buffers[size_t(b)].first < 0) schedule.buffers[size_t(b)].first = l;
        schedule.buffers[size_t(b)].last = l;
    }

    void call(const char* op, const std::vector<View>& inputs, int output,
              const Attributes& attributes = {}) {
        LibraryCall& made = schedule.library_calls.emplace_back();
        made.op = find_op(op);
        made.attributes = attributes;
        made.inputs = inputs;
        made.outputs = {view(output, vector)};
        schedule.launches.push_back({.library_call = int(schedule.library_calls.size()) - 1});
        for (const View& each : inputs) use(each.buffer);
        use(output);
    }
    void exp(int input, int output) { call("exp", {view(input, vector)}, output); }

    /// A copy over 8 rows and 8 columns.
    void copy(int input, int output, const Strides& from = {8, 1}) {
        KernelLaunch& kernel = schedule.kernels.emplace_back();
        kernel.geometry = {.domain = {8, 8},
                           .inputs = {{Dtype::float32, from}},
                           .outputs = {{Dtype::float32, {8, 1}}}};
        kernel.operands = {{input, 0}, {output, 0}};
        schedule.launches.push_back({.kernels = {int(schedule.kernels.size()) - 1}});
        use(input);
        use(output);
    }

    Schedule& placed() {
        place_buffers(schedule);
        return schedule;
    }
};

void expect_refused(const Schedule& schedule, const std::string& text,
                    const KernelFacts& facts = {}) {
    try {
        check_lifetimes(schedule, facts);
        ADD_FAILURE() << "it passes, without: " << text;
    } catch (const InternalError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr(text));
    }
}

/// y = exp(exp(x)) + exp(x), whose temporaries are alive together.
Draft two_temporaries() {
    Draft draft;
    const int x = draft.buffer(Place::input), a = draft.buffer(Place::arena),
              b = draft.buffer(Place::arena), y = draft.buffer(Place::output);
    draft.exp(x, a);
    draft.exp(a, b);
    draft.call("add", {Draft::view(a, vector), Draft::view(b, vector)}, y);
    return draft;
}

/// A copy over its operand, which is a temporary.
Draft in_place(const Strides& from = {8, 1}) {
    Draft draft;
    const int x = draft.buffer(Place::input), a = draft.buffer(Place::arena),
              b = draft.buffer(Place::arena), y = draft.buffer(Place::output);
    draft.exp(x, a);
    draft.copy(a, b, from);
    draft.exp(b, y);
    draft.schedule.buffers[size_t(b)].over = a;
    return draft;
}

TEST(check_lifetimes, right_schedules_pass) {
    check_lifetimes(two_temporaries().placed());
    check_lifetimes(in_place().placed());
}

TEST(check_lifetimes, temporaries_in_use_together_share_no_bytes) {
    Schedule schedule = two_temporaries().placed();
    schedule.buffers[2].offset = schedule.buffers[1].offset + 64;
    schedule.arena_bytes = 1024;
    expect_refused(schedule,
                   "buffers 1 and 2 share bytes 64 to 256 at launch 1, the one in use from launch "
                   "0 to 2, the other from 1 to 2");
}

TEST(check_lifetimes, temporaries_lie_inside_of_the_arena) {
    Schedule schedule = two_temporaries().placed();
    schedule.arena_bytes -= 64;
    expect_refused(schedule, "ends at byte 512 of an arena of 448");
}

TEST(check_lifetimes, nothing_is_read_that_nobody_writes) {
    Schedule schedule = two_temporaries().placed();
    schedule.launches.erase(schedule.launches.begin() + 1);
    expect_refused(schedule, "launch 1 reads buffer 2, which is never written");
}

TEST(check_lifetimes, nothing_is_read_before_it_is_written) {
    Schedule schedule = two_temporaries().placed();
    std::swap(schedule.launches[0], schedule.launches[1]);
    expect_refused(schedule, "launch 0 reads buffer 1, which launch 1 writes");
}

TEST(check_lifetimes, nothing_is_written_twice) {
    Schedule schedule = two_temporaries().placed();
    schedule.launches.push_back(schedule.launches[0]);
    expect_refused(schedule, "buffer 1 is written by launch 0 and again by launch 3");
}

TEST(check_lifetimes, a_result_is_written) {
    Schedule schedule = two_temporaries().placed();
    schedule.launches.pop_back();
    expect_refused(schedule, "result 0 is buffer 3, which is never written");
}

TEST(check_lifetimes, what_is_written_over_lies_the_same_way) {
    expect_refused(in_place({1, 8}).placed(),
                   "launch 1 reads buffer 1 while it writes buffer 2 over it");
}

TEST(check_lifetimes, a_kernel_may_read_again_where_it_stores_only_if_it_has_one_loop) {
    Draft draft = in_place();
    draft.schedule.kernels[0].geometry.reduced = 2;
    const Schedule& schedule = draft.placed();
    check_lifetimes(schedule, {.sweeps_once = [](int) { return true; }});
    expect_refused(schedule, "launch 1 reads buffer 1 while it writes buffer 2 over it",
                   {.sweeps_once = [](int) { return false; }});
}

TEST(check_lifetimes, an_output_that_is_combined_in_memory_lies_over_no_operand) {
    const Schedule schedule = in_place().placed();
    check_lifetimes(schedule, {.accumulates = [](int, int) { return false; }});
    expect_refused(schedule, "launch 1 reads buffer 1 while it writes buffer 2 over it",
                   {.accumulates = [](int, int) { return true; }});
}

TEST(check_lifetimes, what_is_written_over_is_read_by_nobody_afterwards) {
    Draft draft = in_place();
    draft.exp(1, draft.buffer(Place::output));
    expect_refused(draft.placed(), "launch 3 reads buffer 1 after launch 1 wrote buffer 2 over it");
}

TEST(check_lifetimes, an_input_is_not_read_after_a_result_took_its_memory) {
    Draft draft;
    const int x = draft.buffer(Place::input), y = draft.buffer(Place::output),
              z = draft.buffer(Place::output);
    draft.copy(x, y);
    draft.exp(x, z);
    draft.schedule.buffers[size_t(y)].donor = 0;
    expect_refused(draft.placed(), "launch 1 reads input 0 after launch 0 wrote buffer 1 over it");
    std::swap(draft.schedule.launches[0], draft.schedule.launches[1]);
    check_lifetimes(draft.schedule);
}

TEST(check_lifetimes, an_input_is_taken_once) {
    Draft draft;
    const int x = draft.buffer(Place::input), y = draft.buffer(Place::output),
              z = draft.buffer(Place::output);
    draft.copy(x, y);
    draft.copy(y, z);
    for (int b : {y, z}) draft.schedule.buffers[size_t(b)].donor = 0;
    expect_refused(draft.placed(), "buffers 1 and 2 both take the memory of input 0");
}

TEST(check_lifetimes, nothing_can_fail_after_an_input_was_written_over) {
    Draft draft;
    const int x = draft.buffer(Place::input),
              indices = draft.buffer(Place::input, {Dtype::int32, {64}}),
              y = draft.buffer(Place::output), z = draft.buffer(Place::output);
    draft.copy(x, y);
    draft.call("take", {Draft::view(y, vector), Draft::view(indices, {Dtype::int32, {64}})}, z,
               {{"axes", Axes{0}}, {"position", int64_t(0)}, {"wrap", true}});
    draft.schedule.buffers[size_t(y)].donor = 0;
    expect_refused(draft.placed(), "launch 1, take, can fail after launch 0 wrote over an input");
}

//---- poison

std::vector<float> run(const Schedule& schedule, const char* poison) {
    test::EnvironmentScope scope("CATENA_POISON", poison);
    ScheduledExecutable executable(schedule);
    const Array x = Array::full(vector, 0.5);
    const bool donated[] = {false};
    Array y;
    executable.run({&x, 1}, {}, donated, {&y, 1});
    return y.to_vector<float>();
}

TEST(check_lifetimes, poison_changes_no_right_result) {
    const Schedule schedule = two_temporaries().placed();
    EXPECT_EQ(run(schedule, "1"), run(schedule, "0"));
    EXPECT_NEAR(run(schedule, "1")[63], std::exp(std::exp(0.5)) + std::exp(0.5), 1e-5);
}

TEST(check_lifetimes, poison_shows_what_is_read_after_its_end) {
    Schedule schedule = two_temporaries().placed();
    schedule.buffers[1].last = 1;
    EXPECT_TRUE(std::isnan(run(schedule, "1")[0]));
    EXPECT_FALSE(std::isnan(run(schedule, "0")[0]));
}

TEST(check_lifetimes, poison_shows_what_is_read_before_it_is_written) {
    Schedule schedule = two_temporaries().placed();
    schedule.launches.erase(schedule.launches.begin() + 1);
    for (Buffer& buffer : schedule.buffers) buffer.last = std::min(buffer.last, 1);
    EXPECT_TRUE(std::isnan(run(schedule, "1")[0]));
}

}  // namespace
}  // namespace catena::program
