#pragma once

#include "codegen/target.h"

namespace catena {
class CodeDevice;
}

namespace catena::codegen::cuda {

/// The target that is a device with generated kernels: they are CUDA C++, compiled by NVRTC.
class DeviceTarget : public Target {
public:
    DeviceTarget(CodeDevice& device, bool fast_math) : device_(device), fast_math_(fast_math) {}
    bool is_host() const override { return false; }
    ChannelsLastRule channels_last() const override;
    SplitRule split_rule() const override;
    std::shared_ptr<Executable> compile(Draft draft, const Compilation& compilation) override;

private:
    CodeDevice& device_;
    bool fast_math_;
};

}  // namespace catena::codegen::cuda
