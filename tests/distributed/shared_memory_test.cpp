#include "runtime/comm/shared_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <thread>

#include <sys/resource.h>

#include "runtime/comm/shared_block.h"
#include "tests/distributed/tcp_ranks.h"

namespace catena {
namespace {

int open_files() {
    std::filesystem::directory_iterator all("/proc/self/fd");
    return int(std::distance(begin(all), end(all)));
}

/// Sums `count` buckets of 1 MiB, all of them in the air at once.
void sum_buckets(Communicator& comm, int count) {
    const Type type{Dtype::float32, {1 << 18}};
    std::vector<int64_t> tickets;
    for (int i = 0; i < count; ++i) {
        Array bucket = comm.transfer_buffer(type);
        copy_elements(Array::full(type, comm.rank() + i), bucket);
        tickets.push_back(comm.start_allreduce(bucket, Reduction::sum));
    }
    for (int i = 0; i < count; ++i) {
        const Array sum = comm.wait_started(tickets[size_t(i)]);
        EXPECT_EQ(sum.elements<float>()[1000],
                  float(comm.size() * (comm.size() - 1) / 2 + i * comm.size()));
    }
}

TEST(SharedMemory, of_many_buckets_takes_few_descriptors) {
    const int before = open_files();
    const auto errors =
        run_tcp(3, file_place("buckets"), [&](const std::shared_ptr<Communicator>& comm) {
            comm->barrier();
            const int met = open_files();
            sum_buckets(*comm, 60);
            comm->barrier();
            EXPECT_LE(open_files() - met, 40);
            comm->barrier();
        });
    EXPECT_EQ(errors, std::vector<std::string>(3));
    EXPECT_LE(open_files() - before, 40);
}

/// The memory of `size` threads, in each of which f runs.
void on_shared_memory(int size, const std::function<void(int rank, SharedMemory&)>& f) {
    std::barrier all(size);
    std::vector<std::string> texts(static_cast<size_t>(size));
    std::vector<std::thread> threads;
    for (int r = 0; r < size; ++r)
        threads.emplace_back([&, r] {
            const auto memory = SharedMemory::create(r, size, [&](const std::string& own) {
                texts[size_t(r)] = own;
                all.arrive_and_wait();
                const std::vector<std::string> given = texts;
                all.arrive_and_wait();
                return given;
            });
            ASSERT_NE(memory, nullptr);
            f(r, *memory);
        });
    for (std::thread& thread : threads) thread.join();
}

/// Rank 1 sends its message and leaves, while rank 2 has not begun.
TEST(SharedMemory, a_rank_that_is_done_may_leave_before_others_begin) {
    std::promise<void> may_send[3], has_sent;
    int of_one = 0, of_two = 0;
    on_shared_memory(3, [&](int rank, SharedMemory& memory) {
        if (rank > 0) {
            may_send[rank].get_future().wait();
            const SharedMemory::Message message{0, &rank, sizeof rank};
            memory.transfer("test", {&message, 1}, {}, [](std::span<const int>) { return -1; });
            if (rank == 1) has_sent.set_value();
            return;
        }
        int asked = 0;
        const SharedMemory::Message messages[] = {{1, &of_one, sizeof of_one},
                                                  {2, &of_two, sizeof of_two}};
        EXPECT_NO_THROW(
            memory.transfer("test", {}, messages, [&](std::span<const int> late) -> int {
                if (asked++ == 0) {
                    EXPECT_THAT(late, ::testing::ElementsAre(1, 2));
                    may_send[1].set_value();
                    has_sent.get_future().wait();
                    return 1;
                }
                if (asked == 2) may_send[2].set_value();
                return -1;
            }));
    });
    EXPECT_EQ(of_one, 1);
    EXPECT_EQ(of_two, 2);
}

TEST(SharedMemory, of_growing_arrays_is_used_again) {
    std::map<void*, size_t> blocks;
    int64_t largest = 0;
    for (int i = 0; i < 200; ++i) {
        const Type type{Dtype::float32, {100'000 + i * 3000}};
        largest = 4 * (100'000 + i * 3000);
        const SharedBlock block = shared_block_of(*shared_array(type).storage());
        ASSERT_NE(block.data, nullptr);
        blocks[block.data] = block.bytes;
    }
    size_t all = 0;
    for (auto [data, bytes] : blocks) all += bytes;
    EXPECT_LT(all, size_t(8 * largest)) << blocks.size() << " blocks";
}

TEST(SharedMemory, pieces_of_a_block_do_not_overlap) {
    std::vector<Array> held;
    for (int i = 0; i < 100; ++i) {
        held.push_back(shared_array({Dtype::int32, {1 + i * 37 % 5000}}));
        copy_elements(Array::full(held.back().type(), i), held.back());
        if (i % 3 == 2) held[size_t(i) / 2] = Array();
    }
    for (size_t i = 0; i < held.size(); ++i)
        if (held[i].defined()) {
            EXPECT_EQ(held[i].to_vector<int>(), std::vector<int>(size_t(held[i].size()), int(i)))
                << i;
        }
}

/// No descriptor is left when the buckets are to be mapped.
TEST(SharedMemory, that_cannot_be_mapped_is_replaced_by_messages) {
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    std::vector<std::string> errors =
        run_tcp(2, file_place("unmapped"), [&](const std::shared_ptr<Communicator>& comm) {
            Array warm = comm->transfer_buffer({Dtype::float32, {1 << 18}});
            comm->barrier();
            if (comm->rank() == 0) {
                const rlimit none{3, before.rlim_max};
                setrlimit(RLIMIT_NOFILE, &none);
            }
            comm->barrier();
            const int64_t ticket = comm->start_allreduce(warm, Reduction::sum);
            comm->wait_started(ticket);
            sum_buckets(*comm, 3);
            comm->barrier();
            if (comm->rank() == 0) setrlimit(RLIMIT_NOFILE, &before);
            comm->barrier();
        });
    setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_EQ(errors, std::vector<std::string>(2));
}

}  // namespace
}  // namespace catena
