// What a machine can do at most: shares by hand, and numbers that are kept for later processes.
#include "runtime/profile/ceilings.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/file/disk_cache.h"
#include "runtime/profile/measure_device.h"

namespace catena::testing {
namespace {

namespace fs = std::filesystem;
using profile::Ceilings;
using Ask = Ceilings::Ask;

/// A folder of kept numbers that is gone with the test.
class KeptCeilings : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = ::testing::TempDir() + "catena_kept_ceilings";
        fs::remove_all(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    DiskCache disk() const { return DiskCache(folder_, 1 << 20); }

    std::string folder_;
};

TEST_F(KeptCeilings, are_measured_once_for_a_machine) {
    DiskCache first = disk();
    Ceilings measured("cpu", "a machine", first);
    const double speed = measured.bandwidth(1 << 12);
    EXPECT_GT(speed, 1e7);
    EXPECT_EQ(measured.bandwidth(1 << 12), speed);

    DiskCache later = disk();
    Ceilings again("cpu", "a machine", later), other("cpu", "another machine", later);
    EXPECT_EQ(again.bandwidth(1 << 12, Ask::known), speed);
    EXPECT_EQ(other.bandwidth(1 << 12, Ask::known), 0);
    EXPECT_EQ(again.bandwidth(1 << 20, Ask::known), 0) << "of other sizes nothing is known";
}

TEST_F(KeptCeilings, of_a_damaged_file_are_measured_anew) {
    DiskCache first = disk();
    const double speed = Ceilings("cpu", "a machine", first).bandwidth(1 << 12);
    EXPECT_GT(speed, 0);
    for (const auto& entry : fs::directory_iterator(folder_)) {
        std::fstream file(entry.path(), std::ios::in | std::ios::out);
        file.seekp(-3, std::ios::end);
        file << "x";
    }
    DiskCache later = disk();
    EXPECT_EQ(Ceilings("cpu", "a machine", later).bandwidth(1 << 12, Ask::known), 0);
}

TEST_F(KeptCeilings, that_are_no_numbers_above_0_are_not_believed) {
    DiskCache cache = disk();
    cache.store("ceilings 1\na machine", R"({"launch":-1,"node":"x","memory":2e9,"more":0})");
    Ceilings read("cuda:0", "a machine", cache);
    EXPECT_THAT(read.known(), ::testing::ElementsAre(::testing::Pair("memory", 2e9)));
    cache.store("ceilings 1\na machine", "[1]");
    EXPECT_THAT(Ceilings("cuda:0", "a machine", cache).known(), ::testing::IsEmpty());
}

TEST(Ceilings, of_a_device_that_is_not_there_are_0) {
    Ceilings& none = Ceilings::of("cuda:77");
    EXPECT_EQ(none.bandwidth(1e6), 0);
    EXPECT_EQ(none.products("float32"), 0);
    EXPECT_EQ(none.launch_seconds(), 0);
    EXPECT_EQ(none.node_seconds(), 0);
    const MachineShares shares =
        profile::shares_of({.device = "cuda:77", .bytes = 1e6, .operations = 1e6}, 1e-3);
    EXPECT_EQ(shares.most(), 0);
    EXPECT_STREQ(shares.bound(), "");
}

TEST(Ceilings, of_the_host_are_of_one_dtype_and_size_each) {
    Ceilings& host = Ceilings::of("cpu");
    EXPECT_GT(host.products("float32"), 1e8);
    EXPECT_EQ(host.products("float32"), host.products("float32"));
    EXPECT_EQ(host.products("tf32"), 0) << "the host does not round so";
    EXPECT_EQ(host.launch_seconds(), 0);
    EXPECT_EQ(host.bandwidth(3e6), host.bandwidth(3.1e6)) << "of one power of two";
}

/// A device of this test alone, whose numbers are set.
class Shares : public ::testing::Test {
protected:
    void SetUp() override {
        Ceilings& card = Ceilings::of("cuda:78");
        card.set("memory", 3e12);
        card.set("products float32", 50e12);
        card.set("products tf32", 400e12);
        card.set("launch", 2e-6);
    }
    /// Of a launch that takes 1 ms.
    static MachineShares of(double bytes, double operations, const char* type, double seconds) {
        return profile::shares_of({.device = "cuda:78",
                                   .bytes = bytes,
                                   .operations = operations,
                                   .product_type = type,
                                   .program_bytes = bytes},
                                  seconds);
    }
};

TEST_F(Shares, of_memory_are_bytes_by_time_and_bandwidth) {
    const MachineShares copy = of(1.5e9, 0, "", 1e-3);  // 1.5 TB/s of 3.
    EXPECT_NEAR(copy.memory, 0.5, 1e-12);
    EXPECT_EQ(copy.products, 0);
    EXPECT_NEAR(copy.launch, 0.002, 1e-12);
    EXPECT_STREQ(copy.bound(), "memory");
    EXPECT_NEAR(copy.most(), 0.5, 1e-12);
}

TEST_F(Shares, of_products_are_operations_by_time_and_the_peak_of_their_type) {
    const MachineShares exact = of(0.3e9, 40e9, "float32", 1e-3);  // 40 TFLOP/s of 50.
    EXPECT_NEAR(exact.products, 0.8, 1e-12);
    EXPECT_NEAR(exact.memory, 0.1, 1e-12);
    EXPECT_STREQ(exact.bound(), "products");
    const MachineShares rounded = of(0.3e9, 20e9, "tf32", 1e-3);  // 20 of 400.
    EXPECT_NEAR(rounded.products, 0.05, 1e-12);
    EXPECT_STREQ(rounded.bound(), "memory");
    EXPECT_EQ(of(0.3e9, 20e9, "float16", 1e-3).products, 0) << "that peak is not known";
}

TEST_F(Shares, of_a_small_launch_are_of_the_launch_itself) {
    const MachineShares small = of(6e3, 0, "", 4e-6);  // 1.5 GB/s; a launch takes half of it.
    EXPECT_NEAR(small.launch, 0.5, 1e-12);
    EXPECT_NEAR(small.memory, 0.0005, 1e-12);
    EXPECT_STREQ(small.bound(), "launch");
}

TEST_F(Shares, of_what_was_not_timed_are_0) { EXPECT_EQ(of(1e9, 1e9, "float32", 0).most(), 0); }

}  // namespace
}  // namespace catena::testing
