#include "runtime/ops/connection/convolution_statistics.h"

#include <algorithm>

#include "runtime/core/system/error.h"
#include "runtime/cpu/convolution/measured_convolution.h"
#include "runtime/ops/connection/convolution_steps.h"
#include "runtime/ops/declare/channels_last.h"
#include "runtime/ops/declare/device_form.h"
#include "runtime/ops/declare/library_role.h"
#include "runtime/ops/declare/measured.h"
#include "runtime/ops/declare/preparation.h"

namespace catena {
namespace {

constexpr const char* statistics_reason =
    "convolutions that measure their results are for programs for the host";

Types measured_types(const OpDef& convolution, const TypeCall& c) {
    const Type y = convolution.type({convolution, c.inputs, c.attributes})[0];
    if (y.dtype != Dtype::float32)
        fail<DtypeError>("convolution: statistics are of float32, y is {}", to_string(y));
    const Type one{Dtype::float32, Shape::filled(y.shape.rank(), 1)};
    Type channels = one;
    channels.shape[1] = y.shape[1];
    return {y, channels, channels, one};
}

class PreparedMeasurement final : public PreparedCall {
public:
    explicit PreparedMeasurement(const WindowSteps& steps) : convolution_(steps) {}
    size_t scratch_bytes() const override { return convolution_.scratch_bytes(); }
    void run(const KernelCall& call, std::span<std::byte> scratch) override {
        convolution_.run(call.inputs[0], call.inputs[1], call.outputs[0], call.outputs[1],
                         call.outputs[2], scratch);
        if (call.outputs.size() > 3) {
            const Array& y = call.outputs[0];
            const int64_t positions = y.size() / std::max<int64_t>(y.dim(1), 1);
            *call.outputs[3].to_fill<float>() = float(positions);
        }
    }

private:
    MeasuredConvolution convolution_;
};

const OpDef& register_measured(const char* name, int results, const OpDef& convolution) {
    return register_op({
        .name = name,
        .kind = Kind::window,
        .input_count = 2,
        .output_count = results,
        .type =
            [&convolution, results](const TypeCall& c) {
                Types types = measured_types(convolution, c);
                types.resize(size_t(results));
                return types;
            },
        .kernel =
            [](const KernelCall& c) { PreparedMeasurement(window_steps(c.attributes)).run(c, {}); },
        .declared = {library_role(LibraryRole::convolution), preparation([](const KernelCall& c) {
                         return std::make_unique<PreparedMeasurement>(window_steps(c.attributes));
                     }),
                     channels_last_rule([&convolution](const TypeCall& c) {
                         return channels_last_of({convolution, c.inputs, c.attributes});
                     }),
                     measures_result(), host_only(statistics_reason)},
    });
}

}  // namespace

// Where the channels are last anyway: else a sweep of ours gathers as fast.
bool measuring_pays(const TypeCall& c) {
    const bool all_floats =
        c.inputs[0].dtype == Dtype::float32 && c.inputs[1].dtype == Dtype::float32;
    return all_floats && channels_last_of(c).outputs != 0;
}

const OpDef& define_measured_convolution(const OpDef& convolution) {
    register_measured("measured_convolution", 3, convolution);  // In packages of earlier builds.
    return register_measured("counted_convolution", 4, convolution);
}

}  // namespace catena
