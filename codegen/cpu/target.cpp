#include "codegen/cpu/target.h"

#include <cstdlib>

#include <fmt/ranges.h>

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include "runtime/core/environment.h"
#include "runtime/core/error.h"
#include "runtime/program/code_library.h"

namespace catena::codegen {

namespace {

Target detect() {
    Target target;
    target.triple = llvm::sys::getProcessTriple();
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    target.cpu = llvm::sys::getHostCPUName().str();
    bool avx512 = features.lookup("avx512f") && features.lookup("avx512dq") &&
                  features.lookup("avx512bw") && features.lookup("avx512vl");
    bool avx2 = features.lookup("avx2") && features.lookup("fma");

    if (const auto wanted = environment::text("CATENA_CPU")) {
        const std::string_view name = *wanted;
        if (name == "avx2") {
            target.cpu = "x86-64-v3";
            features.clear();
            avx512 = false;
        } else if (name == "scalar") {
            target.cpu = llvm::Triple(target.triple).isX86() ? "x86-64" : "generic";
            features.clear();
            avx512 = avx2 = false;
        } else if (name != "avx512") {
            fail<CompileError>("CATENA_CPU: {} is unknown; use avx512, avx2 or scalar", name);
        }
        if ((name == "avx512" && !avx512) || (name == "avx2" && !avx2))
            fail<CompileError>("CATENA_CPU: this processor ({}) has no {}", target.cpu, name);
    }
    for (const auto& feature : features) {
        if (!target.features.empty()) target.features += ",";
        target.features += (feature.second ? "+" : "-") + feature.first().str();
    }
    target.vector_bytes = avx512 ? 64 : avx2 ? 32 : 16;
    target.key = fmt::format("{} {}-byte vectors", target.cpu, target.vector_bytes);
    return target;
}

}  // namespace

const Target& host_target() {
    static const Target target = detect();
    return target;
}

Target level_target(const std::string& level) {
    Target target;
    target.triple = llvm::sys::getProcessTriple();
    const bool x86 = llvm::Triple(target.triple).isX86();
    if (level == "scalar") {
        target.cpu = x86 ? "x86-64" : "generic";
    } else if (x86 && level == "avx2") {
        target.cpu = "x86-64-v3";
        target.vector_bytes = 32;
    } else if (x86 && level == "avx512") {
        target.cpu = "x86-64-v4";
        target.vector_bytes = 64;
    } else {
        fail<CompileError>("codegen: '{}' is not an instruction set; use one of {}", level,
                           fmt::join(program::known_code_levels(), ", "));
    }
    target.key = fmt::format("{} {}-byte vectors", target.cpu, target.vector_bytes);
    return target;
}

}  // namespace catena::codegen
