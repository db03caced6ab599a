#include "codegen/cuda/target.h"

#include "codegen/cuda/layout.h"
#include "codegen/cuda/schedule_code.h"
#include "passes/dump.h"

namespace catena::codegen::cuda {

SplitRule DeviceTarget::split_rule() const { return cuda::split_rule(false); }

std::shared_ptr<Executable> DeviceTarget::compile(Draft draft, const Compilation& compilation) {
    if (draft.schedule.cut.launch >= 0) fail<CompileError>("programs in two parts run on the host only");
    draft.schedule.info.compile_seconds = compilation.seconds();
    const bool shown = compilation.dump.wants("kernels-cuda");
    std::string text;
    auto program = make_executable(std::move(draft), device_, fast_math_, shown ? &text : nullptr);
    if (shown) compilation.dump.text("kernels-cuda", "cu", text);
    return program;
}

}  // namespace catena::codegen::cuda
