// What the checks of tests/distributed leave out: arrays that lie on the device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nccl.h>

#include "runtime/core/array/code_device.h"
#include "tests/cuda/emulated_device.h"
#include "tests/distributed/training.h"
#include "tests/distributed_ranks/world.h"
#include "tests/nccl_double/nccl_double.h"

namespace catena {
namespace {

using testing::EmulatedDevice;

class DeviceRanks : public ::testing::Test {
protected:
    bool has_nccl() const { return world->name() == "nccl"; }
    CodeDevice& device = EmulatedDevice::instance();
    DeviceScope scope{device};
};

TEST_F(DeviceRanks, add_arrays_of_every_dtype_where_they_are) {
    for (Dtype dtype : {Dtype::int8, Dtype::uint8, Dtype::int16, Dtype::int32, Dtype::int64,
                        Dtype::float16, Dtype::bfloat16, Dtype::float32, Dtype::float64}) {
        SCOPED_TRACE(name_of(dtype));
        const int before = nccl_double_count("ncclAllReduce");
        Array x = Array::full({dtype, {3}}, world->rank() + 1), y = world->allreduce(x);
        EXPECT_EQ(y.device().name(), "emulated");
        EXPECT_EQ(y.to_vector<int>(), std::vector<int>(3, world->size() * (world->size() + 1) / 2));
        EXPECT_EQ(x.to_vector<int>(), std::vector<int>(3, world->rank() + 1));
        const bool by_nccl = has_nccl() && dtype != Dtype::int16;
        EXPECT_EQ(nccl_double_count("ncclAllReduce") - before, by_nccl ? 1 : 0);
    }
    EXPECT_THROW(world->allreduce(Array::full({Dtype::bool_, {3}}, 1)), DtypeError);
    EXPECT_THROW(world->allreduce(Array::full({Dtype::int32, {3}}, 1), Reduction::mean),
                 DtypeError);
    EXPECT_EQ(world->allreduce(Array::zeros({Dtype::float32, {0, 4}})).shape(), (Shape{0, 4}));
    EXPECT_EQ(world->allreduce(Array::full({Dtype::float32, {}}, world->rank()), Reduction::mean)
                  .item<float>(),
              float(world->size() - 1) / 2);
}

/// More than one piece of the double's, and a view that is not contiguous.
TEST_F(DeviceRanks, add_large_arrays_and_views) {
    Array x = Array::full({Dtype::float64, {3, 100000}}, world->rank());
    const double sum = world->size() * (world->size() - 1) / 2.0;
    EXPECT_EQ(world->allreduce(x).to_vector<double>(), std::vector<double>(300000, sum));
    EXPECT_EQ(world->allreduce(x.view({100000, 3}, {1, 100000}, 0)).to_vector<double>(),
              std::vector<double>(300000, sum));
}

TEST_F(DeviceRanks, split_and_add_in_their_parts) {
    auto part = world->split(world->rank() % 2, 0);
    Array x = Array::full({Dtype::float32, {5}}, 1);
    EXPECT_EQ(part->allreduce(x).to_vector<float>(), std::vector<float>(5, float(part->size())));
    world->barrier();
}

TEST_F(DeviceRanks, give_what_they_move_on_the_same_device) {
    Variable x(Array::full({Dtype::float32, {3}}, world->rank()));
    for (const Variable& y : parallel::allgather(*world, x)) EXPECT_EQ(&y.device(), &device);
    EXPECT_EQ(&parallel::bcast(*world, x).device(), &device);
    EXPECT_EQ(&parallel::allreduce(*world, x).device(), &device);
    world->barrier();
}

TEST_F(DeviceRanks, have_differentiable_functions) { check_functions(*world); }
TEST_F(DeviceRanks, train_as_one_rank_does) { check_training(world); }
TEST_F(DeviceRanks, divide_the_update) { check_sharding(world, false); }
TEST_F(DeviceRanks, double_buffering_uses_the_gradients_of_before) {
    check_double_buffering(world);
}
TEST_F(DeviceRanks, the_first_update_makes_parameters_equal) { check_first_update(world); }

/// A model that was moved, on a thread whose new arrays are the host's.
TEST_F(DeviceRanks, train_without_a_scope) {
    auto train_on = [](Device& place, const std::shared_ptr<Communicator>& comm) {
        DeviceScope host(cpu_device());
        set_seed(3);
        SmallNet net;
        net.to_device(place);
        MomentumSGD optimizer(0.1);
        optimizer.setup(net);
        if (comm) create_multi_node_optimizer(optimizer, comm);
        Variable x(Array::full({Dtype::float32, {4, 6}}, 0.5).to(place), false);
        Variable t(Array::from<int32_t>({0, 2, 1, 1}).to(place), false);
        auto step = static_graph([&] {
            Variable loss = softmax_cross_entropy(net(x), t);
            net.cleargrads();
            optimizer.backward(loss);
            optimizer.update();
            return loss;
        });
        for (int i = 0; i < 4; ++i) step();
        return net.l1.W.array();
    };
    const Array there = train_on(device, world), here = train_on(cpu_device(), nullptr);
    EXPECT_EQ(&there.device(), &device);
    EXPECT_THAT(there.to_vector<float>(),
                ::testing::Pointwise(::testing::FloatNear(1e-5f), here.to_vector<float>()));
}

TEST_F(DeviceRanks, gradients_do_not_leave_the_device) {
    if (!has_nccl()) GTEST_SKIP() << "this communicator reads the host's memory";
    for (bool compiled : {false, true}) {
        SCOPED_TRACE(compiled);
        const long elements = nccl_double_elements();
        const int calls = nccl_double_count("ncclAllReduce");
        const int64_t host_calls = kernel_provider().host_calls();
        train({.communicator = world, .compiled = compiled, .last_step = 4});
        EXPECT_EQ(nccl_double_elements() - elements, 4 * (6 * 16 + 16 + 16 * 3 + 3));
        EXPECT_EQ(nccl_double_count("ncclAllReduce") - calls, 4) << "one bucket a step";
        EXPECT_EQ(kernel_provider().host_calls(), host_calls);
        EXPECT_EQ(nccl_double_last_type(), int(ncclFloat32));
    }
}

TEST_F(DeviceRanks, send_halves_when_told_to) {
    if (!has_nccl()) GTEST_SKIP() << "this communicator reads the host's memory";
    world->set_config("allreduce_grad_dtype", "float16");
    train({.communicator = world, .last_step = 2});
    world->set_config("allreduce_grad_dtype", "");
    EXPECT_EQ(nccl_double_last_type(), int(ncclFloat16));
}

}  // namespace
}  // namespace catena
