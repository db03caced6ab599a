// What the real cuDNN says to the graphs that Catena builds: no device is needed to plan for one.
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "benchmarks/workloads/workload.h"
#include "runtime/core/array/memory_order.h"
#include "runtime/cuda/cudnn/window_plans.h"
#include "runtime/cuda/library_call.h"
#include "tests/cuda/collecting_device.h"
#include "tests/cuda/cudnn_deviceless.h"
#include "tests/cuda/library_check.h"
#include "tests/ops/compiled_check.h"
#include "tests/ops/gradient_check.h"

#ifdef CATENA_HAS_CUDNN

namespace catena::testing {
namespace {

using cuda::EngineSource;
using cuda::Operands;
using cuda::Plan;
using cuda::WindowPlans;

/// Calls of the op table, forward and backward, and of the benchmark's workloads at their full
/// sizes.
void collect_calls() {
    CollectingDevice& device = CollectingDevice::instance();
    compiled() = [&](const auto& run, const std::vector<Variable>& inputs) {
        std::vector<Variable> there;
        for (const Variable& input : inputs)
            there.push_back(input.defined()
                                ? Variable(input.array().to(device), input.requires_grad())
                                : input);
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
    for (const tool::Workload& workload : tool::workloads())
        workload.prepare(tool::Variant::eager, 1).run();
}

struct Layer {
    Shape x, W;
    int64_t stride = 1, pad = 0, groups = 1, dilate = 1;
};
/// Of ResNet-50 (the first convolution, one of each kind of block), MobileNet, DeepLab, a network
/// for volumes, WaveNet.
const Layer layers[] = {
    {{32, 3, 224, 224}, {64, 3, 7, 7}, 2, 3},
    {{32, 64, 56, 56}, {64, 64, 1, 1}},
    {{32, 64, 56, 56}, {64, 64, 3, 3}, 1, 1},
    {{32, 256, 56, 56}, {512, 256, 1, 1}, 2},
    {{32, 128, 56, 56}, {128, 128, 3, 3}, 2, 1},
    {{32, 512, 7, 7}, {2048, 512, 1, 1}},
    {{32, 32, 112, 112}, {32, 1, 3, 3}, 1, 1, 32},
    {{32, 96, 112, 112}, {96, 1, 3, 3}, 2, 1, 96},
    {{8, 256, 33, 33}, {256, 256, 3, 3}, 1, 6, 1, 6},
    {{2, 16, 32, 32, 32}, {32, 16, 3, 3, 3}, 1, 1},
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
    CollectedCall forward{&op_with(LibraryRole::convolution), {x, W}, a, {}}, data = forward,
                                                                              weights = forward;
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

/// Of a perceptron.
std::vector<CollectedCall> normalizations() {
    const Type x{Dtype::float32, {64, 512}}, keys{Dtype::float32, {512}};
    const Attributes axis{{"axis", Axes{0}}};
    return {{&op_with(LibraryRole::batch_normalization), {x, keys, keys}, axis, {1e-5}},
            {&op_with(LibraryRole::batch_normalization_gradient),
             {x, keys, keys, keys, x},
             axis,
             {1e-5}}};
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
        for (const Type& type : collected.inputs)
            inputs.push_back(Array::empty(type, CollectingDevice::instance()));
        for (const Type& type : collected.outputs())
            outputs.push_back(Array::empty(type, CollectingDevice::instance()));
    }
    KernelCall call() {
        return {*collected.op, inputs, outputs, collected.attributes, collected.scalars};
    }
    bool empty() const {
        auto is_empty = [](const Array& x) { return x.size() == 0; };
        return std::any_of(inputs.begin(), inputs.end(), is_empty) ||
               std::any_of(outputs.begin(), outputs.end(), is_empty);
    }
};

constexpr const char* architectures[] = {"sm_80", "sm_90"};

/// Plans for a device that is not there.
struct Engines {
    explicit Engines(const char* architecture, cuda::PlanStore store = {})
        : deviceless(architecture) {
        if (deviceless.complaint().empty()) plans.emplace(source(), std::move(store));
    }
    EngineSource source() const { return {.properties = &deviceless.properties()}; }
    bool takes(const KernelCall& call) const { return provider->takes(call); }
    const Plan* plan(const KernelCall& call) {
        const LibraryRole role = library_role_of(call.op);
        const Operands operands =
            cuda::is_window_role(role)
                ? cuda::window_operands(call)
                : cuda::normalization_operands(
                      call, Array::empty(call.inputs[1].type(), CollectingDevice::instance()));
        const auto& choice = plans->find(role, operands, call.attributes,
                                         {.most_workspace = [] { return size_t(256) << 20; }});
        const Plan* plan = choice.plan ? &*choice.plan : nullptr;
        found[role] += plan != nullptr;
        if (plan) expect_ready(*plan, operands, role);
        return plan;
    }
    /// Nothing but a device is missing: cuDNN takes the operands and misses its handle.
    static void expect_ready(const Plan& plan, const Operands& operands, LibraryRole role) {
        float epsilon = 1e-5f;
        char workspace[1];
        try {
            plan.execute(
                nullptr,
                cuda::bindings_of(operands,
                                  role == LibraryRole::batch_normalization ? &epsilon : nullptr),
                workspace);
            ADD_FAILURE() << "it has been computed";
        } catch (const cuda::CudnnError& error) {
            EXPECT_EQ(error.call(), "cudnnBackendExecute");
            EXPECT_EQ(error.words(), "CUDNN_STATUS_BAD_PARAM");
        }
    }

    DevicelessCudnn deviceless;
    std::unique_ptr<cuda::LibraryProvider> provider =
        cuda::make_windows({CollectingDevice::instance(), nullptr});
    std::optional<WindowPlans> plans;
    std::map<LibraryRole, int> found;  ///< Plans by role.
};

TEST(CudnnEngines, are_asked_for_the_workloads_at_their_sizes) {
    const Shape first{64, 1, 28, 28};
    EXPECT_TRUE(std::any_of(all_calls().begin(), all_calls().end(), [&](const CollectedCall& call) {
        return call.inputs[0].shape == first;
    })) << "LeNet's images";
}

TEST(CudnnEngines, are_found_for_every_call) {
    for (const char* architecture : architectures) {
        SCOPED_TRACE(architecture);
        Engines engines(architecture);
        if (!engines.deviceless.complaint().empty()) GTEST_SKIP() << engines.deviceless.complaint();
        for (const CollectedCall& collected : all_calls()) {
            const LibraryRole role = library_role_of(*collected.op);
            if (collected.inputs[0].dtype != Dtype::float32) continue;
            for (Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16, Dtype::float64}) {
                const CollectedCall call = with_dtype(collected, dtype);
                Made made(call);
                const bool takes = engines.takes(made.call());
                EXPECT_TRUE(!cuda::is_window_role(role) || takes == !made.empty()) << call.text();
                EXPECT_TRUE(!takes || engines.plan(made.call())) << call.text();
            }
        }
        for (LibraryRole role : {LibraryRole::convolution, LibraryRole::convolution_data,
                                 LibraryRole::convolution_weights})
            EXPECT_GE(engines.found[role], 60);
        for (LibraryRole role :
             {LibraryRole::average_pooling, LibraryRole::average_pooling_gradient})
            EXPECT_GE(engines.found[role], 8);
        for (LibraryRole role :
             {LibraryRole::batch_normalization, LibraryRole::batch_normalization_gradient})
            EXPECT_GE(engines.found[role], 3);
        for (const auto& [role, count] : engines.found)
            std::printf("%s: %d plans for %s\n", architecture, count, op_with(role).name.c_str());
    }
}

// They fail on a device (cudnn_windows.cpp), some already when they are looked for.
TEST(CudnnEngines, are_not_asked_for_gradients_of_images_at_which_they_fail) {
    Engines engines("sm_90");
    if (!engines.deviceless.complaint().empty()) GTEST_SKIP() << engines.deviceless.complaint();
    const auto taken = [&](const Layer& layer) {
        std::string roles;
        for (const CollectedCall& call : calls_of(layer)) {
            Made made(call);
            roles += engines.takes(made.call()) ? "y" : "n";
        }
        return roles;
    };
    EXPECT_EQ(taken({{2, 4, 9, 9, 9}, {4, 4, 3, 3, 3}, 2, 1}), "yyy");
    EXPECT_EQ(taken({{2, 4, 9, 9, 9}, {4, 4, 3, 3, 3}, 3, 1}), "yny");
    EXPECT_EQ(taken({{2, 4, 64, 64}, {4, 4, 16, 16}, 16, 0}), "yyy");
    EXPECT_EQ(taken({{2, 4, 64, 64}, {4, 4, 3, 3}, 4, 0}), "yny");
}

TEST(CudnnEngines, read_views_as_they_lie) {
    for (const char* architecture : architectures) {
        SCOPED_TRACE(architecture);
        Engines engines(architecture);
        if (!engines.deviceless.complaint().empty()) GTEST_SKIP() << engines.deviceless.complaint();
        for (const CollectedCall& collected : calls_of({{2, 8, 9, 9}, {16, 8, 3, 3}})) {
            for (Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16, Dtype::float64}) {
                const CollectedCall call = with_dtype(collected, dtype);
                Made made(call);
                Array& x = made.inputs[0];
                const Shape shape = x.shape(),
                            channels_last{shape[0], shape[2], shape[3], shape[1]};
                const Strides steps = contiguous_strides(channels_last);
                x = x.view(shape, {steps[0], steps[3], steps[1], steps[2]}, 0);
                EXPECT_TRUE(engines.plan(made.call())) << call.text() << ", channels last";
                // Every other channel of twice as many, from the second on.
                const Shape twice{shape[0], 2 * shape[1], shape[2], shape[3]};
                const Strides wide = contiguous_strides(twice);
                x = Array::empty({dtype, twice}, CollectingDevice::instance())
                        .view(shape, {wide[0], 2 * wide[1], wide[2], wide[3]}, wide[1]);
                EXPECT_TRUE(engines.plan(made.call())) << call.text() << ", every other channel";
            }
        }
    }
}

/// Bit k: operand k of a call, inputs first, is an image or weights.
unsigned operands_of(const Made& made, bool images, bool weights) {
    const unsigned is_weights =
        library_role_of(*made.collected.op) == LibraryRole::convolution_weights ? 4 : 2;
    return (images ? 7 & ~is_weights : 0) | (weights ? is_weights : 0);
}

/// Gives these operands their channels last, and tells so.
std::string turn(Made& made, bool images, bool weights) {
    unsigned k = 0;
    const unsigned turned = operands_of(made, images, weights);
    for (Arrays* arrays : {&made.inputs, &made.outputs})
        for (Array& x : *arrays)
            if (turned >> k++ & 1)
                x = x.view(x.shape(), strides_in(MemoryOrder::channels_last, x.shape()), 0);
    return fmt::format("{}, channels last of{}{}", made.collected.text(), images ? " images" : "",
                       weights ? " weights" : "");
}

// What the layout pass makes of programs of halves.
TEST(CudnnEngines, compute_windows_on_images_with_channels_last) {
    for (const char* architecture : architectures) {
        SCOPED_TRACE(architecture);
        Engines engines(architecture);
        if (!engines.deviceless.complaint().empty()) GTEST_SKIP() << engines.deviceless.complaint();
        for (const CollectedCall& collected : all_calls()) {
            if (!cuda::is_window_role(library_role_of(*collected.op)) ||
                collected.inputs[0].dtype != Dtype::float32)
                continue;
            for (Dtype dtype : {Dtype::float16, Dtype::bfloat16}) {
                const CollectedCall call = with_dtype(collected, dtype);
                Made made(call);
                if (!engines.takes(made.call())) continue;
                const std::string text = turn(made, true, true);
                EXPECT_TRUE(engines.plan(made.call())) << text;
            }
        }
        for (const auto& [role, count] : engines.found)
            std::printf("%s: %d plans for %s\n", architecture, count, op_with(role).name.c_str());
    }
}

/// What the plans of all layers want besides, in bytes.
size_t workspaces(Engines& engines, bool images, bool weights) {
    size_t bytes = 0;
    for (const Layer& layer : layers)
        for (const CollectedCall& collected : calls_of(layer)) {
            const CollectedCall call = with_dtype(collected, Dtype::float16);
            Made made(call);
            const std::string text = turn(made, images, weights);
            const Plan* plan = engines.plan(made.call());
            EXPECT_TRUE(plan) << text;
            if (plan) bytes += plan->workspace();
        }
    return bytes;
}

// Why halves have their channels last: engines copy other images into their workspace, and the
// weights, too.
TEST(CudnnEngines, of_halves_copy_images_and_weights_of_another_order) {
    for (const char* architecture : architectures) {
        SCOPED_TRACE(architecture);
        Engines engines(architecture);
        if (!engines.deviceless.complaint().empty()) GTEST_SKIP() << engines.deviceless.complaint();
        const size_t rows = workspaces(engines, false, false),
                     images = workspaces(engines, true, false),
                     all = workspaces(engines, true, true);
        std::printf(
            "%s: MiB of workspaces, rows %zu, images with channels last %zu, weights, too %zu\n",
            architecture, rows >> 20, images >> 20, all >> 20);
        EXPECT_LT(images, rows / 4);
        EXPECT_LE(all, images);
    }
}

// Why takes_normalization() leaves these alone.
TEST(CudnnEngines, would_copy_images_to_normalize_them) {
    const Type x{Dtype::float32, {32, 64, 56, 56}}, keys{Dtype::float32, {64}};
    const CollectedCall call{&op_with(LibraryRole::batch_normalization),
                             {x, keys, keys},
                             {{"axis", Axes{0, 2, 3}}},
                             {1e-5}};
    for (const char* architecture : architectures) {
        SCOPED_TRACE(architecture);
        Engines engines(architecture);
        if (!engines.deviceless.complaint().empty()) GTEST_SKIP() << engines.deviceless.complaint();
        Made made(call);
        EXPECT_FALSE(engines.takes(made.call()));
        const Operands operands = cuda::normalization_operands(
            made.call(), Array::empty(keys, CollectingDevice::instance()));
        const auto plans =
            Plan::find(cuda::normalization_operation(LibraryRole::batch_normalization, operands),
                       engines.source(), {.most_workspace = size_t(1) << 30});
        ASSERT_EQ(plans.size(), 1u);
        EXPECT_GE(plans[0].workspace(), 2 * size_t(element_count(x.shape)) * sizeof(float))
            << "x and y once more";
    }
}

TEST(CudnnEngines, that_may_be_measured_are_several) {
    Engines engines("sm_90");
    if (!engines.deviceless.complaint().empty()) GTEST_SKIP() << engines.deviceless.complaint();
    for (const CollectedCall& call : calls_of({{64, 128, 16, 16}, {128, 128, 3, 3}, 1, 1})) {
        Made made(call);
        const LibraryRole role = library_role_of(*call.op);
        const auto plans = Plan::find(
            cuda::window_operation(role, cuda::window_operands(made.call()), call.attributes),
            engines.source(), cuda::EngineRules::of(Dtype::float32), 16);
        std::printf("%s: %zu plans\n", call.text().c_str(), plans.size());
        EXPECT_GE(plans.size(), 2u);
        std::set<std::string> texts;
        for (const Plan& plan : plans) texts.insert(plan.text());
        EXPECT_EQ(texts.size(), plans.size()) << "each is another";
    }
}

TEST(CudnnEngines, that_are_compiled_are_kept_between_processes) {
    std::map<std::string, std::string> kept;
    int found = 0;
    const cuda::PlanStore store{
        .find =
            [&](const std::string& key) {
                const auto known = kept.find(key);
                found += known != kept.end();
                return known == kept.end() ? std::nullopt : std::optional(known->second);
            },
        .keep = [&](const std::string& key, const std::string& plan) { kept[key] = plan; }};
    const CollectedCall compiled = with_dtype(calls_of({{4, 8, 10, 10}, {8, 1, 3, 3}, 1, 1, 8})[0],
                                              Dtype::float16),
                        there = calls_of({{2, 3, 9, 9}, {4, 3, 3, 3}})[0];
    for (int process = 0; process < 3; ++process) {
        Engines engines("sm_90", store);
        if (!engines.deviceless.complaint().empty()) GTEST_SKIP() << engines.deviceless.complaint();
        Made made(compiled), other(there);
        const Plan* plan = engines.plan(made.call());
        ASSERT_TRUE(plan);
        EXPECT_EQ(plan->is_kept(), process == 1);
        EXPECT_EQ(found, std::min(process, 1)) << "damaged ones are made anew";
        EXPECT_EQ(kept.size(), 1u);
        ASSERT_TRUE(engines.plan(other.call()));
        EXPECT_EQ(kept.size(), 1u) << "what is not compiled is found as fast";
        if (process == 1) {
            kept.begin()->second.resize(kept.begin()->second.size() / 2);
            found = 0;
        }
    }
}

}  // namespace
}  // namespace catena::testing

#endif
