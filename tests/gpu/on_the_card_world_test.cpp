// Programs in files run from C, and NCCL with a single rank.
#include <filesystem>

#include <gmock/gmock.h>

#include "benchmarks/models/perceptron.h"
#include "runtime/capi.h"
#include "runtime/comm/create.h"
#include "tests/gpu/on_the_card.h"
#include "tests/support/environment.h"

namespace catena::testing {
namespace {

namespace fs = std::filesystem;

TEST_F(OnTheCard, a_package_runs_from_c_as_the_region_does) {
    const std::string path =
        (fs::temp_directory_path() / fmt::format("catena_{}.catena", getpid())).string();
    std::vector<float> values(size_t(8 * 20));
    for (size_t i = 0; i < values.size(); ++i) values[i] = float(i % 13) / 13;
    std::vector<float> wanted;
    {
        const DeviceScope scope(*device);
        set_seed(1);
        models::Perceptron model(20, 30, 5);
        auto call = static_graph([&](const Variable& x) { return model(x); }, {.name = "call"});
        const Variable x(Array::from(values, {8, 20}).to(*device), false);
        for (int i = 0; i < 3; ++i) wanted = on_host(call(x)).to_vector<float>();
        call.save(path, {.cuda_architectures = {device->architecture()}, .stages = false});
    }
    char error[500] = "";
    catena_program* program = catena_program_load_on(path.c_str(), "cuda:0", error, sizeof error);
    fs::remove(path);
    ASSERT_TRUE(program) << error;
    const int64_t sizes[] = {8, 20};
    const catena_tensor input{values.data(), CATENA_FLOAT32, 2, sizes, nullptr};
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(catena_program_run(program, &input, 1, error, sizeof error), CATENA_OK) << error;
        catena_tensor output{};
        ASSERT_EQ(catena_program_output(program, 0, &output, error, sizeof error), CATENA_OK);
        ASSERT_EQ(output.sizes[0] * output.sizes[1], int64_t(wanted.size()));
        const auto* found = static_cast<const float*>(output.data);
        for (size_t k = 0; k < wanted.size(); ++k) EXPECT_NEAR(found[k], wanted[k], 1e-4);
    }
    catena_program_free(program);
}

TEST_F(OnTheCard, nccl_with_one_rank_adds_what_is_there) {
    if (is_double() && !std::getenv("CATENA_NCCL_PATH"))
        GTEST_SKIP() << "NCCL itself needs a card, and no double of it is named";
    const fs::path place =
        fs::temp_directory_path() / fmt::format("catena_rendezvous_{}", getpid());
    const test::EnvironmentScope alone("CATENA_RENDEZVOUS", "file://" + place.string());
    const test::EnvironmentScope rank("CATENA_RANK", "0"), count("CATENA_SIZE", "1");
    std::shared_ptr<Communicator> world;
    try {
        world = create_communicator("pure_nccl", {.device = device});
    } catch (const DeviceError& error) {
        const std::string reason = error.what();
        if (reason.find("libnccl") == reason.npos && reason.find("plug-in") == reason.npos) throw;
        GTEST_SKIP() << reason;
    }
    const DeviceScope scope(*device);
    for (Dtype dtype : {Dtype::float32, Dtype::bfloat16}) {
        const Array x = Array::full({dtype, {int64_t(1) << 16}}, 3);
        const Array y = world->allreduce(x);
        EXPECT_EQ(y.device().name(), "cuda:0");
        EXPECT_EQ(y.to(cpu_device()).astype(Dtype::float32).to_vector<float>(),
                  std::vector<float>(size_t(1) << 16, 3));
        for (const Array& moved :
             {world->bcast(x), world->allgather(x)[0], world->alltoall(std::vector{x})[0],
              world->gather(x)[0], world->scatter(std::vector{x}),
              world->reduce_scatter(std::vector{x})}) {
            EXPECT_EQ(moved.device().name(), "cuda:0");
            EXPECT_EQ(moved.to(cpu_device()).astype(Dtype::float32).to_vector<float>(),
                      std::vector<float>(size_t(1) << 16, 3));
        }
    }
    std::vector<int64_t> tickets;
    for (int i = 0; i < 4; ++i) {
        Array bucket = world->transfer_buffer({Dtype::float32, {1000}}, *device);
        copy_elements(Array::full(bucket.type(), i), bucket);
        tickets.push_back(world->start_allreduce(bucket, Reduction::mean, i));
    }
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(world->wait_started(tickets[size_t(i)]).to(cpu_device()).to_vector<int>(),
                  std::vector<int>(1000, i));
}

}  // namespace
}  // namespace catena::testing
