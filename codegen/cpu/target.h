#pragma once

#include "codegen/target.h"

namespace catena::codegen::cpu {

/// The target that is this process's processor: LLVM makes the kernels' code, which is cached in
/// the process and on disk.
class HostTarget : public Target {
public:
    explicit HostTarget(bool fast_math) : fast_math_(fast_math) {}
    bool is_host() const override { return true; }
    ChannelsLastRule channels_last() const override { return channels_last_of; }
    SplitRule split_rule() const override;
    std::shared_ptr<Executable> compile(Draft draft, const Compilation& compilation) override;

private:
    bool fast_math_;
};

}  // namespace catena::codegen::cpu
