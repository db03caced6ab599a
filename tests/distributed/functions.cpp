// The differentiable functions, on all ranks at once. The loss of rank r is sum(y * (r + 1)), so
// that every gradient says which ranks it came from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/compiler/compiler_loader.h"
#include "tests/distributed/training.h"

namespace catena {
namespace {

using parallel::pseudo_connect;

struct Outcome {
    std::vector<float> y, gx;
};

/// Values of f(x) and the gradient of its loss towards x, of the call after `calls` others. With
/// `compiled` f is a region.
Outcome run(Communicator& comm, bool compiled, const std::function<Variable(const Variable&)>& f) {
    auto use = using_config(&Config::use_static_graph, compiled);
    auto region = static_graph(f, {.audit = Audit::never});
    Outcome outcome;
    for (int call = 0; call < 3; ++call) {
        Variable x(Array::full({Dtype::float32, {3}}, comm.rank() + 10.0 * call));
        Variable y = region(x);
        outcome.y = y.array().to_vector<float>();
        sum(y * float(comm.rank() + 1)).backward();
        outcome.gx = x.grad().defined() ? x.grad().to_vector<float>() : std::vector<float>();
    }
    return outcome;
}

std::vector<float> threes(double value) { return std::vector<float>(3, float(value)); }

void check(Communicator& comm, const char* what, const std::function<Variable(const Variable&)>& f,
           const std::vector<float>& y, const std::vector<float>& gx) {
    for (bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        SCOPED_TRACE(std::string(what) + (compiled ? " compiled" : " eager") + " rank " +
                     std::to_string(comm.rank()));
        Outcome outcome = run(comm, compiled, f);
        EXPECT_EQ(outcome.y, y);
        EXPECT_EQ(outcome.gx, gx);
    }
}

}  // namespace

void check_functions(Communicator& comm) {
    const int k = comm.size(), rank = comm.rank(), root = k - 1;
    const double ranks = k * (k - 1) / 2.0,
                 weights = k * (k + 1) / 2.0;  // Sums of r and of r + 1; x is r + 20.
    check(
        comm, "allreduce", [&](const Variable& x) { return parallel::allreduce(comm, x); },
        threes(ranks + 20 * k), threes(weights));
    check(
        comm, "mean",
        [&](const Variable& x) { return parallel::allreduce(comm, x, Reduction::mean); },
        threes((ranks + 20 * k) / k), threes(weights / k));
    check(
        comm, "allgather", [&](const Variable& x) { return parallel::allgather(comm, x)[0]; },
        threes(20), threes(rank == 0 ? weights : 0));
    check(
        comm, "bcast",
        [&](const Variable& x) {
            return parallel::bcast(comm, rank == root ? x : Variable(), root);
        },
        threes(root + 20), rank == root ? threes(weights) : std::vector<float>());
    check(
        comm, "alltoall",
        [&](const Variable& x) {
            std::vector<Variable> xs;
            for (int r = 0; r < k; ++r) xs.push_back(x * float(r + 1));
            Variables ys = parallel::alltoall(comm, xs);
            return add(
                std::span<const Variable>(ys.begin(), ys.end()));  // From rank s: x_s (rank + 1).
        },
        threes((ranks + 20 * k) * (rank + 1)), threes([&] {
            double g = 0;
            for (int r = 0; r < k; ++r) g += (r + 1) * (r + 1);
            return g;
        }()));
    check(
        comm, "gather and scatter",
        [&](const Variable& x) {
            Variables all = parallel::gather(comm, x, root);
            std::vector<Variable> back;
            if (rank == root)
                for (int r = 0; r < k; ++r) back.push_back(all[size_t(r)] * 2.f);
            Variable y = parallel::scatter(comm, back, root);
            return rank == root ? y : pseudo_connect(all[0], y);
        },
        threes(2 * (rank + 20)), threes(2 * (rank + 1)));
    if (k == 1) {
        EXPECT_THROW(parallel::send(comm, Variable(Array::scalar(1.f)), 0), ValueError);
        return;
    }
    // Even ranks send to the next, which doubles; with an odd number of ranks the last one is idle.
    if (rank % 2 == 0 && rank + 1 < k)
        check(
            comm, "send",
            [&](const Variable& x) {
                return pseudo_connect(parallel::send(comm, x, rank + 1, 5),
                                      Variable(Array::zeros({Dtype::float32, {3}}), false));
            },
            threes(0), threes(2 * (rank + 2)));
    else if (rank % 2 == 1)
        check(
            comm, "recv",
            [&](const Variable& x) {
                return parallel::recv(comm, rank - 1, Variable(), 5) * 2.f + x;
            },
            threes(2 * (rank - 1 + 20) + rank + 20), threes(rank + 1));
    comm.barrier();
}

}  // namespace catena
