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

/// Runs eager operations on a device. Each call is compiled as a program of one operation (of its
/// body, where it has one), once for its types and attributes, unless a library of the device
/// computes it. If the body computes with scalars on the host, it is compiled once for each value
/// of these. An operation that has only a kernel of the host runs there, with copies both ways.
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
        /// The kernels, for an op with element texts.
        std::unique_ptr<program::ElementCall> elements;
        /// The compiled program, for other ops; null: only the host has a kernel.
        std::shared_ptr<Executable> executable;
        /// For each input of the program, the argument of the call, or -1 for the constant in
        /// `captured`.
        std::vector<int> arguments;
        std::vector<Array> captured;  ///< The constants, by input of the program.
        /// For each scalar of the program, the scalar of the call, or -1 for the number in
        /// `scalars`.
        std::vector<int> scalar_of;
        std::vector<double> scalars;  ///< The numbers, by scalar of the program.
        /// Whether the body computed with the values of the call's scalars, so that the program
        /// serves no others.
        bool reads_scalars = false;
    };
    std::shared_ptr<const Program> find(CodeDevice& device, const KernelCall& call);
    Program build(CodeDevice& device, const KernelCall& call);

    Compile compile_;
    std::atomic<int64_t> host_calls_{0};
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<const Program>> programs_;
    /// The keys of calls whose programs depend on their scalars, too.
    std::set<std::string> reads_scalars_;
};

}  // namespace catena::codegen::cuda
