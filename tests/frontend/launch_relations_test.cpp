// What is planned for a length or a size is held against the recording of its own call: whatever is
// changed in a planned schedule, each operand, offset, size, stride, scalar, launch and buffer,
// either is noticed or changes no bit of what it computes.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <set>

#include "frontend/capture/planned/is_sound.h"
#include "frontend/capture/planned/launch_relations.h"
#include "frontend/capture/planned/loop_line.h"
#include "frontend/capture/planned/size_line.h"
#include "frontend/capture/planned/trace_numbers.h"
#include "frontend/capture/planned/trace_stream.h"
#include "frontend/catena.h"
#include "frontend/compiler/compiler_loader.h"
#include "runtime/graph/trace/tracer.h"
#include "runtime/program/run/joint_executable.h"
#include "runtime/program/run/scheduled_executable.h"
#include "tests/frontend/capture_models.h"

namespace catena::capture {
namespace {

using program::Schedule;
using Variables = std::vector<Variable>;

struct Compiled {
    Trace trace;
    std::shared_ptr<const Schedule> schedule;
};

Array numbers(const Shape& shape, int number) {
    return reshape(testing::batch(number, element_count(shape), 1), shape).array();
}

Compiled compiled(const std::function<Variables(const Variables&)>& function,
                  const std::vector<Shape>& shapes) {
    Tracer tracer(false);
    Variables variables, results;
    for (size_t i = 0; i < shapes.size(); ++i) {
        const Array argument = numbers(shapes[i], int(i));
        tracer.add_argument(argument, "x");
        variables.emplace_back(argument, true);
    }
    {
        RecorderScope scope(&tracer);
        results = function(variables);
    }
    Compiled made{tracer.trace(), nullptr};
    made.trace.name = "test";
    for (const Variable& result : results)
        made.trace.outputs.push_back(tracer.value_of(result.array()));
    const std::shared_ptr<Executable> executable = compiler().compile(made.trace, {});
    made.schedule = {executable,
                     &dynamic_cast<program::ScheduledExecutable&>(*executable).schedule()};
    return made;
}

/// A recurrent network over a text.
Variables recurrent(const Variables& x) {
    Variable h = x[0][0];
    for (int64_t t = 1; t < x[0].shape()[0]; ++t) h = tanh(matmul(h, x[1]) + x[0][t]);
    return {h};
}

/// Two states that pass rows on to each other.
Variables two_states(const Variables& x) {
    Variable a = x[0][0], b = x[0][1];
    for (int64_t t = 2; t < x[0].shape()[0]; ++t) {
        const Variable next = tanh(a * x[0][t] + b * 0.3);
        b = sigmoid(matmul(a, x[1])) * x[0][t - 1];
        a = next;
    }
    return {a, b};
}

/// Rows, columns, and windows of images.
Variables images(const Variables& x) {
    const Variable y = relu(convolution_2d(x[0], x[1], {.pad = {1}}));
    const Variable z = max_pooling_2d(y, 2), rows = reshape(z, {x[0].shape()[0], -1});
    const Variable logits = matmul(rows - mean(rows, 0, true), x[2]);
    return {log_softmax(logits), sum(y, Axes{0, 2, 3}), transpose(logits)[slice(1, 3)] * 2.0};
}

/// Layers of an attention, and gradients.
Variables attention(const Variables& x) {
    Variable h = x[0];
    const int64_t length = h.shape()[0];
    for (int layer = 0; layer < 2; ++layer) {
        const Variable keys = matmul(h, x[1]), values = matmul(h, x[2]);
        h = h + matmul(softmax(matmul(h, transpose(keys)) * 0.3), values);
    }
    const Variable loss = sum(h * h) * (1.0 / double(length));
    return {loss, grad({loss}, {x[1]})[0], h[length - 1]};
}

/// A schedule that was planned, its recording, and what its launches are to be related like.
struct Planned {
    Trace trace;
    program::Copied copied;
    Relations compiled;

    /// As KnownSizes does.
    bool accepts(const Schedule& schedule) const {
        return is_sound(schedule, trace) &&
               follows(compiled, {schedule, copied.kernels, copied.calls, copied.results}, trace);
    }
};

std::vector<int> counted(size_t count) {
    std::vector<int> list;
    for (size_t i = 0; i < count; ++i) list.push_back(int(i));
    return list;
}

using MakeLength = std::function<Compiled(int64_t)>;

Planned planned_loop(const MakeLength& make, const std::vector<int64_t>& lengths) {
    const Compiled a = make(lengths[0]), b = make(lengths[1]), c = make(lengths[2]);
    Planned planned{make(lengths[3]).trace, {}, relations(*b.schedule, b.trace)};
    auto line = LoopLine::through(stream_of(a.trace), *program::ScheduleStream::of(*a.schedule),
                                  stream_of(b.trace), *program::ScheduleStream::of(*b.schedule),
                                  int64_t(b.trace.steps.size() - a.trace.steps.size()));
    if (!line) throw std::runtime_error("no line of loops");
    const auto third = line->position_of(stream_of(c.trace));
    if (!third || !line->add(*third, *program::ScheduleStream::of(*c.schedule)))
        throw std::runtime_error("the third length does not confirm the line");
    const auto position = line->position_of(stream_of(planned.trace));
    auto derived = line->schedule_at(position.value());
    planned.copied = std::move(derived.value().copied);
    return planned;
}

Planned planned_size(const MakeLength& make) {
    const Compiled a = make(9), b = make(12);
    const auto line = SizeLine::through(b.trace, numbers_of(a.trace), numbers_of(b.trace));
    Relations held = relations(*a.schedule, a.trace);
    for (int64_t size : {9, 12, 15, 18}) {
        const Compiled each = make(size);
        line->add(line->position_of(numbers_of(each.trace)).value(), each.trace, each.schedule);
        EXPECT_TRUE(held.restrict_to(relations(*each.schedule, each.trace))) << size;
    }
    Planned planned{make(14).trace, {}, held};
    const auto at = line->position_of(numbers_of(planned.trace));
    auto schedule = line->schedule_at(at.value(), planned.trace);
    planned.copied.schedule = std::move(schedule.value());
    const Schedule& s = planned.copied.schedule;
    planned.copied.kernels = counted(s.kernels.size());
    planned.copied.calls = counted(s.library_calls.size());
    planned.copied.results = counted(s.results.size());
    return planned;
}

/// Changes a planned schedule in one place after the other.
class Changes {
public:
    explicit Changes(const Planned& planned)
        : planned_(planned), right_(run(planned.copied.schedule)) {
        EXPECT_TRUE(planned.accepts(planned.copied.schedule));
    }

    void all() {
        const Schedule& s = planned_.copied.schedule;
        for (size_t k = 0; k < s.kernels.size(); ++k) kernel(k);
        for (size_t c = 0; c < s.library_calls.size(); ++c) call(c);
        buffers();
        launches();
        results();
    }
    int tried() const { return tried_; }
    int refused() const { return refused_; }

private:
    std::vector<Array> run(const Schedule& schedule) const {
        std::vector<Array> inputs;
        for (size_t i = 0; i < schedule.input_types.size(); ++i)
            inputs.push_back(numbers(schedule.input_types[i].shape, int(i)));
        std::vector<double> scalars;
        for (const Trace::ScalarSlot& scalar : planned_.trace.scalars)
            scalars.push_back(scalar.value);
        std::vector<Array> outputs(schedule.results.size());
        const auto donated = std::make_unique<bool[]>(inputs.size());
        program::make_executable(Schedule(schedule))
            ->run(inputs, scalars, {donated.get(), inputs.size()}, outputs);
        for (Array& output : outputs) output = output.as_contiguous();
        return outputs;
    }

    /// `change` does something to a copy of the schedule.
    void expect_noticed(const std::string& what, const std::function<void(Schedule&)>& change) {
        Schedule changed = planned_.copied.schedule;
        change(changed);
        for (program::KernelLaunch& kernel : changed.kernels) size_kernel(kernel);
        ++tried_;
        if (!planned_.accepts(changed)) {
            ++refused_;
            return;
        }
        const std::vector<Array> results = run(changed);
        for (size_t r = 0; r < results.size(); ++r)
            EXPECT_EQ(std::memcmp(results[r].data<float>(), right_[r].data<float>(),
                                  size_t(element_count(results[r].shape())) * sizeof(float)),
                      0)
                << what << " is not noticed, and result " << r << " is another";
    }

    /// Its neighbours, and one far away.
    static std::set<int> others(int buffer, int count) {
        std::set<int> found{(buffer + count / 2) % count};
        for (int other = std::max(buffer - 8, 0); other < std::min(buffer + 9, count); ++other)
            found.insert(other);
        found.erase(buffer);
        return found;
    }

    void kernel(size_t k) {
        const program::KernelLaunch& kernel = planned_.copied.schedule.kernels[k];
        const int buffers = int(planned_.copied.schedule.buffers.size());
        for (size_t o = 0; o < kernel.operands.size(); ++o) {
            const std::string who = fmt::format("kernel {} operand {}", k, o);
            for (int other : others(kernel.operands[o].buffer, buffers))
                expect_noticed(fmt::format("{} is buffer {}", who, other),
                               [&](Schedule& c) { c.kernels[k].operands[o].buffer = other; });
            for (int64_t more : {4, -4, 20, 60})
                expect_noticed(fmt::format("{} {} bytes further", who, more),
                               [&](Schedule& c) { c.kernels[k].operands[o].byte_offset += more; });
            for (int d = 0; d < kernel.geometry.domain.rank(); ++d)
                for (int64_t more : {1, -1, 5})
                    expect_noticed(fmt::format("{} stride {} + {}", who, d, more),
                                   [&](Schedule& c) {
                                       auto& geometry = c.kernels[k].geometry;
                                       (o < geometry.inputs.size()
                                            ? geometry.inputs[o]
                                            : geometry.outputs[o - geometry.inputs.size()])
                                           .strides[d] += more;
                                   });
        }
        for (int d = 0; d < kernel.geometry.domain.rank(); ++d)
            for (int64_t more : {1, -1})
                expect_noticed(fmt::format("kernel {} size {} + {}", k, d, more),
                               [&](Schedule& c) { c.kernels[k].geometry.domain[d] += more; });
        for (size_t i = 0; i < kernel.scalars.size(); ++i)
            for (int other = 0; other < int(planned_.trace.scalars.size()); ++other)
                expect_noticed(fmt::format("kernel {} scalar {} is {}", k, i, other),
                               [&](Schedule& c) { c.kernels[k].scalars[i] = other; });
        for (size_t i = 0; i < kernel.steps.size(); ++i)
            expect_noticed(fmt::format("kernel {} without step {}", k, kernel.steps[i]),
                           [&](Schedule& c) {
                               c.kernels[k].steps.erase(c.kernels[k].steps.begin() + ptrdiff_t(i));
                           });
    }

    void call(size_t l) {
        const program::LibraryCall& call = planned_.copied.schedule.library_calls[l];
        const int buffers = int(planned_.copied.schedule.buffers.size());
        for (size_t i = 0; i < call.inputs.size(); ++i) {
            const std::string who = fmt::format("call {} operand {}", l, i);
            for (int other : others(call.inputs[i].buffer, buffers))
                expect_noticed(fmt::format("{} is buffer {}", who, other),
                               [&](Schedule& c) { c.library_calls[l].inputs[i].buffer = other; });
            for (int64_t more : {1, -1, 5, 15})
                expect_noticed(fmt::format("{} {} elements further", who, more),
                               [&](Schedule& c) { c.library_calls[l].inputs[i].offset += more; });
            for (int d = 0; d < call.inputs[i].type.shape.rank(); ++d)
                for (int64_t more : {1, -1}) {
                    expect_noticed(fmt::format("{} size {} + {}", who, d, more), [&](Schedule& c) {
                        c.library_calls[l].inputs[i].type.shape[d] += more;
                    });
                    expect_noticed(
                        fmt::format("{} stride {} + {}", who, d, more),
                        [&](Schedule& c) { c.library_calls[l].inputs[i].strides[d] += more; });
                }
        }
    }

    void buffers() {
        const Schedule& s = planned_.copied.schedule;
        for (size_t b = 0; b < s.buffers.size(); ++b) {
            if (s.buffers[b].place != program::Buffer::Place::arena) continue;
            std::set<size_t> offsets{s.buffers[b].offset + 64};
            for (const program::Buffer& other : s.buffers)
                if (other.place == program::Buffer::Place::arena) offsets.insert(other.offset);
            for (size_t offset : offsets)
                if (offset != s.buffers[b].offset)
                    expect_noticed(fmt::format("buffer {} at {}", b, offset),
                                   [&](Schedule& c) { c.buffers[b].offset = offset; });
            for (int other : others(int(b), int(s.buffers.size())))
                if (other != s.buffers[b].over)
                    expect_noticed(fmt::format("buffer {} over {}", b, other), [&](Schedule& c) {
                        c.buffers[b].over = other;
                        c.buffers[b].offset = c.buffers[size_t(other)].offset;
                    });
        }
    }

    void launches() {
        const Schedule& s = planned_.copied.schedule;
        for (size_t l = 0; l < s.launches.size(); ++l) {
            expect_noticed(fmt::format("no launch {}", l), [&](Schedule& c) {
                c.launches.erase(c.launches.begin() + ptrdiff_t(l));
            });
            expect_noticed(fmt::format("launch {} twice", l), [&](Schedule& c) {
                c.launches.insert(c.launches.begin() + ptrdiff_t(l), s.launches[l]);
            });
            if (l > 0)
                expect_noticed(fmt::format("launch {} earlier", l),
                               [&](Schedule& c) { std::swap(c.launches[l - 1], c.launches[l]); });
            for (size_t k = 0; k < s.launches[l].kernels.size(); ++k)
                expect_noticed(fmt::format("launch {} without kernel {}", l, k), [&](Schedule& c) {
                    c.launches[l].kernels.erase(c.launches[l].kernels.begin() + ptrdiff_t(k));
                });
        }
    }

    void results() {
        const Schedule& s = planned_.copied.schedule;
        for (size_t a = 0; a < s.results.size(); ++a)
            for (size_t b = 0; b < a; ++b)
                expect_noticed(fmt::format("results {} and {} in the other order", a, b),
                               [&](Schedule& c) {
                                   std::swap(c.results[a].view.buffer, c.results[b].view.buffer);
                                   std::swap(c.buffers[size_t(c.results[a].view.buffer)].index,
                                             c.buffers[size_t(c.results[b].view.buffer)].index);
                               });
    }

    const Planned& planned_;
    const std::vector<Array> right_;
    int tried_ = 0, refused_ = 0;
};

class LaunchRelations : public ::testing::Test {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "built without the compiler";
    }
    static Compiled text(int64_t length) { return compiled(recurrent, {{length, 4, 5}, {5, 5}}); }
    static Compiled states(int64_t length) {
        return compiled(two_states, {{length, 3, 5}, {5, 5}});
    }
    static Compiled pictures(int64_t count) {
        return compiled(images, {{count, 2, 6, 6}, {4, 2, 3, 3}, {36, 7}});
    }
    static Compiled words(int64_t count) {
        return compiled(attention, {{count, 6}, {6, 6}, {6, 6}});
    }

    static void notices_changes(const Planned& planned) {
        Changes changes(planned);
        changes.all();
        const Relations held = relations(planned.copied.schedule, planned.trace);
        std::cout << changes.tried() << " changes, " << changes.refused() << " refused; "
                  << held.kernels.size() << " kernels, " << held.calls.size() << " calls, "
                  << held.results.size() << " results\n";
        EXPECT_EQ(held.unexplained(), 0);
        EXPECT_GT(changes.refused(), 100);
    }
};

TEST_F(LaunchRelations, notice_what_is_changed_in_a_loop_of_a_text) {
    notices_changes(planned_loop(text, {10, 30, 20, 17}));
}
TEST_F(LaunchRelations, notice_what_is_changed_in_a_loop_of_two_states) {
    notices_changes(planned_loop(states, {12, 16, 20, 18}));
}
TEST_F(LaunchRelations, notice_what_is_changed_in_a_batch_of_pictures) {
    notices_changes(planned_size(pictures));
}
TEST_F(LaunchRelations, notice_what_is_changed_in_an_attention) {
    notices_changes(planned_size(words));
}

}  // namespace
}  // namespace catena::capture
