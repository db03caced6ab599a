// pure_nccl with a fake NCCL (tests/nccl_double): processes over an emulated device. And what
// of the real NCCL can be asked without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include <dlfcn.h>
#include <unistd.h>

#include "frontend/compiler/compiler_loader.h"
#include "runtime/comm/nccl/library.h"
#include "tests/support/command.h"

namespace catena {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string double_library = CATENA_BINARY_DIR "/lib/libnccl_double.so";

/// `size` processes of nccl_ranks; their output, and 0 when all of them succeeded. `environment` is
/// for all, `of_last` for the last rank.
testing::CommandResult ranks(int size, const std::string& arguments,
                             const std::string& environment = "", const std::string& of_last = "") {
    static int number = 0;
    const std::string place =
        ::testing::TempDir() + "nccl_" + std::to_string(getpid()) + "_" + std::to_string(number++);
    std::string command = "export CATENA_RENDEZVOUS=file://" + place +
                          " CATENA_SIZE=" + std::to_string(size) +
                          " CATENA_NUM_THREADS=1 CATENA_NCCL_PATH=" + double_library + " " +
                          environment + "; all=''; ";
    for (int r = 0; r < size; ++r)
        command += (r == size - 1 ? of_last : "") + " CATENA_RANK=" + std::to_string(r) +
                   " timeout 500 " + testing::program("nccl_ranks") + " " + arguments +
                   " & all=\"$all $!\"; ";
    testing::CommandResult result = testing::run(
        "{ " + command +
        "status=0; for each in $all; do wait $each || status=$?; done; exit $status; }");
    std::filesystem::remove(place);
    return result;
}

class NcclRanks : public ::testing::TestWithParam<int> {};

TEST_P(NcclRanks, pass_the_checks_of_all_communicators) {
    testing::CommandResult result = ranks(GetParam(), "--gtest_filter=MpiRanks.*");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("PASSED"));
}

INSTANTIATE_TEST_SUITE_P(ranks, NcclRanks, ::testing::Values(1, 2, 4),
                         ::testing::PrintToStringParamName());

/// Ranks whose arrays are the device's: kernels are compiled.
class DeviceRanks : public ::testing::TestWithParam<int> {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "devices need the compiler";
    }
};

TEST_P(DeviceRanks, train_and_move_arrays_where_they_are) {
    testing::CommandResult result = ranks(GetParam(), "--gtest_filter=DeviceRanks.*");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, AllOf(HasSubstr("PASSED"), Not(HasSubstr("SKIPPED"))));
}

TEST_P(DeviceRanks, train_over_a_communicator_of_the_host) {
    testing::CommandResult result =
        ranks(GetParam(), "--gtest_filter=DeviceRanks.*", "CATENA_TEST_COMMUNICATOR=tcp");
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("PASSED"));
}

INSTANTIATE_TEST_SUITE_P(ranks, DeviceRanks, ::testing::Values(2, 3),
                         ::testing::PrintToStringParamName());

/// A call of tests/nccl_ranks/world.cpp, and what errors call it on ranks 0 and 1 of two.
struct NcclCall {
    std::string mode, call, on_0, on_1;
};
void PrintTo(const NcclCall& c, std::ostream* out) { *out << c.mode; }

const NcclCall all_nccl_calls[] = {
    {"allreduce", "allreduce", "ncclAllReduce of float32[100]", "ncclAllReduce of float32[100]"},
    {"bcast", "bcast", "ncclBroadcast of 400 bytes from rank 0",
     "ncclBroadcast of 400 bytes from rank 0"},
    {"gather", "gather", "ncclSend of 0 bytes to 0 ranks, ncclRecv of 400 from 1",
     "ncclSend of 400 bytes to 1 ranks, ncclRecv of 0 from 0"},
    {"allgather", "allgather", "ncclAllGather of 400 bytes of each rank",
     "ncclAllGather of 400 bytes of each rank"},
    {"alltoall", "alltoall", "ncclSend of 400 bytes to 1 ranks, ncclRecv of 400 from 1",
     "ncclSend of 400 bytes to 1 ranks, ncclRecv of 400 from 1"},
    {"scatter", "scatter", "ncclSend of 400 bytes to 1 ranks, ncclRecv of 0 from 0",
     "ncclSend of 0 bytes to 0 ranks, ncclRecv of 400 from 1"},
    {"reduce_scatter", "reduce_scatter", "ncclReduceScatter of float32[100]",
     "ncclReduceScatter of float32[100]"},
    {"background", "allreduce", "ncclAllReduce of float32[100]", "ncclAllReduce of float32[100]"},
};

class NcclErrors : public ::testing::TestWithParam<NcclCall> {
protected:
    void SetUp() override {
        if (!compiler_available()) GTEST_SKIP() << "devices need the compiler";
    }
    static std::string beginning(int rank) {
        const std::string what = rank == 0 ? GetParam().on_0 : GetParam().on_1;
        return GetParam().call + ": NCCL fails on rank " + std::to_string(rank) + ": " + what +
               ": ";
    }
};

TEST_P(NcclErrors, of_one_rank_end_all_with_its_number_and_its_words) {
    testing::CommandResult result =
        ranks(2, "refused:" + GetParam().mode, "CATENA_COMM_TIMEOUT=400");
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(
        result.output,
        HasSubstr(beginning(1) + "unhandled cuda error (run with NCCL_DEBUG=INFO for details) "
                                 "(Cuda failure 'out of memory')"));
    if (GetParam().mode == "scatter") return;  // Who has sent a small message is done.
    const auto by_nccl = HasSubstr(
        beginning(0) + "remote process exited or there was a network error (rank 1 has aborted)");
    if (GetParam().mode == "background") {  // The next bucket's check may be the first to see it.
        EXPECT_THAT(result.output,
                    AnyOf(by_nccl, HasSubstr("rank 0 waits for rank 1, which has left the group")));
    } else {
        EXPECT_THAT(result.output, by_nccl);
    }
}

TEST_P(NcclErrors, give_up_what_never_ends) {
    testing::CommandResult result = ranks(2, "hangs:" + GetParam().mode, "CATENA_COMM_TIMEOUT=3");
    EXPECT_NE(result.status, 0);
    EXPECT_NE(result.status, 124) << "it has not ended";
    EXPECT_THAT(result.output,
                AnyOf(HasSubstr(beginning(0) + "it has waited 3 s for other ranks"),
                      HasSubstr(beginning(1) + "it has waited 3 s for other ranks")));
}

INSTANTIATE_TEST_SUITE_P(calls, NcclErrors, ::testing::ValuesIn(all_nccl_calls),
                         [](const auto& info) { return info.param.mode; });

/// Others of these calls would take as long.
class KilledInNccl : public NcclErrors {};

TEST_P(KilledInNccl, a_rank_is_named) {
    testing::CommandResult result =
        ranks(2, "killed:" + GetParam().mode, "CATENA_COMM_TIMEOUT=400");
    EXPECT_NE(result.status, 0);
    EXPECT_THAT(result.output,
                AnyOf(HasSubstr(beginning(0) + "it waits for rank 1, which has left the group"),
                      HasSubstr("allreduce: rank 0 waits for rank 1, which has left the group")))
        << "by NCCL, or by the check of the next call";
}

INSTANTIATE_TEST_SUITE_P(calls, KilledInNccl,
                         ::testing::Values(all_nccl_calls[0], all_nccl_calls[4], all_nccl_calls[7]),
                         [](const auto& info) { return info.param.mode; });

TEST(NcclLibraries, that_are_missing_or_too_old_are_named_on_all_ranks) {
    auto output = [](const std::string& environment, const std::string& of_last = "") {
        testing::CommandResult result = ranks(2, "create pure_nccl", environment, of_last);
        EXPECT_NE(result.status, 0);
        return result.output;
    };
    const std::string missing =
        "create_communicator(pure_nccl): rank 1: NCCL cannot be used: not there (tried "
        "/nowhere/libnccl.so.2); install it or set CATENA_NCCL_PATH";
    const std::string text = output("", "CATENA_NCCL_PATH=/nowhere/libnccl.so.2");
    const size_t first = text.find(missing);
    ASSERT_NE(first, text.npos) << text;
    EXPECT_NE(text.find(missing, first + 1), text.npos) << "by rank 0, too: " << text;
    EXPECT_THAT(output("CATENA_NCCL_PATH=libc.so.6"),
                HasSubstr("too old: libc.so.6 has no ncclGetVersion"));
    EXPECT_THAT(output("NCCL_DOUBLE_VERSION=2803"),
                HasSubstr("NCCL cannot be used: too old: it is 2.8.3, 2.14.0 or later is needed"));
    EXPECT_THAT(output("NCCL_DOUBLE_VERSION=21212"), HasSubstr("it is 2.12.12"));
}

class RealNccl : public ::testing::Test {
protected:
    void SetUp() override {
        unsetenv("CATENA_NCCL_PATH");
        nccl = load_nccl_library();
        if (!nccl.complaint.empty()) GTEST_SKIP() << "there is no NCCL here: " << nccl.complaint;
    }
    NcclLibrary nccl;
};

TEST_F(RealNccl, has_all_that_is_called_and_gives_ids) {
    EXPECT_THAT(nccl.version, ::testing::MatchesRegex("2\\.[0-9]+\\.[0-9]+"));
    std::set<std::string> ids;
    for (int i = 0; i < 3; ++i) {
        ncclUniqueId id{};
        ASSERT_EQ(nccl.ncclGetUniqueId(&id), ncclSuccess) << nccl.ncclGetLastError(nullptr);
        ids.emplace(id.internal, sizeof id.internal);
    }
    EXPECT_EQ(ids.size(), 3u);
}

TEST_F(RealNccl, says_what_its_double_says) {
    void* library = dlopen(double_library.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    auto words =
        reinterpret_cast<decltype(&ncclGetErrorString)>(dlsym(library, "ncclGetErrorString"));
    for (int code = 0; code <= ncclNumResults; ++code)
        EXPECT_STREQ(words(ncclResult_t(code)), nccl.ncclGetErrorString(ncclResult_t(code)));
}

/// The emulated device is none of NCCL's: where there is no GPU, it says so in its own words.
TEST_F(RealNccl, fails_without_a_gpu_in_its_own_words) {
    testing::CommandResult result = ranks(1, "create pure_nccl", "CATENA_NCCL_PATH=");
    EXPECT_THAT(result.output,
                AnyOf(HasSubstr("nccl, 1 ranks"),
                      AllOf(HasSubstr("NCCL fails on rank 0: making a communicator: "),
                            HasSubstr("cuda error"))));
}

}  // namespace
}  // namespace catena
