// Links against what Chainer's give with the same weights (tests/conformance/chainer_links.py),
// eager and in static regions.
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/link/link_hook.h"
#include "frontend/serializer/npz.h"
#include "frontend/static_graph/static_graph.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/math/reduction/reduction.h"
#include "tests/frontend/link_cases.h"

namespace catena::testing {
namespace {

constexpr const char* path = CATENA_SOURCE_DIR "/tests/conformance/chainer_links.npz";

const NpzFile& file() {
    static const NpzFile opened(path);
    return opened;
}

void expect_near(const Array& actual, const std::string& key) {
    SCOPED_TRACE(key);
    const Array expected = file().read(key);
    ASSERT_TRUE(actual.defined());
    ASSERT_EQ(to_string(actual.shape()), to_string(expected.shape()));
    const std::vector<double> a = actual.to_vector<double>(), b = expected.to_vector<double>();
    for (size_t i = 0; i < a.size(); ++i)
        ASSERT_NEAR(a[i], b[i], 3e-5 * (1 + std::abs(b[i]))) << "element " << i;
}

std::vector<Variable> inputs_of(const std::string& name) {
    std::vector<Variable> xs;
    for (int i = 0; file().contains(name + "/x" + std::to_string(i)); ++i)
        xs.emplace_back(file().read(name + "/x" + std::to_string(i)));
    return xs;
}

/// Calls and differentiates, then compares everything.
void check(LinkCase& each, const std::function<Variable(const std::vector<Variable>&)>& call) {
    const std::string& name = each.name;
    load_npz(path, *each.link, {.path = name + "/saved"});
    const auto mode = using_config(&Config::train, each.train);
    const std::vector<Variable> xs = inputs_of(name);
    ASSERT_FALSE(xs.empty()) << "the file has no case " << name;
    Variable y;
    for (int i = 0; i < each.calls; ++i) y = call(xs);
    expect_near(y.array(), name + "/y");
    each.link->cleargrads();
    sum(y * Variable(file().read(name + "/gy"), false)).backward();
    for (size_t i = 0; i < xs.size(); ++i)
        expect_near(xs[i].grad(), name + "/gx" + std::to_string(i));
    int gradients = 0;
    for (auto& [param_path, param] : each.link->namedparams()) {
        expect_near(param->grad(), name + "/grad" + param_path);
        ++gradients;
    }
    for (const std::string& key : file().keys()) gradients -= key.starts_with(name + "/grad/");
    EXPECT_EQ(gradients, 0) << "Chainer's link has other parameters";
    for (auto& [state_path, state] : each.link->namedpersistents())
        expect_near(state->array(), name + "/after" + state_path);
}

class ChainerLinks : public ::testing::TestWithParam<size_t> {};

TEST_P(ChainerLinks, give_the_same) {
    LinkCase each = link_cases()[GetParam()];
    SCOPED_TRACE(each.name);
    check(each, each.call);
}

TEST_P(ChainerLinks, give_the_same_in_static_regions) {
    if (!compiler_available()) GTEST_SKIP() << "no compiler";
    LinkCase each = link_cases()[GetParam()];
    SCOPED_TRACE(each.name);
    auto region = static_graph([&](std::vector<Variable> xs) { return each.call(xs); });
    check(each, [&](const std::vector<Variable>& xs) { return region(xs); });
    EXPECT_GE(region.statistics().programs, 1);
}

TEST_P(ChainerLinks, call_their_hooks) {
    LinkCase each = link_cases()[GetParam()];
    struct Heard : LinkHook {
        int before = 0, after = 0;
        size_t inputs = 0, outputs = 0;
        std::string name() const override { return "Heard"; }
        void forward_preprocess(LinkCall& call) override {
            ++before, inputs = call.inputs().size();
        }
        void forward_postprocess(LinkCall& call) override {
            ++after, outputs = call.outputs().size();
        }
    };
    auto heard = std::make_shared<Heard>();
    each.link->add_hook(heard);
    const std::vector<Variable> xs = inputs_of(each.name);
    each.call(xs);
    EXPECT_EQ(heard->before, 1);
    EXPECT_EQ(heard->after, 1);
    EXPECT_EQ(heard->inputs, xs.size());
    EXPECT_EQ(heard->outputs, 1u);
}

std::string name_of_case(const ::testing::TestParamInfo<size_t>& info) {
    return link_cases()[info.param].name;
}

INSTANTIATE_TEST_SUITE_P(all, ChainerLinks, ::testing::Range(size_t(0), link_cases().size()),
                         name_of_case);

}  // namespace
}  // namespace catena::testing
