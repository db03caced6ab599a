#pragma once

#include "codegen/cuda/kernel_writing.h"

namespace catena::codegen::cuda {

/// Writes the values of a kernel, and the stores of outputs.
class ValueText {
public:
    explicit ValueText(KernelWriting& writing) : w(writing) {}

    /// Writes the values of a level that `wanted` accepts, except reductions, which have a writer
    /// of their own.
    template <class Wanted>
    void write(Level level, Wanted wanted) {
        std::vector<int> values;
        for (int v = 0; v < int(w.kernel.values.size()); ++v)
            if (w.level_of_value(v) == level && wanted(v) &&
                w.kernel.values[size_t(v)].kind != KernelValue::Kind::reduction)
                values.push_back(v);
        write(values);
    }
    /// Writes the stores of outputs at the offsets "o1" or "q1".
    void store(const std::vector<int>& outputs, const char* offset);

private:
    void write(const std::vector<int>& values);
    void store_elements(int operand, int value, const std::string& at);
    std::string offset_of(int operand) const;
    std::string element_text(int value, const std::string& c) const;
    std::string scalar_text(int scalar) const;
    std::string value_text(int value, const std::string& c);

    KernelWriting& w;
};

}  // namespace catena::codegen::cuda
