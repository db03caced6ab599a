#pragma once

#include <set>
#include <string>
#include <vector>

#include "codegen/kernel/kernel.h"

namespace catena::codegen::cuda {

/// The C++ type of a register, or of an element in memory.
const char* text_of(Register r);
const char* storage_text(Dtype dtype);

/// Texts of expressions in CUDA C++ over the names of other values.
std::string load_text(const std::string& stored, Dtype dtype, Register to);
std::string store_text(const std::string& value, Register from, Dtype dtype);
std::string convert_text(const std::string& value, Register from, Register to);
std::string combine_text(Combine combine, Register type, const std::string& x,
                         const std::string& y);
std::string neutral_text(Combine combine, Register type);
/// The expression of `value`, which is an instruction. If it is computed by the steps of
/// runtime/scalar/math.h, it is added to `math`.
std::string instruction_text(const KernelValue& value, const std::vector<std::string>& args,
                             std::set<Instruction>& math);

/// The text above the kernels of a translation unit: helpers, and the functions of `math`. It needs
/// no header.
std::string preamble_text(const std::set<Instruction>& math);

}  // namespace catena::codegen::cuda
