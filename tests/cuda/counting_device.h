#pragma once

#include <memory>
#include <vector>

#include "runtime/core/array/code_device.h"
#include "runtime/cuda/library_call.h"

namespace catena::testing {

/// A device of an H100's kind on which nothing is computed, so that models of any size run: it
/// counts what is launched. Its memory takes no room and is zero. Calls of ops that the plug-in
/// would give to cuBLASLt or cuDNN, by the plug-in's own rules, are taken, and not made; the
/// libraries' doubles have to be in place.
class CountingDevice final : public CodeDevice {
public:
    explicit CountingDevice(std::string name);

    struct Counts {
        int64_t kernels = 0;    ///< Generated ones that were started.
        int64_t taken = 0;      ///< Calls that a library would have computed.
        int64_t from_host = 0;  ///< Copies.
        int64_t to_host = 0;
    };
    const Counts& counts() const { return counts_; }

    std::string architecture() const override { return "text"; }
    int multiprocessors() const override { return 132; }
    std::vector<const void*> load(const std::string& image,
                                  std::span<const std::string> names) override;
    void launch_code(const Launch&) override { ++counts_.kernels; }
    bool has_library_for(const KernelCall& call) override;
    bool launch_in_library(const KernelCall& call) override;
    void upload(void*, const void*, size_t) override { ++counts_.from_host; }
    Ref<Storage> allocate(size_t bytes) override;
    void free(Storage* storage) override;
    void copy_from_host(const void*, const Array&) override { ++counts_.from_host; }
    void copy_to_host(const Array& from, void* host) override;

private:
    Counts counts_;
    std::vector<std::unique_ptr<cuda::LibraryProvider>> libraries_;
};

}  // namespace catena::testing
