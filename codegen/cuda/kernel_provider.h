#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "codegen/compiler.h"
#include "runtime/core/array/code_device.h"
#include "runtime/program/run/device_executable.h"
#include "runtime/program/run/element_call.h"

namespace catena::codegen::cuda {

/// Eager operations on a device: each call is compiled as a program of one operation (of its body,
/// where it has one), once for its types and attributes (and once for each value of its
/// scalars where the body computes with them on the host), unless a library of the device's takes
/// it. What has only a kernel of the host runs there, with copies both ways.
class CompilingProvider : public KernelProvider {
public:
    using Compile = std::function<std::shared_ptr<Executable>(const Trace&, const CompileOptions&)>;
    explicit CompilingProvider(Compile compile) : compile_(std::move(compile)) {}

    void run(CodeDevice& device, const KernelCall& call) override;
    void copy(CodeDevice& device, const Array& from, const Array& to) override;
    std::optional<std::string> kept_code(const std::string& key) override;
    void keep_code(const std::string& key, const std::string& code) override;
    int64_t host_calls() const override { return host_calls_; }

private:
    struct Program {
        std::unique_ptr<program::ElementCall>
            elements;  ///< For an op that says how its elements are computed.
        std::shared_ptr<Executable> executable;  ///< Otherwise; null: only the host has a kernel.
        std::vector<int> arguments;              ///< By input of the program: of the call, or -1,
        std::vector<Array> captured;             ///< then this constant.
        std::vector<int> scalar_of;              ///< By scalar of the program: of the call, or -1,
        std::vector<double> scalars;             ///< then this number.
        bool reads_scalars = false;  ///< The body computed with their values: it serves no others.
    };
    std::shared_ptr<const Program> find(CodeDevice& device, const KernelCall& call);
    Program build(CodeDevice& device, const KernelCall& call);

    Compile compile_;
    std::atomic<int64_t> host_calls_{0};
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<const Program>> programs_;
    std::set<std::string>
        reads_scalars_;  ///< Keys of calls whose programs differ by their scalars, too.
};

}  // namespace catena::codegen::cuda
