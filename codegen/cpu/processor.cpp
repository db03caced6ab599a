#include "codegen/cpu/processor.h"

#include <cstdlib>

#include <fmt/ranges.h>

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include "runtime/core/simd/instruction_set.h"
#include "runtime/core/system/error.h"
#include "runtime/program/run/code_library.h"

namespace catena::codegen::cpu {

namespace {

int vector_bytes(InstructionSet set) {
    return set == InstructionSet::avx512 ? 64 : set == InstructionSet::avx2 ? 32 : 16;
}

/// The processor with all that it has, unless CATENA_CPU asks for less.
Processor detect() {
    const InstructionSet most = find_instruction_set();
    if (most != processor_instruction_set()) return processor_of_level(name_of(most));
    Processor processor;
    processor.triple = llvm::sys::getProcessTriple();
    llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
    processor.cpu = llvm::sys::getHostCPUName().str();
    for (const auto& feature : features) {
        if (!processor.features.empty()) processor.features += ",";
        processor.features += (feature.second ? "+" : "-") + feature.first().str();
    }
    processor.vector_bytes = vector_bytes(most);
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
