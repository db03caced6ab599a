// Regions that several threads call.
#include <future>
#include <thread>

#include "tests/frontend/ordinary_programs.h"

namespace catena::ordinary {
namespace {

void push_gradients(Arrays& out, const Link& link) {
    for (auto& [name, p] : link.namedparams()) out.push_back(p->grad());
}

TEST(OrdinaryThreads, a_region_in_threads_one_after_the_other) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        SGD o(0.1);
        o.setup(n);
        const bool compiled = config().use_static_graph;
        auto r = static_graph(
            [&](Variable x) {
                Variable l = sum(n(x) * n(x));
                n.cleargrads();
                l.backward();
                o.update();
                return l;
            },
            "r");
        for (int i = 0; i < 12; ++i) {
            std::thread([&] {
                auto s = using_config(&Config::use_static_graph, compiled);
                out.push_back(r(numbers({3 + i % 2, 5}, i)).array());
            }).join();
            for (auto& [k, p] : n.namedparams()) out.push_back(p->array());
        }
    });
}

TEST(OrdinaryThreads, inference_in_four_threads_at_a_time) {
    expect_same_without_regions([](Arrays& out) {
        Net n;
        fill(n);
        const bool compiled = config().use_static_graph;
        auto r = static_graph([&](Variable x, double scale) { return n(x) * scale; }, "r");
        for (int i = 0; i < 8; ++i) {
            std::vector<std::future<Array>> made;
            for (int k = 0; k < 4; ++k)
                made.push_back(std::async(std::launch::async, [&, k] {
                    auto s = using_config(&Config::use_static_graph, compiled);
                    auto q = no_backprop_mode();
                    return r(numbers({1 + k + i % 3, 5}, i + k), 1.0 + k).array();
                }));
            for (auto& each : made) out.push_back(each.get());
        }
    });
}

TEST(OrdinaryThreads, gradients_in_threads_with_a_model_each) {
    expect_same_without_regions([](Arrays& out) {
        Net n[3];
        for (Net& each : n) fill(each);
        const bool compiled = config().use_static_graph;
        auto r = static_graph([&](int k, Variable x) { return sum(n[k](x) * n[k](x)); }, "r");
        for (int i = 0; i < 6; ++i) {
            std::vector<std::thread> threads;
            for (int k = 0; k < 3; ++k)
                threads.emplace_back([&, k] {
                    auto s = using_config(&Config::use_static_graph, compiled);
                    n[k].cleargrads();
                    r(k, numbers({2 + (i + k) % 2, 5}, i + k)).backward();
                });
            for (std::thread& thread : threads) thread.join();
            for (Net& each : n) push_gradients(out, each);
        }
    });
}

}  // namespace
}  // namespace catena::ordinary
