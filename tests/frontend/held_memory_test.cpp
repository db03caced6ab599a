// Views of the memory of parameters that another language has: updates are seen in them, and what
// is written through them changes the parameters.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/graph/call/held_state.h"
#include "tests/frontend/capture_models.h"
#include "tests/support/two_states.h"

namespace catena::testing {
namespace {

/// What NumPy's array of a variable's content would be.
template <class T>
class MemoryView {
public:
    explicit MemoryView(const Variable& x)
        : held_(hold_memory(x)), data_(x.array().data<T>()), size_(x.size()) {}
    std::vector<T> numbers() const { return {data_, data_ + size_}; }
    Array copy() const { return Array::from(numbers(), {size_}); }
    T& operator[](int64_t i) { return data_[i]; }
    bool is_of(const Variable& x) const { return x.array().elements() == data_; }

private:
    HeldMemory held_;
    T* data_;
    int64_t size_;
};

std::vector<std::unique_ptr<Optimizer>> some_optimizers() {
    std::vector<std::unique_ptr<Optimizer>> all;
    all.push_back(std::make_unique<SGD>(0.1));
    all.push_back(std::make_unique<MomentumSGD>(0.1, 0.9));
    all.push_back(std::make_unique<Adam>(0.01));
    return all;
}

TEST(HeldMemory, an_update_is_seen_in_the_view) {
    for (const auto& optimizer : some_optimizers()) {
        Mlp model;
        optimizer->setup(model);
        const MemoryView<float> view(model.l1.W);
        std::vector<float> before = view.numbers();
        for (int i = 0; i < 3; ++i) {
            learn(model, *optimizer, sum(square(model(batch(i, 2, 3)))));
            EXPECT_TRUE(view.is_of(model.l1.W));
            EXPECT_EQ(view.numbers(), model.l1.W.array().to_vector<float>());
            EXPECT_NE(view.numbers(), before);
            before = view.numbers();
        }
    }
}

TEST(HeldMemory, updates_are_those_of_a_model_that_nobody_looks_at) {
    for (const bool is_held : {false, true}) {
        SCOPED_TRACE(is_held);
        expect_same([&](Side& side) {
            Mlp model;
            Adam optimizer(0.01);
            optimizer.setup(model);
            std::vector<MemoryView<float>> views;
            if (is_held)
                for (Parameter* each : model.params()) views.emplace_back(*each);
            auto step = side.region([&](const Variable& x) {
                const Variable loss = sum(square(model(x)));
                learn(model, optimizer, loss);
                return loss;
            });
            for (int i = 0; i < 5; ++i) {
                side.call(i);
                side.saw("loss", step(batch(i, 2, 3)));
                side.saw("model", model);
                for (size_t k = 0; k < views.size(); ++k) {
                    EXPECT_TRUE(views[k].is_of(*model.params()[k]));
                    side.saw("view", views[k].copy());
                }
            }
        });
    }
}

TEST(HeldMemory, what_is_written_into_the_view_is_the_parameters) {
    for (const Audit audit : {Audit::always, Audit::sampled, Audit::never})
        expect_same([&](Side& side) {
            Mlp model;
            SGD optimizer(0.1);
            optimizer.setup(model);
            MemoryView<float> view(model.l1.W);
            auto step = side.region(
                [&](const Variable& x) {
                    const Variable loss = sum(square(model(x)));
                    learn(model, optimizer, loss);
                    return loss;
                },
                {.audit = audit});
            for (int i = 0; i < 8; ++i) {
                side.call(i);
                view[i] = float(i) - 2;
                side.saw("loss", step(batch(i, 2, 3)));
                side.saw("view", view.copy());
                side.saw("model", model);
                EXPECT_TRUE(view.is_of(model.l1.W));
            }
        });
}

TEST(HeldMemory, an_update_is_seen_within_the_call_and_a_write_after_it_stays) {
    for (const Audit audit : {Audit::always, Audit::sampled, Audit::never})
        expect_same([&](Side& side) {
            Mlp model;
            model(batch(0, 2, 3));
            MomentumSGD optimizer(0.1, 0.9);
            optimizer.setup(model);
            MemoryView<float> view(model.l1.W);
            auto step = side.region(
                [&](const Variable& x) {
                    for (int k = 0; k < 2; ++k) {
                        learn(model, optimizer, sum(square(model(x))));
                        side.saw("view inside", view.copy());
                        view[k] = 2;
                    }
                    return model(x);
                },
                {.audit = audit});
            for (int i = 0; i < 6; ++i) {
                side.call(i);
                side.saw("y", step(batch(i, 2, 3)));
                side.saw("view", view.copy());
                side.saw("model", model);
                EXPECT_TRUE(view.is_of(model.l1.W));
            }
        });
}

TEST(HeldMemory, an_exception_after_an_update_leaves_it) {
    expect_same([&](Side& side) {
        State s(Array::from({1.0, 2.0}));
        MemoryView<double> view(s);
        auto region = side.region([&](const Variable& x) {
            s = Variable(s) * x;
            side.saw("view inside", view.copy());
            view[0] = 3;
            const Variable y = Variable(s) + x;
            if (x.array().item<double>() > 2) fail<ValueError>("too large");
            return y;
        });
        for (int i = 0; i < 5; ++i) {
            side.call(i);
            try {
                side.saw("y", region(doubles({double(i)}, false)));
            } catch (const ValueError&) {
            }
            side.saw("s", s.array());
            side.saw("view", view.copy());
            EXPECT_TRUE(view.is_of(s));
        }
    });
}

TEST(HeldMemory, an_update_that_nobody_sees_cuts_no_region) {
    Mlp model;
    SGD optimizer(0.1);
    optimizer.setup(model);
    auto step = static_graph([&](const Variable& x) {
        const Variable loss = sum(square(model(x)));
        learn(model, optimizer, loss);
        return loss;
    });
    for (int i = 0; i < 3; ++i) step(batch(i, 2, 3));
    EXPECT_EQ(step.statistics().cuts, 0);
    {
        const MemoryView<float> W(model.l1.W), b(model.l1.b);
        step(batch(3, 2, 3));
    }
    EXPECT_EQ(step.statistics().cuts, 1);
    step(batch(4, 2, 3));
    EXPECT_EQ(step.statistics().cuts, 1);
}

TEST(HeldMemory, a_failing_call_gives_a_state_back_the_memory_that_is_looked_at) {
    Parameter p(Array::from({1.f, 2.f}));
    const MemoryView<float> view(p);
    auto region = static_graph([&](const Variable& x, const Variable& t) {
        const Variable y = select_item(x, t);
        p.set_array(Array::from({3.f, 4.f}));
        return y;
    });
    region(batch(0, 2, 3), Variable(Array::from<int32_t>({0, 1}), false));
    EXPECT_FALSE(view.is_of(p));
    p.set_array(Array::from({1.f, 2.f}));
    const MemoryView<float> present(p);
    EXPECT_THROW(region(batch(0, 2, 3), Variable(Array::from<int32_t>({0, 9}), false)), Error);
    EXPECT_TRUE(present.is_of(p));
    EXPECT_EQ(present.numbers(), (std::vector<float>{1, 2}));
}

TEST(HeldMemory, states_that_take_each_others_content_keep_their_memory) {
    for (const Audit audit : {Audit::always, Audit::sampled, Audit::never})
        for (const auto& program : programs_of_two_states())
            for (const bool both : {true, false})
                expect_same([&](Side& side) {
                    TwoStates s;
                    const MemoryView<double> q(s.q);
                    const MemoryView<double> t(both ? Variable(s.t) : Variable(s.q));
                    auto region = side.region([&](const Variable& x) { return program(s, x); },
                                              {.audit = audit});
                    for (int i = 0; i < 6; ++i) {
                        side.call(i);
                        side.saw("y", region(doubles({double(i)}, false)));
                        side.saw("states", s);
                        side.saw("q", q.copy());
                        side.saw("t", t.copy());
                        EXPECT_TRUE(q.is_of(s.q));
                        EXPECT_EQ(t.is_of(s.t), both);
                    }
                });
}

TEST(HeldMemory, an_array_read_before_keeps_its_elements) {
    Parameter p(Array::from({1.f, 2.f}));
    const Array before = p.array();
    const MemoryView<float> view(p);
    const Array while_held = p.array();
    assign(p, Array::from({3.f, 4.f}));
    EXPECT_THAT(view.numbers(), ::testing::ElementsAre(3, 4));
    EXPECT_TRUE(view.is_of(p));
    EXPECT_THAT(before.to_vector<float>(), ::testing::ElementsAre(1, 2));
    EXPECT_THAT(while_held.to_vector<float>(), ::testing::ElementsAre(1, 2));
}

TEST(HeldMemory, a_graph_goes_back_through_the_weights_it_has_read) {
    Parameter w(Array::from({2.0, 3.0}));
    const MemoryView<double> view(w);
    const Variable x(Array::from({1.0, 1.0}), true);
    const Variable y = sum(x * w);
    assign(w, Array::from({-1.0, -1.0}));
    y.backward();
    EXPECT_THAT(x.grad().to_vector<double>(), ::testing::ElementsAre(2, 3));
}

TEST(HeldMemory, copies_of_a_link_keep_their_own) {
    Mlp model, early = model;
    const MemoryView<float> view(model.l1.W);
    const Mlp late = model;
    const std::vector<float> before = view.numbers();
    SGD optimizer(0.1);
    optimizer.setup(model);
    model(batch(0, 2, 3));
    learn(model, optimizer, sum(square(model(batch(0, 2, 3)))));
    EXPECT_NE(view.numbers(), before);
    EXPECT_EQ(early.l1.W.array().to_vector<float>(), before);
    EXPECT_EQ(late.l1.W.array().to_vector<float>(), before);
    model = early;
    EXPECT_EQ(view.numbers(), before);
    EXPECT_TRUE(view.is_of(model.l1.W));
    EXPECT_FALSE(view.is_of(early.l1.W));
}

TEST(HeldMemory, set_array_replaces_the_memory) {
    Parameter p(Array::from({1.f, 2.f}));
    const MemoryView<float> view(p);
    p.set_array(Array::from({3.f, 4.f}));
    EXPECT_THAT(view.numbers(), ::testing::ElementsAre(1, 2));
    assign(p, Array::from({5.f, 6.f}));
    EXPECT_THAT(view.numbers(), ::testing::ElementsAre(1, 2));
    EXPECT_THAT(p.array().to_vector<float>(), ::testing::ElementsAre(5, 6));
}

TEST(HeldMemory, once_nobody_looks_updates_make_new_arrays_again) {
    Parameter p(Array::from({1.f, 2.f}));
    auto view = std::make_unique<MemoryView<float>>(p);
    const Array before = p.array();
    view.reset();
    assign(p, Array::from({3.f, 4.f}));
    EXPECT_THAT(before.to_vector<float>(), ::testing::ElementsAre(1, 2));
    EXPECT_FALSE(p.array() == before);
}

TEST(HeldMemory, what_is_loaded_is_seen_in_the_view) {
    const std::string path = ::testing::TempDir() + "held_memory.npz";
    Mlp saved, model;
    saved(batch(0, 2, 3));
    model(batch(0, 2, 3));
    save_npz(path, saved);
    const MemoryView<float> view(model.l1.W);
    load_npz(path, model);
    EXPECT_EQ(view.numbers(), saved.l1.W.array().to_vector<float>());
    EXPECT_TRUE(view.is_of(model.l1.W));
    Mlp other;
    other(batch(0, 2, 3));
    model.copyparams(other);
    EXPECT_EQ(view.numbers(), other.l1.W.array().to_vector<float>());
    EXPECT_FALSE(view.is_of(other.l1.W));
    std::filesystem::remove(path);
}

TEST(HeldMemory, a_failing_call_leaves_what_eager_code_leaves) {
    expect_same([&](Side& side) {
        TwoStates s;
        const MemoryView<double> q(s.q), t(s.t);
        auto region = side.region([&](const Variable& x) {
            s.q = Variable(s.q) + x;
            const Variable y = Variable(s.q) * 2.0;
            if (x.array().item<double>() > 2) fail<ValueError>("too large");
            s.t = y;
            return y;
        });
        for (int i = 0; i < 5; ++i) {
            side.call(i);
            try {
                side.saw("y", region(doubles({double(i)}, false)));
            } catch (const ValueError&) {
            }
            side.saw("q", q.copy());
            side.saw("t", t.copy());
            side.saw("states", s);
        }
    });
}

TEST(HeldMemory, a_call_that_forgets_finds_the_states_as_they_were) {
    Parameter w(Array::from({2.0, 3.0}));
    State count(Array::from({1.0, 1.0}));
    const MemoryView<double> view(count);
    const Variable x(Array::from({1.0, 1.0}), true);
    const Variable y = forget(
        [&](const Variable& v) {
            const Variable z = v * w * Variable(count);
            assign(count, Variable(count) * 2.0);
            return z;
        },
        x);
    EXPECT_THAT(view.numbers(), ::testing::ElementsAre(2, 2));
    sum(y).backward();
    EXPECT_THAT(x.grad().to_vector<double>(), ::testing::ElementsAre(2, 3));
    EXPECT_THAT(view.numbers(), ::testing::ElementsAre(2, 2));
}

}  // namespace
}  // namespace catena::testing
