#include "tests/distributed/training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>

#include "frontend/compiler/compiler_loader.h"

namespace catena {
namespace {

// One rank adds up B rows, k ranks their parts and then the parts: float32 sums differ in the last
// bits, and six steps of Adam, which divides by the gradient's size, enlarge that.
constexpr double tolerance = 2e-5;

std::pair<Variable, Variable> rows(int step, int64_t begin, int64_t end) {
    std::vector<float> x;
    std::vector<int32_t> t;
    for (int64_t row = begin; row < end; ++row) {
        for (int64_t i = 0; i < 6; ++i)
            x.push_back(float(std::sin(double(step * 131 + row * 17 + i * 3))));
        t.push_back(int32_t((step + row) % 3));
    }
    return {Variable(Array::from(x, {end - begin, 6}), false),
            Variable(Array::from(t, {end - begin}), false)};
}

void expect_near(const std::vector<float>& a, const std::vector<float>& b, double allowed) {
    ASSERT_EQ(a.size(), b.size());
    double worst = 0;
    for (size_t i = 0; i < a.size(); ++i)
        worst = std::max(worst, double(std::abs(a[i] - b[i])) / std::max(1.f, std::abs(b[i])));
    EXPECT_LE(worst, allowed);
}

void expect_same_everywhere(Communicator& comm, const std::vector<float>& values) {
    for (const Array& other : comm.allgather(Array::from(values, {int64_t(values.size())})))
        EXPECT_EQ(other.to_vector<float>(), values);
}

}  // namespace

std::vector<float> parameters_of(Link& model) {
    std::vector<float> all;
    for (Parameter* p : model.params())
        for (float v : p->array().to_vector<float>()) all.push_back(v);
    return all;
}

Variable wave_rows(int seed, int64_t features) {
    std::vector<float> x;
    for (int i = 0; i < 4 * features; ++i) x.push_back(float(std::sin(seed * 131 + i * 1.7)));
    return Variable(Array::from(x, {4, features}), false);
}

std::vector<float> train(const TrainingRun& run) {
    const int rank = run.communicator ? run.communicator->rank() : 0,
              size = run.communicator ? run.communicator->size() : 1;
    auto use = using_config(&Config::use_static_graph, run.compiled);
    set_seed(run.seed);
    SmallNet net;
    Adam adam(0.01);
    adam.setup(net);
    if (run.communicator) create_multi_node_optimizer(adam, run.communicator, run.exchange);
    auto loss_of = [&](const Variable& x, const Variable& t) {
        return softmax_cross_entropy(net(x), t);
    };
    auto step = static_graph(
        [&](const Variable& x, const Variable& t) {
            if (run.style == TrainingRun::update_with_loss) {
                adam.update(loss_of, x, t);
                return;
            }
            Variable loss = loss_of(x, t);
            net.cleargrads();
            if (run.style == TrainingRun::plain_backward)
                loss.backward();
            else
                adam.backward(loss);
            adam.update();
        },
        {});
    std::optional<MultiNodeSnapshot> snapshot;
    if (run.communicator && !run.snapshot.empty()) snapshot = multi_node_snapshot(run.communicator);
    if (snapshot && run.first_step > 0)
        snapshot->load(
            run.snapshot,
            [&](const std::string& file) {
                load_npz(file + ".model", net);
                load_npz(file + ".state", adam);
            },
            net, &adam);
    for (int s = run.first_step; s < run.last_step; ++s) {
        if (s == run.dies_at && rank == 1) std::raise(SIGKILL);
        auto [x, t] = rows(s, batch_rows * rank / size, batch_rows * (rank + 1) / size);
        step(x, t);
        if (snapshot)
            snapshot->save(run.snapshot, [&](const std::string& file) {
                save_npz(file + ".model", net);
                save_npz(file + ".state", adam);
            });
    }
    return parameters_of(net);
}

void check_training(const std::shared_ptr<Communicator>& comm) {
    std::vector<float> one = train({});
    auto check = [&](TrainingRun run, double allowed = tolerance) {
        run.communicator = comm;
        for (bool compiled : {false, true}) {
            if (compiled && !compiler_available()) continue;
            SCOPED_TRACE(fmt::format("{}, style {}, {} bytes a bucket, {}",
                                     compiled ? "compiled" : "eager", int(run.style),
                                     run.exchange.bucket_bytes.value_or(-1),
                                     run.exchange.overlap ? "overlapping" : "at the end"));
            run.compiled = compiled;
            std::vector<float> many = train(run);
            expect_near(many, one, allowed);
            expect_same_everywhere(*comm, many);
        }
    };
    check({.style = TrainingRun::update_with_loss});
    check({.style = TrainingRun::backward_by_optimizer});
    check({.style = TrainingRun::plain_backward});
    check({.exchange = {.bucket_bytes = 0}});
    check({.exchange = {.bucket_bytes = 100, .overlap = false}});
    check({.exchange = {.allreduce_grad_dtype = Dtype::float64}});
    check({.exchange = {.allreduce_grad_dtype = Dtype::float16}}, 0.02);
}

/// Ranks that update parts end with the bits of ranks that each update all.
void check_sharding(const std::shared_ptr<Communicator>& comm, bool to_the_bit) {
    for (bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        SCOPED_TRACE(compiled ? "compiled" : "eager");
        const auto trained = [&](bool shard) {
            return train(
                {.communicator = comm, .compiled = compiled, .exchange = {.shard = shard}});
        };
        expect_near(trained(true), trained(false), to_the_bit ? 0 : tolerance);
    }
}

/// The update of step s uses the gradients of step s - 1, taken at the parameters of then.
void check_double_buffering(const std::shared_ptr<Communicator>& comm) {
    auto eager =
        train({.communicator = comm, .exchange = {.double_buffering = true}, .last_step = 5});
    expect_same_everywhere(*comm, eager);
    // By hand: gradients at the parameters of before the last update.
    set_seed(3);
    SmallNet net;
    Adam adam(0.01);
    adam.setup(net);
    std::vector<Array> previous;
    for (int s = 0; s < 5; ++s) {
        auto [x, t] = rows(s, 0, batch_rows);
        net.cleargrads();
        softmax_cross_entropy(net(x), t).backward();
        std::vector<Array> now;
        for (Parameter* p : net.params()) now.push_back(p->grad());
        if (!previous.empty()) {
            size_t i = 0;
            for (Parameter* p : net.params()) p->set_grad(previous[i++]);
            adam.update();
        }
        previous = now;
    }
    expect_near(eager, parameters_of(net), tolerance);
    if (compiler_available())
        expect_near(train({.communicator = comm,
                           .compiled = true,
                           .exchange = {.double_buffering = true},
                           .last_step = 5}),
                    eager, tolerance);
    comm->barrier();
}

/// Ranks that begin with different parameters get those of rank 0 at the first update, which
/// changes nothing else, in a region too.
void check_first_update(const std::shared_ptr<Communicator>& comm) {
    for (bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        SCOPED_TRACE(compiled ? "compiled" : "eager");
        set_seed(3);
        SmallNet root;
        std::vector<float> of_root = parameters_of(root);
        auto after = [&](int steps, int64_t seed) {
            return train(
                {.communicator = comm, .compiled = compiled, .seed = seed, .last_step = steps});
        };
        std::vector<float> first = after(1, 3 + comm->rank());
        EXPECT_EQ(first, comm->size() > 1 ? of_root : after(1, 3));
        std::vector<float> later = after(4, 3 + comm->rank());
        expect_same_everywhere(*comm, later);
        EXPECT_NE(later, of_root);
    }
}

}  // namespace catena
