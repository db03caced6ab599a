// Objects, several arrays in a call, ragged datasets and recurrent layers over several ranks.
#include "frontend/parallel/objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/catena.h"
#include "frontend/parallel/multi_node_n_step_rnn.h"
#include "runtime/comm/local.h"

namespace catena {
namespace {

using Comm = std::shared_ptr<Communicator>;

TEST(Objects, are_sent_gathered_and_added) {
    for (const int size : {1, 3})
        run_local(size, [&](const Comm& comm) {
            const int rank = comm->rank();
            const Example own({"n", "x"}, {Array::scalar(int64_t(rank + 1)),
                                           Array::full({Dtype::float32, {2}}, rank)});
            const Example of_last = bcast_obj(*comm, own, size - 1);
            EXPECT_EQ(of_last["n"].item<int64_t>(), size);
            EXPECT_TRUE(of_last.is_dict());
            const std::vector<Example> at_root = gather_obj(*comm, own, 0);
            ASSERT_EQ(at_root.size(), rank == 0 ? size_t(size) : 0);
            const std::vector<Example> all = allgather_obj(*comm, own);
            for (int r = 0; r < size; ++r) {
                EXPECT_EQ(all[size_t(r)]["x"].to_vector<float>(), std::vector<float>(2, float(r)));
                if (rank == 0) {
                    EXPECT_EQ(at_root[size_t(r)]["n"].item<int64_t>(), r + 1);
                }
            }
            const Example sum = allreduce_obj(*comm, own);
            EXPECT_EQ(sum["n"].item<int64_t>(), size * (size + 1) / 2);
            EXPECT_EQ(sum["x"].to_vector<float>(),
                      std::vector<float>(2, float(size * (size - 1) / 2)));
            if (size == 1) return;
            EXPECT_THROW(allreduce_obj(*comm, Array::zeros({Dtype::float32, {rank + 1}})),
                         ValueError);
            const std::vector<Array> arrays{Array::scalar(1.5), Array::from<int32_t>({1, 2}),
                                            Array::zeros({Dtype::bool_, {0, 2}})};
            if (rank == 0) send_arrays(*comm, arrays, 1, 3);
            if (rank == 1) {
                const std::vector<Array> got = recv_arrays(*comm, 0, 3);
                ASSERT_EQ(got.size(), 3u);
                EXPECT_EQ(got[0].item<double>(), 1.5);
                EXPECT_EQ(got[1].to_vector<int32_t>(), (std::vector<int32_t>{1, 2}));
                EXPECT_EQ(got[2].shape(), Shape({0, 2}));
            }
        });
}

TEST(Objects, examples_of_different_shapes_are_scattered) {
    for (const bool shuffle : {false, true})
        run_local(3, [&](const Comm& comm) {
            std::optional<Dataset> data;
            if (comm->rank() == 0) {
                std::vector<Example> all;
                for (int64_t n = 0; n < 7; ++n)
                    all.push_back(
                        {Array::full({Dtype::float32, {n}}, double(n)), Array::scalar(int32_t(n))});
                data = Dataset(std::move(all));
            }
            const Dataset mine = scatter_dataset(
                data, *comm, {.shuffle = shuffle, .seed = 1, .force_equal_length = false});
            Array counts = Array::zeros({Dtype::int64, {7}});
            for (int64_t i = 0; i < mine.size(); ++i) {
                const int32_t n = mine[i][1].item<int32_t>();
                EXPECT_EQ(mine[i][0].to_vector<float>(), std::vector<float>(size_t(n), float(n)));
                counts.data<int64_t>()[n] += 1;
            }
            EXPECT_EQ(comm->allreduce(counts).to_vector<int64_t>(), std::vector<int64_t>(7, 1));
            EXPECT_EQ(scatter_dataset(data, *comm).size(), 3);
        });
}

TEST(Tuples, are_sent_with_gradients) {
    for (const bool compiled : {false, true})
        run_local(2, [&](const Comm& comm) {
            const auto use = using_config(&Config::use_static_graph, compiled);
            auto step = static_graph(
                [&](const Variable& x, const Variable& z) {
                    if (comm->rank() == 0) {
                        const Variable xs[] = {x * 2, z * 3};
                        return parallel::send(*comm, xs, 1, 5);
                    }
                    const Variables got = parallel::recv_tuple(*comm, 0, 2, Variable(), 5);
                    return sum(got[0] * x) + sum(got[1] * 10);
                },
                {.audit = Audit::never});
            for (int i = 0; i < 3; ++i) {
                const Variable x(Array::full({Dtype::float32, {3}}, i + 1)),
                    z(Array::full({Dtype::float32, {2}}, i + 4));
                const Variable y = step(x, z);
                if (comm->rank() == 1) {
                    EXPECT_EQ(y.item<float>(), 3 * 2 * (i + 1) * (i + 1) + 2 * 3 * (i + 4) * 10);
                }
                if (comm->rank() == 0) y.set_grad(Array::zeros(y.type()));
                y.backward();
                if (comm->rank() == 1) continue;
                EXPECT_EQ(x.grad().to_vector<float>(), std::vector<float>(3, float(2 * (i + 1))));
                EXPECT_EQ(z.grad().to_vector<float>(), std::vector<float>(2, 30));
            }
            EXPECT_THROW(parallel::send(*comm, std::span<const Variable>(), 1 - comm->rank()),
                         ValueError);
            EXPECT_THROW(parallel::recv_tuple(*comm, 1 - comm->rank(), 0), ValueError);
        });
}

/// Two ranks have a half of each sequence.
template <class L>
void check_split_sequences(const L& layers) {
    const std::vector<Variable> first{Variable(Array::full({Dtype::float32, {2, 3}}, 0.3)),
                                      Variable(Array::full({Dtype::float32, {1, 3}}, -0.4))},
        second{Variable(Array::full({Dtype::float32, {1, 3}}, 0.8)),
               Variable(Array::full({Dtype::float32, {3, 3}}, 0.1))};
    const std::vector<Variable> whole{concat({first[0], second[0]}, 0),
                                      concat({first[1], second[1]}, 0)};
    const L alone = layers;
    Variable hy;
    if constexpr (std::derived_from<L, NStepMemory>)
        hy = alone(Variable(), Variable(), whole).hy;
    else
        hy = alone(Variable(), whole).hy;
    sum(square(hy)).backward();
    run_local(2, [&](const Comm& comm) {
        const int rank = comm->rank();
        const auto part =
            create_multi_node_n_step_rnn(layers, *comm, rank == 1 ? std::optional(0) : std::nullopt,
                                         rank == 0 ? std::optional(1) : std::nullopt);
        const MultiNodeNStepResult result = part(rank == 0 ? first : second);
        EXPECT_EQ(result.delegate.defined(), rank == 0);
        if (rank == 0) {
            result.delegate.set_grad(Array::zeros(result.delegate.type()));
            result.delegate.backward();
        } else {
            EXPECT_THAT(
                result.cells[0].array().to_vector<float>(),
                ::testing::Pointwise(::testing::FloatNear(1e-6f), hy.array().to_vector<float>()));
            Variable loss = sum(square(result.cells[0]));
            if (result.cells.size() > 1) loss = loss + 0 * sum(result.cells[1]);
            loss.backward();
        }
        const auto mine = part.actual_rnn.namedparams(), expected = alone.namedparams();
        for (size_t i = 0; i < mine.size(); ++i) {
            const Array sum = comm->allreduce(mine[i].second->grad()),
                        whole_gradient = expected[i].second->grad();
            EXPECT_THAT(sum.to_vector<float>(),
                        ::testing::Pointwise(::testing::FloatNear(1e-5f),
                                             whole_gradient.to_vector<float>()))
                << mine[i].first;
        }
    });
}

TEST(MultiNodeNStepRNN, is_the_layer_over_the_whole_sequence) {
    check_split_sequences(NStepLSTM(2, 3, 4, 0));
    check_split_sequences(NStepGRU(1, 3, 4, 0));
    check_split_sequences(NStepRNNTanh(2, 3, 4, 0));
}

}  // namespace
}  // namespace catena
