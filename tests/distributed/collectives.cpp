#include "tests/distributed/collectives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace catena {
namespace {

/// Numbers of a rank whose sum depends on the order of addition.
std::vector<float> numbers_of(int rank, int64_t n) {
    std::vector<float> values(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
        values[size_t(i)] =
            std::sin(float(i + 1) * float(rank + 1)) * std::pow(10.f, float(rank % 3));
    return values;
}

std::vector<float> sum_in_order(int ranks, int64_t n) {
    std::vector<float> sum = numbers_of(0, n);
    for (int r = 1; r < ranks; ++r) {
        std::vector<float> part = numbers_of(r, n);
        for (size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
    }
    return sum;
}

void check_allreduce(Communicator& comm) {
    for (int64_t n : {0, 1, 3, 1000, 100003}) {
        Array x = Array::from(numbers_of(comm.rank(), n), {n});
        std::vector<float> expected = sum_in_order(comm.size(), n);
        EXPECT_EQ(comm.allreduce(x).to_vector<float>(), expected) << n;  // To the bit.
        for (float& e : expected) e /= float(comm.size());
        EXPECT_EQ(comm.allreduce(x, Reduction::mean).to_vector<float>(), expected) << n;
    }
    EXPECT_EQ(comm.allreduce(Array::scalar<int64_t>(comm.rank() + 1)).item<int64_t>(),
              comm.size() * (comm.size() + 1) / 2);
    Array half = Array::from<float>({0.1f, 2048.f}).astype(Dtype::float16);
    EXPECT_EQ(comm.allreduce(half, Reduction::mean).to_vector<float>(), half.to_vector<float>());
    EXPECT_THROW(comm.allreduce(Array::scalar<int32_t>(1), Reduction::mean), DtypeError);
}

void check_one_to_many(Communicator& comm) {
    const int root = comm.size() - 1;
    Array x = comm.rank() == root ? Array::from<float>({1, 2, 3, 4, 5, 6}).view({2, 3}, {3, 1}, 0)
                                  : Array();
    if (comm.rank() != root) {
        EXPECT_EQ(comm.type_of_bcast(root), (Type{Dtype::float32, {2, 3}}));
    }
    Array y = comm.bcast(x, root);
    EXPECT_EQ(y.shape(), (Shape{2, 3}));
    EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));

    std::vector<Array> xs;
    if (comm.rank() == root)
        for (int r = 0; r < comm.size(); ++r) xs.push_back(Array::full({Dtype::int32, {r + 1}}, r));
    EXPECT_EQ(comm.scatter(xs, root).to_vector<int>(),
              std::vector<int>(size_t(comm.rank() + 1), comm.rank()));

    std::vector<Array> gathered =
        comm.gather(Array::full({Dtype::float32, {comm.rank()}}, comm.rank()), root);
    ASSERT_EQ(int(gathered.size()), comm.rank() == root ? comm.size() : 0);
    for (size_t r = 0; r < gathered.size(); ++r)
        EXPECT_EQ(gathered[r].to_vector<float>(), std::vector<float>(r, float(r)));
}

void check_many_to_many(Communicator& comm) {
    std::vector<Array> all = comm.allgather(Array::from<double>({comm.rank() + 0.5}));
    for (size_t r = 0; r < all.size(); ++r)
        EXPECT_EQ(all[r].to_vector<double>()[0], double(r) + 0.5);
    std::vector<Array> xs;
    for (int r = 0; r < comm.size(); ++r)
        xs.push_back(Array::full({Dtype::int64, {r + 1}}, comm.rank()));
    std::vector<Array> ys = comm.alltoall(xs);
    for (int r = 0; r < comm.size(); ++r)
        EXPECT_EQ(ys[size_t(r)].to_vector<int>(), std::vector<int>(size_t(comm.rank() + 1), r));
    std::vector<Array> parts(size_t(comm.size()), Array::full({Dtype::float32, {2}}, comm.rank()));
    float total = float(comm.size() * (comm.size() - 1)) / 2;
    EXPECT_EQ(comm.reduce_scatter(parts).to_vector<float>(), (std::vector<float>{total, total}));
    EXPECT_EQ(comm.bcast_bytes(comm.rank() == 0 ? "hello" : "", 0), "hello");
    std::vector<std::string> texts = comm.allgather_bytes(std::string(size_t(comm.rank()), 'x'));
    for (size_t r = 0; r < texts.size(); ++r) EXPECT_EQ(texts[r], std::string(r, 'x'));
    comm.barrier();
}

/// Round the ring, two messages under different tags that are received in the other order.
void check_messages(Communicator& comm) {
    if (comm.size() == 1) {
        EXPECT_THROW(comm.send(Array::scalar(1.f), 0), ValueError);
        return;
    }
    const int next = (comm.rank() + 1) % comm.size(),
              previous = (comm.rank() + comm.size() - 1) % comm.size();
    auto send = [&] {
        comm.send(Array::full({Dtype::float32, {comm.rank() + 1}}, comm.rank()), next, 7);
        comm.send_bytes("from " + std::to_string(comm.rank()), next, 1);
    };
    auto receive = [&] {
        EXPECT_EQ(comm.type_of_recv(previous, 7), (Type{Dtype::float32, {previous + 1}}));
        EXPECT_EQ(comm.recv(previous, 7).to_vector<float>(),
                  std::vector<float>(size_t(previous + 1), float(previous)));
        EXPECT_EQ(comm.recv_bytes(previous, 1), "from " + std::to_string(previous));
    };
    if (comm.rank() == 0)
        send(), receive();
    else
        receive(), send();
    EXPECT_THROW(comm.send(Array::scalar(1.f), comm.size()), ValueError);
}

}  // namespace

void check_collectives(Communicator& comm) {
    EXPECT_EQ(comm.intra_rank(), comm.rank());
    EXPECT_EQ(comm.intra_size(), comm.size());
    EXPECT_EQ(comm.inter_rank(), 0);
    EXPECT_EQ(comm.inter_size(), 1);
    check_allreduce(comm);
    check_one_to_many(comm);
    check_many_to_many(comm);
    check_messages(comm);
}

void check_split(Communicator& comm) {
    // Even and odd ranks, backwards.
    auto part = comm.split(comm.rank() % 2, -comm.rank());
    EXPECT_EQ(part->size(), (comm.size() + 1 - comm.rank() % 2) / 2);
    EXPECT_EQ(part->rank(), part->size() - 1 - comm.rank() / 2);
    int expected = 0;
    for (int r = comm.rank() % 2; r < comm.size(); r += 2) expected += r;
    EXPECT_EQ(part->allreduce(Array::scalar<int32_t>(comm.rank())).item<int>(), expected);
    EXPECT_EQ(comm.split(comm.rank() == 0 ? 3 : -1, 0) == nullptr, comm.rank() != 0);
    // Groups that end in another order on each rank, one of them after the group that it is of.
    std::shared_ptr<Communicator> left;
    for (int i = 0; i < 6; ++i) {
        auto group = comm.split(0, comm.rank()), inner = group->split(0, -comm.rank());
        EXPECT_EQ(inner->rank(), comm.size() - 1 - comm.rank());
        if (comm.rank() % 2 == 0) group.reset();
        EXPECT_EQ(inner->allreduce(Array::scalar<int32_t>(1)).item<int>(), comm.size());
        left = inner;
    }
    comm.barrier();
}

namespace {

/// Memory of the communicator's own, which may move another way, or any.
Array buffer_of(Communicator& comm, int64_t n, bool of_communicator) {
    Array values = Array::from(numbers_of(comm.rank(), n), {n});
    if (!of_communicator) return values;
    Array buffer = comm.transfer_buffer(values.type());
    copy_elements(values, buffer);
    return buffer;
}

void check_transfer_buffers(Communicator& comm) {
    for (int64_t n : {1, 2, 7, 1000, 100003, 1000, 200000}) {
        std::vector<float> expected = sum_in_order(comm.size(), n);
        int64_t ticket = comm.start_allreduce(buffer_of(comm, n, true), Reduction::sum);
        EXPECT_EQ(comm.wait_started(ticket).to_vector<float>(), expected) << n;
    }
    // One rank alone has memory of another kind.
    int64_t ticket = comm.start_allreduce(buffer_of(comm, 1000, comm.rank() > 0), Reduction::sum);
    EXPECT_EQ(comm.wait_started(ticket).to_vector<float>(), sum_in_order(comm.size(), 1000));
    Array half = comm.transfer_buffer({Dtype::float16, {2}});
    copy_elements(Array::from<float>({0.1f, 2048.f}).astype(Dtype::float16), half);
    std::vector<float> before = half.to_vector<float>();
    EXPECT_EQ(comm.wait_started(comm.start_allreduce(half, Reduction::mean)).to_vector<float>(),
              before);
}

/// Blocks of all ranks, one after the other.
void check_blocks(Communicator& comm) {
    for (int64_t n : {0, 1, 7, 1000, 30011}) {
        const std::vector<float> sums = sum_in_order(comm.size(), n * comm.size());
        const auto own = sums.begin() + n * comm.rank();
        const int64_t ticket =
            comm.start_reduce_scatter(buffer_of(comm, n * comm.size(), n % 2), Reduction::sum, 3);
        EXPECT_EQ(comm.wait_started(ticket).to_vector<float>(), std::vector<float>(own, own + n));
        Array buffer = comm.transfer_buffer({Dtype::float32, {n * comm.size()}});
        copy_elements(Array::from(std::vector<float>(own, own + n), {n}),
                      buffer.view({n}, {1}, buffer.body()->offset + n * comm.rank()));
        EXPECT_EQ(comm.wait_started(comm.start_allgather(std::move(buffer))).to_vector<float>(),
                  sums);
    }
    if (comm.size() > 1) {
        EXPECT_THROW(comm.start_allgather(Array::zeros({Dtype::float32, {1}})), ValueError);
    }
}

}  // namespace

void check_background(Communicator& comm) {
    constexpr int64_t n = 5000;
    std::vector<int64_t> tickets;
    for (int i = 0; i < 5; ++i)
        tickets.push_back(comm.start_allreduce(buffer_of(comm, n, i % 2), Reduction::sum));
    comm.barrier();  // Has its turn behind them.
    EXPECT_EQ(comm.allreduce(Array::scalar<int32_t>(1)).item<int>(), comm.size());
    std::vector<float> expected = sum_in_order(comm.size(), n);
    for (int i : {2, 0, 1, 4, 3})
        EXPECT_EQ(comm.wait_started(tickets[size_t(i)]).to_vector<float>(), expected);
    EXPECT_THROW(comm.wait_started(tickets[0]), CommunicationError);
    int64_t share = int64_t(sizeof(float)) * n * 2 * (comm.size() - 1) / comm.size();
    EXPECT_NEAR(double(comm.statistics().background_bytes), double(5 * share),
                5 * 8.0 * comm.size());
    check_transfer_buffers(comm);
    check_blocks(comm);
}

}  // namespace catena
