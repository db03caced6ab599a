#include "codegen/cpu/processor.h"

#include <cstdlib>

#include <fmt/ranges.h>

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include "runtime/core/system/environment.h"
#include "runtime/core/system/error.h"
#include "runtime/program/run/code_library.h"

namespace catena::codegen::cpu {

namespace {

Processor detect() {
    Processor processor;
    processor.triple = llvm::sys::getProcessTriple();
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    processor.cpu = llvm::sys::getHostCPUName().str();
    bool avx512 = features.lookup("avx512f") && features.lookup("avx512dq") &&
                  features.lookup("avx512bw") && features.lookup("avx512vl");
    bool avx2 = features.lookup("avx2") && features.lookup("fma");

    if (const auto wanted = environment::choice("CATENA_CPU", program::known_code_levels())) {
        const std::string_view name = *wanted;
        if (name == "avx2") {
            processor.cpu = "x86-64-v3";
            features.clear();
            avx512 = false;
        } else if (name == "scalar") {
            processor.cpu = llvm::Triple(processor.triple).isX86() ? "x86-64" : "generic";
            features.clear();
            avx512 = avx2 = false;
        }
        if ((name == "avx512" && !avx512) || (name == "avx2" && !avx2))
            fail<CompileError>("CATENA_CPU: this processor ({}) has no {}", processor.cpu, name);
    }
    for (const auto& feature : features) {
        if (!processor.features.empty()) processor.features += ",";
        processor.features += (feature.second ? "+" : "-") + feature.first().str();
    }
    processor.vector_bytes = avx512 ? 64 : avx2 ? 32 : 16;
    processor.key = fmt::format("{} {}-byte vectors", processor.cpu, processor.vector_bytes);
    return processor;
}

}  // namespace

const Processor& host_processor() {
    static const Processor processor = detect();
    return processor;
}

Processor processor_of_level(const std::string& level) {
    Processor processor;
    processor.triple = llvm::sys::getProcessTriple();
    const bool x86 = llvm::Triple(processor.triple).isX86();
    if (level == "scalar") {
        processor.cpu = x86 ? "x86-64" : "generic";
    } else if (x86 && level == "avx2") {
        processor.cpu = "x86-64-v3";
        processor.vector_bytes = 32;
    } else if (x86 && level == "avx512") {
        processor.cpu = "x86-64-v4";
        processor.vector_bytes = 64;
    } else {
        fail<CompileError>("codegen: '{}' is not an instruction set; use one of {}", level,
                           fmt::join(program::known_code_levels(), ", "));
    }
    processor.key = fmt::format("{} {}-byte vectors", processor.cpu, processor.vector_bytes);
    return processor;
}

}  // namespace catena::codegen::cpu
