#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/program/schedule/schedule.h"

namespace catena {

/// `bytes` rounded up to whole cache lines: the offset of the next array.
size_t in_cache_lines(size_t bytes);

/// The library calls of a schedule as C: products and convolutions call libcatena_c, the others
/// functions generated from the ops' element texts (runtime/ops/declare/device_form.h), with sizes
/// and attributes as constants.
class COperations {
public:
    COperations(std::string name, std::string level)
        : name_(std::move(name)), level_(std::move(level)) {}

    /// The C statements that do `call`, for the function NAME_run. Its buffers are at `addresses`,
    /// scratch_bytes() of memory at `scratch`. ValueError when C cannot compute it.
    std::string statements(const program::LibraryCall& call,
                           const std::vector<std::string>& addresses, const std::string& scratch);

    /// The C functions that the statements call.
    std::string functions() const;
    size_t scratch_bytes() const { return scratch_bytes_; }
    /// Whether the statements call libcatena_c.
    bool uses_library() const { return uses_library_; }

private:
    struct Operand {
        Type type;
        Strides strides;
        std::string address;  ///< C expression for the address of the first element.
    };
    struct Call {
        const program::LibraryCall& call;
        std::vector<Operand> inputs, outputs;
        std::string scratch;
        std::string text;  ///< The statements.
        size_t bytes = 0;  ///< Bytes of scratch memory used.
    };

    bool library(Call& call);
    void product(Call& call);
    void convolution(Call& call, int x, int W, int y);
    void elements(Call& call);
    void joined(Call& call);
    void make_contiguous(Call& call);
    void copy(Call& call, const Operand& from, const Operand& to);
    std::string take_scratch(Call& call, size_t bytes);

    std::string name_, level_;
    std::map<std::string, int> numbers_;  ///< The number in the name of each function, by its text.
    std::string functions_;
    size_t scratch_bytes_ = 0;
    bool uses_library_ = false, copies_ = false;
};

}  // namespace catena
