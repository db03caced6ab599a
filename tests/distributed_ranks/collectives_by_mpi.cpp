// MPI's own collectives, which ranks with shared memory do not use for small arrays, and ranks that
// add in rank order not for sums: with neither.
#include <gtest/gtest.h>

#include <cstdlib>

#include "runtime/comm/create.h"
#include "tests/distributed/collectives.h"
#include "tests/distributed/engine_sums.h"
#include "tests/distributed_ranks/world.h"

namespace catena {
namespace {

class CollectivesByMpi : public ::testing::Test {
protected:
    void SetUp() override {
        if (world->name() != "mpi") GTEST_SKIP() << "these ranks are not MPI's";
        setenv("CATENA_SHARED_MEMORY", "0", 1);
        comm = create_communicator("flat");
        unsetenv("CATENA_SHARED_MEMORY");
    }
    void TearDown() override { world->barrier(); }
    std::shared_ptr<Communicator> comm;
};

TEST_F(CollectivesByMpi, move_what_they_should) {
    check_collectives(*comm);
    check_background(*comm);
}

TEST_F(CollectivesByMpi, add_in_any_order) { check_engine_sums(*comm); }

/// MPI counts in int: with a lower limit, several calls for each array.
TEST_F(CollectivesByMpi, divide_what_is_too_large_for_one_call) {
    for (const auto& [bytes, n] :
         {std::pair("1", 3), std::pair("100", 99), std::pair("3000", 1500)}) {
        comm->set_config("mpi_bytes_per_call", bytes);
        check_engine_sums(*comm, n);
        auto of = [n = n](int from, int to) {
            return Array::full({Dtype::int32, {n + from}}, from * 100 + to);
        };
        std::vector<Array> xs;
        for (int r = 0; r < comm->size(); ++r) xs.push_back(of(comm->rank(), r));
        const std::vector<Array> ys = comm->alltoall(xs), all = comm->gather(xs[0], 0);
        for (int r = 0; r < comm->size(); ++r)
            EXPECT_EQ(ys[size_t(r)].to_vector<int>(), of(r, comm->rank()).to_vector<int>());
        for (size_t r = 0; r < all.size(); ++r)
            EXPECT_EQ(all[r].to_vector<int>(), of(int(r), 0).to_vector<int>());
        EXPECT_EQ(comm->scatter(xs, 0).to_vector<int>(), of(0, comm->rank()).to_vector<int>());
        EXPECT_EQ(comm->bcast(xs[0], 0).to_vector<int>(), of(0, 0).to_vector<int>());
        const std::string text(size_t(n + comm->rank()), char('a' + comm->rank()));
        const std::vector<std::string> texts = comm->allgather_bytes(text);
        for (size_t r = 0; r < texts.size(); ++r)
            EXPECT_EQ(texts[r], std::string(size_t(n) + r, char('a' + r)));
    }
}

}  // namespace
}  // namespace catena
