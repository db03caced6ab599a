#include "codegen/cpu/target.h"

#include "codegen/cpu/code_cache.h"
#include "codegen/cpu/finish.h"
#include "codegen/schedule_text.h"
#include "runtime/program/run/joint_executable.h"

namespace catena::codegen::cpu {

SplitRule HostTarget::split_rule() const { return cpu::split_rule(false); }

std::shared_ptr<Executable> HostTarget::compile(Draft draft, const Compilation& compilation) {
    const CompiledKernels kernels = find_or_compile(finish(draft, {.fast_math = fast_math_}),
                                                    compilation.context, compilation.dump);
    Schedule& schedule = draft.schedule;
    schedule.info.kernels = kernels.distinct;
    schedule.info.code_bytes = kernels.code_bytes;
    schedule.info.bytes = bytes_of(schedule) + kernels.code_bytes;
    schedule.info.compile_seconds = compilation.seconds();
    return program::make_executable(std::move(schedule));
}

}  // namespace catena::codegen::cpu
