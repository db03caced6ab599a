// An assignment gives a layer other content; its optimizer goes on with it, or says what it lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/frontend/capture_models.h"

namespace catena::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct OneLayer : Chain {
    Linear fc{2, 1};
    OneLayer() { add_children({{"fc", fc}}); }
    Variable operator()(const Variable& x) { return fc(x); }
};

Linear made_layer() {
    return Linear::from_params(Array::from<float>({3, 4}, {1, 2}), Array::from<float>({0}));
}
OneLayer made_net() {
    OneLayer net;
    net.fc = made_layer();
    return net;
}

const Variable& point() {
    static const Variable& x = *new Variable(Array::from<float>({1, 2}, {1, 2}), false);
    return x;
}

template <class Net>
void step(Net& net, Optimizer& optimizer) {
    learn(net, optimizer, sum(square(net(point()))));
}

/// W after a step of SGD(0.01) from made_layer(): y = 11, so W's gradient is 22 x.
const std::vector<float> stepped{3 - .01f * 22, 4 - .01f * 44};

template <class E = ValueError, class F>
std::string message_of(F f) {
    try {
        f();
    } catch (const E& error) {
        return error.what();
    }
    return "no error";
}

/// Each way to bring other content into the network of an optimizer, in eager code and in regions.
TEST(KeptIdentity, whatever_is_assigned_is_trained) {
    const std::vector<std::pair<const char*, std::function<void(OneLayer&)>>> ways{
        {"a layer that is made", [](OneLayer& net) { net.fc = made_layer(); }},
        {"a layer with a name",
         [](OneLayer& net) {
             const Linear layer = made_layer();
             net.fc = layer;
         }},
        {"a layer that is moved",
         [](OneLayer& net) {
             Linear layer = made_layer();
             net.fc = std::move(layer);
         }},
        {"a whole model", [](OneLayer& net) { net = made_net(); }},
        {"parameters",
         [](OneLayer& net) {
             net.fc.W = Parameter(Array::from<float>({3, 4}, {1, 2}));
             net.fc.b = Parameter(Array::from<float>({0}));
         }},
        {"a layer that another optimizer has", [](OneLayer& net) {
             OneLayer other = made_net();
             SGD sgd(0.01);
             sgd.setup(other);
             net.fc = std::move(other.fc);
         }}};
    for (const bool compiled : {false, true})
        for (const auto& [name, assign] : ways) {
            SCOPED_TRACE(fmt::format("{}, {}", name, compiled ? "compiled" : "eager"));
            OneLayer net;
            SGD sgd(0.01);
            sgd.setup(net);
            auto region = static_graph([&] { step(net, sgd); });
            const auto once = [&] { compiled ? region() : step(net, sgd); };
            once();
            once();
            const VariableBody* const before = net.fc.W.body();
            assign(net);
            EXPECT_EQ(net.fc.W.array().to_vector<float>(), (std::vector<float>{3, 4}));
            once();
            const std::vector<float> W = net.fc.W.array().to_vector<float>();
            EXPECT_NEAR(W[0], stepped[0], 1e-5);
            EXPECT_NEAR(W[1], stepped[1], 1e-5);
            EXPECT_EQ(net.fc.W.body(), before);
            EXPECT_EQ(net.fc.W.name(), "/fc/W");
            EXPECT_EQ(sgd.t(), 3);
            EXPECT_NO_THROW(sgd.update_rule(net.fc.W));
        }
}

TEST(KeptIdentity, layers_in_lists_are_assigned_to) {
    const auto made = [] { return made_layer(); };
    Sequential net{Linear(2, 1), relu};
    ChainList list(Linear(2, 1));
    SGD sgd(0.01), of_list(0.01);
    sgd.setup(net);
    of_list.setup(list);
    step(net, sgd);
    net.replace(0, made());
    list.replace(0, made());
    step(net, sgd);
    const auto W = [](const Link& link) { return link.params()[0]->array().to_vector<float>(); };
    EXPECT_NEAR(W(net)[0], stepped[0], 1e-5);
    EXPECT_EQ(W(list)[0], 3);
    EXPECT_NO_THROW(of_list.update_rule(*list.params()[0]));
    net = Sequential{made(), relu};  // A whole list, moved and copied.
    step(net, sgd);
    EXPECT_NEAR(W(net)[1], stepped[1], 1e-5);
    const Sequential other{made(), relu};
    net = other;
    EXPECT_EQ(W(net)[0], 3);
    EXPECT_NO_THROW(sgd.update_rule(*net.params()[0]));
    list = ChainList(made(), made());
    EXPECT_EQ(list.size(), 2u);
    EXPECT_EQ(list[1].name(), "1");
    EXPECT_NO_THROW(of_list.update_rule(*list[0].params()[0]));
    net.replace(0,
                [](const Variable& x) { return tanh(x); });  // A function in the place of a layer.
    EXPECT_EQ(net.params().size(), 0u);
    net.replace(0, made());
    EXPECT_EQ(W(net)[0], 3);
}

TEST(KeptIdentity, recurrent_states_and_statistics_are_assigned_too) {
    LSTM lstm(2, 1), other(2, 1);
    lstm(point());
    other(point());
    other(point());
    const std::vector<float> h = other.h().array().to_vector<float>();
    lstm = std::move(other);
    EXPECT_EQ(lstm.h().array().to_vector<float>(), h);
    BatchNormalization bn(2);
    const VariableBody* const mean = bn.avg_mean.body();
    BatchNormalization fresh(2);
    fresh.avg_mean.set_array(Array::from<float>({5, 6}));
    bn = std::move(fresh);
    EXPECT_EQ(bn.avg_mean.body(), mean);
    EXPECT_EQ(bn.avg_mean.array().to_vector<float>(), (std::vector<float>{5, 6}));
}

TEST(KeptIdentity, whether_a_parameter_is_updated_is_assigned_with_it) {
    OneLayer net;
    SGD sgd(0.01);
    sgd.setup(net);
    Parameter frozen(Array::from<float>({3, 4}, {1, 2}));
    frozen.set_update_enabled(false);
    net.fc.W = frozen;
    net.fc.b = Parameter(Array::from<float>({0}));
    step(net, sgd);
    EXPECT_EQ(net.fc.W.array().to_vector<float>(), (std::vector<float>{3, 4}));
    net.fc = made_layer();
    step(net, sgd);
    EXPECT_EQ(net.fc.W.array().to_vector<float>(), stepped);
}

TEST(KeptIdentity, whether_a_parameter_requires_a_gradient_is_assigned_with_it) {
    Parameter w(Array::from<int32_t>({1, 2}));
    w = Parameter(Array::from<float>({3, 4}));
    sum(square(w)).backward();
    EXPECT_EQ(w.grad().to_vector<float>(), (std::vector<float>{6, 8}));
    w = Parameter(Array::from<int32_t>({1, 2}));
    EXPECT_FALSE(w.requires_grad());
}

TEST(KeptIdentity, what_is_swapped_exchanges_identities) {
    OneLayer a = made_net(), b;
    SGD of_a(0.01), of_b(0.01);
    of_a.setup(a);
    of_b.setup(b);
    const VariableBody* const W = a.fc.W.body();
    std::swap(a, b);
    EXPECT_EQ(b.fc.W.body(), W);
    EXPECT_EQ(&of_a.target(), &b);
    EXPECT_EQ(&of_b.target(), &a);
    step(b, of_a);
    step(a, of_b);
    EXPECT_NEAR(b.fc.W.array().to_vector<float>()[0], stepped[0], 1e-5);
    std::swap(a.fc, b.fc);
    EXPECT_EQ(a.fc.W.body(), W);
    EXPECT_EQ(a.fc.W.name(), "/fc/W");
}

TEST(KeptIdentity, a_shared_copy_stays_shared_where_it_is_put) {
    OneLayer net = made_net(), tied;
    tied.fc = copy(net.fc, CopyMode::share);
    EXPECT_EQ(tied.fc.W.body(), net.fc.W.body());
    net.fc.disable_update();
    EXPECT_FALSE(tied.fc.W.update_enabled());
    OneLayer independent;
    independent.fc = tied.fc;
    EXPECT_NE(independent.fc.W.body(), net.fc.W.body());
}

TEST(KeptIdentity, an_optimizer_names_parameters_that_it_has_lost) {
    OneLayer net;
    SGD sgd(0.01);
    sgd.setup(net);
    step(net, sgd);
    const OneLayer before = net;
    Linear taken = std::move(net.fc);  // With its identity; the net has a new, empty one.
    EXPECT_THAT(message_of([&] { sgd.update(); }),
                AllOf(HasSubstr("SGD: update: /fc/W, /fc/b of OneLayer"), HasSubstr("setup()")));
    EXPECT_THAT(message_of([&] { sgd.update(); }), HasSubstr("/fc/W")) << "not only once";
    net = before;
    sgd.setup(net);
    EXPECT_NO_THROW(step(net, sgd));
}

TEST(KeptIdentity, an_optimizer_names_layers_that_were_replaced_or_removed) {
    Sequential net{Linear(2, 3), Linear(3, 1)};
    SGD sgd(0.01);
    sgd.setup(net);
    step(net, sgd);
    net.replace(0, Linear(2, 3, {.nobias = true}));
    EXPECT_THAT(message_of([&] { step(net, sgd); }), HasSubstr("/0/W, /0/b of Sequential"));
    sgd.setup(net);
    net.erase(0);
    EXPECT_THAT(message_of([&] { sgd.update(); }), HasSubstr("/0/W of Sequential"));
}

TEST(KeptIdentity, a_compiled_step_names_them_too) {
    OneLayer net;
    SGD sgd(0.01);
    sgd.setup(net);
    for (const Audit audit : {Audit::always, Audit::sampled, Audit::never}) {
        net.fc = made_layer();
        sgd.setup(net);
        auto region = static_graph([&](const Variable& x) { learn(net, sgd, sum(square(net(x)))); },
                                   {.audit = audit});
        for (int i = 0; i < 6; ++i) region(point());
        Linear taken = std::move(net.fc);
        net.fc.W.initialize({1, 2});
        net.fc.b.initialize({1});
        EXPECT_THAT(message_of([&] { region(point()); }), HasSubstr("/fc/W, /fc/b of OneLayer"));
    }
}

TEST(KeptIdentity, an_optimizer_follows_a_link_that_is_moved_and_misses_one_that_is_gone) {
    std::vector<OneLayer> nets(1);
    SGD sgd(0.01);
    sgd.setup(nets[0]);
    nets.resize(10);
    EXPECT_EQ(&sgd.target(), &nets[0]);
    EXPECT_NO_THROW(step(nets[0], sgd));
    nets.clear();
    EXPECT_THAT(message_of([&] { sgd.update(); }), HasSubstr("does not exist any more"));
}

TEST(KeptIdentity, a_parameter_that_came_later_is_named_once) {
    ChainList list(Linear(2, 1));
    SGD sgd(0.01);
    sgd.setup(list);
    list.append(Linear(2, 1));
    ::testing::internal::CaptureStderr();
    for (int i = 0; i < 2; ++i) learn(list, sgd, sum(list.get<Linear>(0)(point())));
    const std::string text = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(text, HasSubstr("/1/W of ChainList was not there at setup()"));
    EXPECT_EQ(text.find("/1/W of"), text.rfind("/1/W of"));
}

TEST(KeptIdentity, a_link_that_lists_other_parts_is_refused) {
    Linear with(2, 1), without(2, 1, {.nobias = true});
    EXPECT_THAT(message_of([&] { with = without; }), HasSubstr("that is assigned to lists 'b'"));
    EXPECT_THAT(message_of([&] { without = std::move(with); }),
                HasSubstr("whose content is taken lists 'b'"));
}

}  // namespace
}  // namespace catena::testing
