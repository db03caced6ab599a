// What the real cuDNN says to the graphs that Catena builds: no device is needed to plan for one.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "frontend/tools/catena/workload.h"
#include "runtime/cuda/library_call.h"
#include "runtime/cuda/window_plans.h"
#include "tests/cuda/collecting_device.h"
#include "tests/cuda/deviceless_cudnn.h"
#include "tests/cuda/library_check.h"
#include "tests/ops/compiled_check.h"
#include "tests/ops/gradient_check.h"

#ifdef CATENA_HAS_CUDNN

namespace catena::testing {
namespace {

using cuda::EngineSource;
using cuda::Operands;
using cuda::WindowPlans;

/// Calls of the op table, forward and backward, and of the benchmark's workloads at their full sizes.
void collect_calls() {
    CollectingDevice& device = CollectingDevice::instance();
    compiled() = [&](const auto& run, const std::vector<Variable>& inputs) {
        std::vector<Variable> there;
        for (const Variable& input : inputs)
            there.push_back(input.defined() ? Variable(input.array().to(device), input.requires_grad()) : input);
        try {
            run(there);
        } catch (const std::exception&) {
            // Its values are not these.
        }
        return run(inputs);
    };
    for (const Row& row : all_rows()) {
        check_compiled(row);
        check_compiled_gradient(row);
    }
    compiled() = nullptr;
    const DeviceScope scope(device);
    for (const tool::Workload& workload : tool::workloads()) workload.prepare(tool::Variant::eager, 1).run();
}

struct Layer {
    Shape x, W;
    int64_t stride = 1, pad = 0, groups = 1, dilate = 1;
};
/// Of ResNet-50 (the first convolution, one of each kind of block), MobileNet, DeepLab, a network for volumes, WaveNet.
const Layer layers[] = {
    {{32, 3, 224, 224}, {64, 3, 7, 7}, 2, 3},         {{32, 64, 56, 56}, {64, 64, 1, 1}},
    {{32, 64, 56, 56}, {64, 64, 3, 3}, 1, 1},         {{32, 256, 56, 56}, {512, 256, 1, 1}, 2},
    {{32, 128, 56, 56}, {128, 128, 3, 3}, 2, 1},      {{32, 512, 7, 7}, {2048, 512, 1, 1}},
    {{32, 32, 112, 112}, {32, 1, 3, 3}, 1, 1, 32},    {{32, 96, 112, 112}, {96, 1, 3, 3}, 2, 1, 96},
    {{8, 256, 33, 33}, {256, 256, 3, 3}, 1, 6, 1, 6}, {{2, 16, 32, 32, 32}, {32, 16, 3, 3, 3}, 1, 1},
    {{4, 32, 16000}, {64, 32, 2}, 1, 8, 1, 8},
};

std::vector<CollectedCall> calls_of(const Layer& layer) {
    const int axes = layer.x.rank() - 2;
    Attributes a{{"stride", Dims::filled(axes, layer.stride)},
                 {"pad", Dims::filled(axes, layer.pad)},
                 {"dilate", Dims::filled(axes, layer.dilate)},
                 {"groups", layer.groups},
                 {"cover_all", false},
                 {"size", Dims()}};
    const Type x{Dtype::float32, layer.x}, W{Dtype::float32, layer.W};
    CollectedCall forward{&op_with(LibraryRole::convolution), {x, W}, a, {}}, data = forward, weights = forward;
    const Type gy = forward.outputs()[0];
    auto with_size = [&](const Shape& shape) {
        std::vector<Attributes::Entry> entries(a.entries().begin(), a.entries().end());
        entries.back().value = Dims(std::span<const int64_t>(shape).subspan(2));
        return Attributes(std::move(entries));
    };
    data = {&op_with(LibraryRole::convolution_data), {gy, W}, with_size(layer.x), {}};
    weights = {&op_with(LibraryRole::convolution_weights), {x, gy}, with_size(layer.W), {}};
    return {forward, data, weights};
}

/// Of perceptrons.
std::vector<CollectedCall> normalizations() {
    std::vector<CollectedCall> calls;
    for (const Shape& shape : {Shape{64, 512}, Shape{4096, 1024}}) {
        const Type x{Dtype::float32, shape}, keys{Dtype::float32, {shape[1]}};
        const Attributes axis{{"axis", Axes{0}}};
        calls.push_back({&op_with(LibraryRole::batch_normalization), {x, keys, keys}, axis, {1e-5}});
        calls.push_back({&op_with(LibraryRole::batch_normalization_gradient), {x, keys, keys, keys, x}, axis, {1e-5}});
    }
    return calls;
}

const std::vector<CollectedCall>& all_calls() {
    static const std::vector<CollectedCall>& all = *new std::vector<CollectedCall>([] {
        collect_calls();
        std::vector<CollectedCall> calls;
        for (const auto& [text, call] : CollectingDevice::instance().calls()) calls.push_back(call);
        for (const Layer& layer : layers)
            for (CollectedCall& call : calls_of(layer)) calls.push_back(std::move(call));
        for (CollectedCall& call : normalizations()) calls.push_back(std::move(call));
        return calls;
    }());
    return all;
}

/// The call with images of this dtype; statistics and their factors stay what they are.
CollectedCall with_dtype(CollectedCall call, Dtype dtype) {
    const bool normalizes = cuda::is_normalization_role(library_role_of(*call.op));
    for (size_t i = 0; i < call.inputs.size(); ++i)
        if (!normalizes || i == 0 || i == 4) call.inputs[i].dtype = dtype;
    return call;
}

/// Memory for a call on the collecting device.
struct Made {
    const CollectedCall& collected;
    Arrays inputs, outputs;

    explicit Made(const CollectedCall& collected) : collected(collected) {
        for (const Type& type : collected.inputs) inputs.push_back(Array::empty(type, CollectingDevice::instance()));
        for (const Type& type : collected.outputs())
            outputs.push_back(Array::empty(type, CollectingDevice::instance()));
    }
    KernelCall call() { return {*collected.op, inputs, outputs, collected.attributes, collected.scalars}; }
    bool empty() const {
        auto is_empty = [](const Array& x) { return x.size() == 0; };
        return std::any_of(inputs.begin(), inputs.end(), is_empty) ||
               std::any_of(outputs.begin(), outputs.end(), is_empty);
    }
};

class CudnnEngines : public ::testing::TestWithParam<const char*> {
protected:
    DevicelessCudnn deviceless{GetParam()};
    std::unique_ptr<cuda::LibraryProvider> provider = cuda::make_windows({CollectingDevice::instance(), nullptr});
    std::unique_ptr<WindowPlans> plans;
    std::map<LibraryRole, int> found;  ///< Plans by role.

    void SetUp() override {
        if (!deviceless.complaint().empty()) GTEST_SKIP() << deviceless.complaint();
        plans = std::make_unique<WindowPlans>(EngineSource{.properties = &deviceless.properties()});
    }
    bool has_plan(const KernelCall& call) {
        const LibraryRole role = library_role_of(call.op);
        const Operands operands =
            cuda::is_window_role(role)
                ? cuda::window_operands(call)
                : cuda::normalization_operands(call, Array::empty(call.inputs[1].type(), CollectingDevice::instance()));
        const bool has = plans->find(role, operands, call.attributes) != nullptr;
        found[role] += has;
        return has;
    }
    int found_of(LibraryRole role) {
        std::printf("%-40s %d plans\n", op_with(role).name.c_str(), found[role]);
        return found[role];
    }
};

TEST_P(CudnnEngines, are_found_for_windows_of_every_dtype) {
    for (const CollectedCall& collected : all_calls()) {
        if (!cuda::is_window_role(library_role_of(*collected.op))) continue;
        for (Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16, Dtype::float64}) {
            const CollectedCall call = with_dtype(collected, dtype);
            Made made(call);
            EXPECT_EQ(provider->takes(made.call()), !made.empty()) << call.text();
            if (made.empty()) continue;
            EXPECT_TRUE(has_plan(made.call())) << call.text();
        }
    }
    for (LibraryRole role : {LibraryRole::convolution, LibraryRole::convolution_data, LibraryRole::convolution_weights})
        EXPECT_GE(found_of(role), 80);
    for (LibraryRole role : {LibraryRole::average_pooling, LibraryRole::average_pooling_gradient})
        EXPECT_GE(found_of(role), 4);
}

TEST_P(CudnnEngines, read_views_as_they_lie) {
    for (const CollectedCall& collected : calls_of({{2, 8, 9, 9}, {16, 8, 3, 3}})) {
        for (Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16, Dtype::float64}) {
            const CollectedCall call = with_dtype(collected, dtype);
            Made made(call);
            Array& x = made.inputs[0];
            const Shape shape = x.shape(), channels_last{shape[0], shape[2], shape[3], shape[1]};
            const Strides steps = contiguous_strides(channels_last);
            x = x.view(shape, {steps[0], steps[3], steps[1], steps[2]}, 0);
            EXPECT_TRUE(has_plan(made.call())) << call.text() << ", channels last";
            // Every other channel of twice as many, from the second on.
            const Shape twice{shape[0], 2 * shape[1], shape[2], shape[3]};
            const Strides wide = contiguous_strides(twice);
            x = Array::empty({dtype, twice}, CollectingDevice::instance())
                    .view(shape, {wide[0], 2 * wide[1], wide[2], wide[3]}, wide[1]);
            EXPECT_TRUE(has_plan(made.call())) << call.text() << ", every other channel";
        }
    }
}

TEST_P(CudnnEngines, are_found_for_normalization_of_columns) {
    for (const CollectedCall& collected : all_calls()) {
        if (!cuda::is_normalization_role(library_role_of(*collected.op))) continue;
        for (Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
            const CollectedCall call = with_dtype(collected, dtype);
            Made made(call);
            if (!provider->takes(made.call())) continue;
            EXPECT_TRUE(has_plan(made.call())) << call.text();
        }
    }
    for (LibraryRole role : {LibraryRole::batch_normalization, LibraryRole::batch_normalization_gradient})
        EXPECT_GE(found_of(role), 6);
}

// Why takes_normalization() leaves these alone.
TEST_P(CudnnEngines, would_copy_images_to_normalize_them) {
    const Type x{Dtype::float32, {32, 64, 56, 56}}, keys{Dtype::float32, {64}};
    const CollectedCall call{
        &op_with(LibraryRole::batch_normalization), {x, keys, keys}, {{"axis", Axes{0, 2, 3}}}, {1e-5}};
    Made made(call);
    EXPECT_FALSE(provider->takes(made.call()));
    const Operands operands =
        cuda::normalization_operands(made.call(), Array::empty(keys, CollectingDevice::instance()));
    const auto plan = cuda::Plan::find(cuda::normalization_operation(LibraryRole::batch_normalization, operands),
                                       {.properties = &deviceless.properties()}, {.most_workspace = size_t(1) << 30});
    ASSERT_TRUE(plan);
    EXPECT_GE(plan->workspace(), 2 * size_t(element_count(x.shape)) * sizeof(float)) << "x and y once more";
}

INSTANTIATE_TEST_SUITE_P(Of, CudnnEngines, ::testing::Values("sm_80", "sm_90"));

}  // namespace
}  // namespace catena::testing

#endif
