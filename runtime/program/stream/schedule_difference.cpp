#include <algorithm>

#include "runtime/graph/alike_attributes.h"
#include "runtime/program/run/blocked_kernels.h"
#include "runtime/program/stream/schedule_numbers.h"

namespace catena::program {
namespace {

/// The first comparison that fails names the difference.
class Comparison {
public:
    std::string run(const Schedule& a, const Schedule& b) {
        if (!has_regular_blocks(a) || !has_regular_blocks(b)) return "blocks of a reduction";
        if (a.buffers.size() != b.buffers.size() || a.kernels.size() != b.kernels.size() ||
            a.launches.size() != b.launches.size() ||
            a.library_calls.size() != b.library_calls.size() ||
            a.results.size() != b.results.size() || a.input_types.size() != b.input_types.size() ||
            a.cut.launch != b.cut.launch)
            return "numbers of buffers, launches or results";
        for (size_t i = 0; i < a.input_types.size(); ++i)
            if (!alike(a.input_types[i], b.input_types[i]))
                return fmt::format("the type of input {}", i);
        for (size_t i = 0; i < a.buffers.size(); ++i)
            if (!alike(a.buffers[i], b.buffers[i]))
                return fmt::format("the place or life of buffer {}", i);
        for (size_t i = 0; i < a.kernels.size(); ++i)
            if (!alike(a.kernels[i], b.kernels[i]))
                return fmt::format("the code or operands of kernel {}", i);
        for (size_t i = 0; i < a.library_calls.size(); ++i)
            if (!alike(a.library_calls[i], b.library_calls[i]))
                return fmt::format("the call of {}", a.library_calls[i].op->name);
        for (size_t i = 0; i < a.launches.size(); ++i)
            if (a.launches[i].library_call != b.launches[i].library_call ||
                a.launches[i].kernels != b.launches[i].kernels)
                return fmt::format("launch {}", i);
        for (size_t i = 0; i < a.results.size(); ++i)
            if (a.results[i].input != b.results[i].input ||
                !alike(a.results[i].view, b.results[i].view))
                return fmt::format("result {}", i);
        return "";
    }

private:
    static bool alike(const Type& a, const Type& b) {
        return a.dtype == b.dtype && a.shape.rank() == b.shape.rank();
    }

    static bool alike(const View& a, const View& b) {
        return a.buffer == b.buffer && alike(a.type, b.type) &&
               a.strides.rank() == b.strides.rank();
    }

    static bool alike(const Buffer& a, const Buffer& b) {
        return a.place == b.place && a.index == b.index && a.over == b.over && a.donor == b.donor &&
               a.first == b.first && a.last == b.last;
    }

    static bool alike(const KernelLaunch& a, const KernelLaunch& b) {
        const KernelGeometry &p = a.geometry, &q = b.geometry;
        auto same_operand = [](const KernelLaunch::Operand& x, const KernelLaunch::Operand& y) {
            return x.buffer == y.buffer;
        };
        auto same_read = [](const StrideRead& x, const StrideRead& y) {
            return x.operand == y.operand && x.dim == y.dim;
        };
        if (a.key != b.key || a.scalars != b.scalars || a.steps != b.steps ||
            a.row_scratch_rows != b.row_scratch_rows ||
            a.element_nanoseconds != b.element_nanoseconds || p.domain.rank() != q.domain.rank() ||
            p.reduced != q.reduced || p.split != q.split || p.serial != q.serial ||
            p.inputs.size() != q.inputs.size() || p.outputs.size() != q.outputs.size() ||
            !std::ranges::equal(a.operands, b.operands, same_operand) ||
            !std::ranges::equal(a.strides_read, b.strides_read, same_read))
            return false;
        for (size_t o = 0; o < a.operands.size(); ++o) {
            const KernelOperand &x = p.operand(int(o)), &y = q.operand(int(o));
            if (x.dtype != y.dtype || x.strides.rank() != y.strides.rank()) return false;
            if (p.split > 0 &&
                BlockedKernels::is_per_block(p, x) != BlockedKernels::is_per_block(q, y))
                return false;
        }
        return true;
    }

    static bool alike(const LibraryCall& a, const LibraryCall& b) {
        auto same_view = [](const View& x, const View& y) { return alike(x, y); };
        return a.op == b.op && a.scalars == b.scalars && a.steps == b.steps && !a.elements &&
               !b.elements && std::ranges::equal(a.inputs, b.inputs, same_view) &&
               std::ranges::equal(a.outputs, b.outputs, same_view) &&
               alike_attributes(a.attributes, b.attributes);
    }
};

}  // namespace

std::string difference(const Schedule& a, const Schedule& b) { return Comparison().run(a, b); }

}  // namespace catena::program
