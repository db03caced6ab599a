#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/core/array/code_device.h"
#include "runtime/graph/op/op.h"

namespace catena::testing {

/// A call without its elements.
struct CollectedCall {
    const OpDef* op;
    std::vector<Type> inputs;
    Attributes attributes;
    std::vector<double> scalars;

    std::string text()
        const;              ///< "convolution(float32[2,3,9,9], float32[4,3,3,3]) stride=[1,1] ..."
    Types outputs() const;  ///< By the op's rule.
};

/// A device on which nothing is computed, so that models of any size run: it keeps the calls of ops
/// that libraries know. Its memory is zero and takes no room.
class CollectingDevice final : public CodeDevice {
public:
    static CollectingDevice& instance();

    /// By text, each once.
    const std::map<std::string, CollectedCall>& calls() const { return calls_; }

    void launch(const KernelCall& call) override;
    std::string architecture() const override { return "text"; }
    int multiprocessors() const override { return 4; }
    std::vector<const void*> load(const std::string& image,
                                  std::span<const std::string> names) override;
    void launch_code(const Launch&) override {}
    void upload(void*, const void*, size_t) override {}
    Ref<Storage> allocate(size_t bytes) override;
    void free(Storage* storage) override;
    void copy_from_host(const void*, const Array&) override {}
    void copy_to_host(const Array& from, void* host) override;

private:
    CollectingDevice() : CodeDevice("collecting") {}
    std::map<std::string, CollectedCall> calls_;
};

}  // namespace catena::testing
