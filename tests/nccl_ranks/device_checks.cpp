// What the checks of tests/distributed leave out: arrays that lie on the device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

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
    const int rank = world->rank(), size = world->size();

    /// Numbers of their own for each rank, from 0 to 100.
    static std::vector<int> numbers(int of_rank, int64_t n) {
        std::vector<int> all;
        for (int64_t i = 0; i < n; ++i) all.push_back(int((i * 7 + of_rank * 31) % 101));
        return all;
    }
    Array array(Dtype dtype, int of_rank, int64_t n) {
        const DeviceScope host(cpu_device());
        return Array::from(numbers(of_rank, n), {n}).astype(dtype).to(device);
    }
    /// It has come where it should, with the numbers of that rank.
    void expect(const Array& y, Dtype dtype, int of_rank, int64_t n) {
        EXPECT_EQ(&y.device(), has_nccl() ? static_cast<Device*>(&device) : &cpu_device());
        EXPECT_EQ(y.type(), (Type{dtype, {n}}));
        EXPECT_EQ(y.to_vector<int>(), array(dtype, of_rank, n).to_vector<int>())
            << "of rank " << of_rank;
    }
};

/// How often calls of NCCL's were made since this began to count.
class NcclCalls {
public:
    explicit NcclCalls(const char* name) : name_(name), before_(nccl_double_count(name)) {}
    int now() const { return nccl_double_count(name_) - before_; }

private:
    const char* name_;
    int before_;
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

constexpr Dtype all_dtypes[] = {Dtype::bool_,   Dtype::int8,   Dtype::uint8,   Dtype::int16,
                                Dtype::int32,   Dtype::int64,  Dtype::float16, Dtype::bfloat16,
                                Dtype::float32, Dtype::float64};

/// Of several pieces of the double's, of few elements and of none.
TEST_F(DeviceRanks, move_arrays_of_every_dtype_by_nccl) {
    const int root = size - 1, by_nccl = has_nccl();
    for (const int64_t n : {int64_t(0), int64_t(1), int64_t(5), int64_t(300'000)})
        for (const Dtype dtype : all_dtypes) {
            if (n > 5 && size_of(dtype) != 2) continue;
            SCOPED_TRACE(fmt::format("{}[{}]", name_of(dtype), n));
            const NcclCalls broadcasts("ncclBroadcast"), gathers("ncclAllGather"),
                groups("ncclGroupEnd");
            const int moved = n > 0 ? by_nccl : 0;
            expect(world->bcast(rank == root ? array(dtype, root, n) : Array(), root), dtype, root,
                   n);
            EXPECT_EQ(broadcasts.now(), moved);
            const std::vector<Array> all = world->allgather(array(dtype, rank, n));
            for (int r = 0; r < size; ++r) expect(all[size_t(r)], dtype, r, n);
            EXPECT_EQ(gathers.now(), moved);
            EXPECT_EQ(groups.now(), 0);
            const std::vector<Array> gathered = world->gather(array(dtype, rank, n + rank), root);
            ASSERT_EQ(gathered.size(), rank == root ? size_t(size) : 0);
            for (size_t r = 0; r < gathered.size(); ++r)
                expect(gathered[r], dtype, int(r), n + int64_t(r));
            std::vector<Array> parts, to_all;
            for (int r = 0; r < size; ++r) parts.push_back(array(dtype, r, n + r));
            expect(world->scatter(rank == root ? parts : std::vector<Array>(), root), dtype, rank,
                   n + rank);
            for (int r = 0; r < size; ++r) to_all.push_back(array(dtype, rank, n + rank + r));
            const std::vector<Array> from_all = world->alltoall(to_all);
            for (int r = 0; r < size; ++r) expect(from_all[size_t(r)], dtype, r, n + r + rank);
            EXPECT_LE(groups.now(), by_nccl * 3);
        }
}

TEST_F(DeviceRanks, move_views_and_several_dimensions) {
    const Array x = array(Dtype::float32, rank, 12).view({4, 3}, {1, 4}, 0);
    const std::vector<Array> all = world->allgather(x);
    for (int r = 0; r < size; ++r) {
        EXPECT_EQ(all[size_t(r)].shape(), (Shape{4, 3}));
        EXPECT_EQ(all[size_t(r)].to_vector<int>(),
                  array(Dtype::float32, r, 12).view({4, 3}, {1, 4}, 0).to_vector<int>());
    }
    EXPECT_EQ(world->bcast(rank == 0 ? x : Array(), 0).shape(), (Shape{4, 3}));
}

/// All go through the host then.
TEST_F(DeviceRanks, move_arrays_of_which_some_are_on_the_host) {
    const NcclCalls groups("ncclGroupEnd"), gathers("ncclAllGather");
    Array x = array(Dtype::int32, rank, 3);
    if (rank == 0) x = x.to(cpu_device());
    for (const Array& y : world->allgather(x)) EXPECT_TRUE(y.device().is_host());
    std::vector<Array> xs(size_t(size), array(Dtype::int32, rank, 3));
    xs[0] = x;
    const std::vector<Array> ys = world->alltoall(xs);
    for (int r = 0; r < size; ++r) EXPECT_EQ(ys[size_t(r)].to_vector<int>(), numbers(r, 3));
    EXPECT_EQ(gathers.now() + groups.now(), 0);
}

TEST_F(DeviceRanks, add_parts_of_every_dtype) {
    const double ranks_sum = size * (size + 1) / 2.0;
    for (const int64_t n : {int64_t(0), int64_t(3), int64_t(300'000)})
        for (const Dtype dtype : all_dtypes) {
            if (dtype == Dtype::bool_ || (n > 3 && size_of(dtype) != 2)) continue;
            SCOPED_TRACE(fmt::format("{}[{}]", name_of(dtype), n));
            const NcclCalls calls("ncclReduceScatter");
            std::vector<Array> xs;
            for (int r = 0; r < size; ++r)
                xs.push_back(Array::full({dtype, {n}}, (rank + 1) * (r + 1)));
            const Array y = world->reduce_scatter(xs);
            EXPECT_EQ(y.to_vector<double>(),
                      std::vector<double>(size_t(n), ranks_sum * (rank + 1)));
            const bool by_nccl = has_nccl() && dtype != Dtype::int16;
            EXPECT_EQ(y.device().is_host(), !by_nccl);
            EXPECT_EQ(calls.now(), by_nccl && n > 0 ? 1 : 0);
            if (!is_float(dtype)) continue;
            EXPECT_THAT(world->reduce_scatter(xs, Reduction::mean).to_vector<double>(),
                        ::testing::Each(::testing::DoubleNear(ranks_sum * (rank + 1) / size,
                                                              0.01 * ranks_sum * (rank + 1))));
        }
    // Parts of several types.
    std::vector<Array> xs;
    for (int r = 0; r < size; ++r) xs.push_back(array(Dtype::float32, rank, r + 1));
    const std::vector<float> y = world->reduce_scatter(xs).to_vector<float>();
    for (int i = 0; i <= rank; ++i) {
        float sum = 0;
        for (int r = 0; r < size; ++r) sum += float(numbers(r, size)[size_t(i)]);
        EXPECT_EQ(y[size_t(i)], sum);
    }
}

/// Sums of NCCL's are in its own order; who asks for the order of ranks gets it, by the host.
TEST_F(DeviceRanks, add_in_the_order_of_ranks_when_told_to) {
    if (has_nccl()) {
        EXPECT_EQ(world->sums(), Sums::engine);
    }
    world->set_sums(Sums::rank_order);
    const NcclCalls sums("ncclAllReduce"), parts("ncclReduceScatter");
    auto of = [](int r) {
        std::vector<float> x;
        for (int i = 0; i < 1000; ++i)
            x.push_back(std::sin(float(i + 1) * float(r + 1)) * std::pow(10.f, float(r % 3)));
        return x;
    };
    std::vector<float> expected = of(0);
    for (int r = 1; r < size; ++r)
        for (size_t i = 0; i < expected.size(); ++i) expected[i] += of(r)[i];
    const Array x = Array::from(of(rank), {1000}).to(device);
    const Array y = world->allreduce(x);
    EXPECT_EQ(&y.device(), &device);
    EXPECT_EQ(y.to_vector<float>(), expected);
    EXPECT_EQ(world->reduce_scatter(std::vector<Array>(size_t(size), x)).to_vector<float>(),
              expected);
    Array bucket = world->transfer_buffer(x.type(), device);
    copy_elements(x, bucket);
    EXPECT_EQ(
        world->wait_started(world->start_allreduce(bucket, Reduction::sum)).to_vector<float>(),
        expected);
    EXPECT_EQ(sums.now() + parts.now(), 0);
    world->set_sums({});
}

TEST_F(DeviceRanks, find_calls_that_differ_before_nccl_is_called) {
    if (size == 1) return;
    const NcclCalls broadcasts("ncclBroadcast"), gathers("ncclAllGather");
    const Array x = array(Dtype::float32, rank, 3);
    EXPECT_THROW(rank == 0 ? world->bcast(x, 0) : world->allgather(x)[0], CommunicationError);
    EXPECT_THROW(world->allgather(array(Dtype::float32, rank, 3 + rank)), ShapeError);
    EXPECT_THROW(world->allgather(array(rank ? Dtype::int32 : Dtype::float32, rank, 3)),
                 DtypeError);
    EXPECT_THROW(world->bcast(x, rank), CommunicationError);
    EXPECT_EQ(broadcasts.now() + gathers.now(), 0);
    expect(world->bcast(rank == 0 ? x : Array(), 0), Dtype::float32, 0, 3);
}

/// A rank whose GPU has not begun the first sum has given NCCL all of them.
TEST_F(DeviceRanks, have_several_buckets_on_their_way) {
    if (!has_nccl()) GTEST_SKIP() << "this communicator adds on the host";
    constexpr int buckets = 6;
    const NcclCalls calls("ncclAllReduce");
    nccl_double_hold(rank == 0);
    std::vector<int64_t> tickets;
    for (int i = 0; i < buckets; ++i) {
        Array bucket = world->transfer_buffer({Dtype::float32, {1000 + i}}, device);
        copy_elements(Array::full(bucket.type(), i + rank), bucket);
        tickets.push_back(world->start_allreduce(std::move(bucket), Reduction::sum, i));
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (calls.now() < buckets && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(calls.now(), buckets);
    nccl_double_hold(false);
    for (const int i : {3, 0, 5, 1, 2, 4})
        EXPECT_EQ(world->wait_started(tickets[size_t(i)]).to_vector<int>(),
                  std::vector<int>(size_t(1000 + i), i * size + size * (size - 1) / 2));
    EXPECT_GE(world->statistics().background_seconds, world->statistics().hidden_seconds());
    // Calls have their turn behind buckets that are on their way.
    Array bucket = world->transfer_buffer({Dtype::float32, {100'000}}, device);
    copy_elements(Array::full(bucket.type(), 1), bucket);
    const int64_t ticket = world->start_allreduce(bucket, Reduction::sum);
    EXPECT_EQ(world->allreduce(Array::full({Dtype::float32, {2}}, 1)).to_vector<int>(),
              std::vector<int>(2, size));
    EXPECT_EQ(world->wait_started(ticket).to_vector<int>(), std::vector<int>(100'000, size));
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
