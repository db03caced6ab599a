#include "codegen/cuda/target.h"

#include "codegen/cuda/layout.h"
#include "codegen/cuda/schedule_code.h"
#include "passes/pipeline/dump.h"
#include "runtime/core/array/code_device.h"
#include "runtime/core/system/environment.h"
#include "runtime/graph/settings/config.h"

namespace catena::codegen::cuda {

namespace {

bool has_library_for(CodeDevice& device, const TypeCall& call) {
    Arrays inputs, outputs;
    for (const Type& type : call.inputs) inputs.push_back(Array::empty(type, meta_device()));
    for (const Type& type : call.op.type(call))
        outputs.push_back(Array::empty(type, meta_device()));
    const std::vector<double> scalars(call.op.scalar_names.size());
    return device.has_library_for({call.op, inputs, outputs, call.attributes, scalars});
}

}  // namespace

ChannelsLastRule DeviceTarget::channels_last() const {
    const std::optional<std::string> wish =
        environment::choice("CATENA_CUDA_CHANNELS_LAST", {"always", "never"});
    if (wish == "never") return {};
    const DeviceImages wanted{
        .always = wish == "always",
        .tf32 = config().tf32,
        .in_library = [this](const TypeCall& call) { return has_library_for(device_, call); }};
    return [wanted](const TypeCall& call) { return device_channels_last_of(call, wanted); };
}

SplitRule DeviceTarget::split_rule() const { return cuda::split_rule(false); }

std::shared_ptr<Executable> DeviceTarget::compile(Draft draft, const Compilation& compilation) {
    if (draft.schedule.cut.launch >= 0)
        fail<CompileError>("programs in two parts run on the host only");
    draft.schedule.info.compile_seconds = compilation.seconds();
    const bool shown = compilation.dump.wants("kernels-cuda");
    std::string text;
    auto program = make_executable(std::move(draft), device_, fast_math_, shown ? &text : nullptr);
    if (shown) compilation.dump.text("kernels-cuda", "cu", text);
    return program;
}

}  // namespace catena::codegen::cuda
