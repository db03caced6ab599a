// Column reductions in kernels over rows, in one pass over the memory.
#include <algorithm>

#include "codegen/cpu/kernel.h"
#include "codegen/launch_builder.h"
#include "runtime/core/error.h"
#include "runtime/program/reduction_blocks.h"

namespace catena::codegen {

namespace {

using Where = KernelPlan::Operand::Kind;

bool is_columns(const KernelValue& value) {
    return value.kind == KernelValue::Kind::reduction && value.columns;
}

class ColumnPlanner {
public:
    explicit ColumnPlanner(const KernelProgram& whole) : whole_(whole), strides_(Dims::filled(whole.domain.rank(), 0)) {
        for (int dim = whole.domain.rank() - 1; dim >= 0; --dim) {
            if (!whole.is_reduced(dim)) {
                ++kept_;
                continue;
            }
            strides_[dim] = columns_;
            columns_ *= whole.domain[dim];
        }
        for (size_t v = 0; v < whole.values.size(); ++v)
            if (is_columns(whole.values[v])) sums_.push_back(int(v));
        mark_after();
        int64_t rows = whole.domain[0], beside = 1;
        for (int dim = 1; dim < kept_; ++dim) beside *= whole.domain[dim];
        const ReductionBlocks blocks = column_blocks(rows, beside);
        block_ = blocks.size;
        blocks_ = blocks.count;
    }

    KernelPlan run() {
        for (int v : sums_) plan_.temporaries.push_back({dtype_of_register(whole_.values[v].type), blocks_ * columns_});
        rows_launch();
        combine_launch();
        return std::move(plan_);
    }

private:
    /// Which values need a column.
    void mark_after() {
        after_.assign(whole_.values.size(), false);
        for (size_t v = 0; v < after_.size(); ++v) {
            after_[v] = is_columns(whole_.values[v]);
            for (int arg : whole_.values[v].args) after_[v] = after_[v] || after_[arg];
        }
    }

    void rows_launch() {
        LaunchBuilder b(whole_);
        for (size_t i = 0; i < sums_.size(); ++i) {
            const KernelValue& value = whole_.values[sums_[i]];
            b.add_output({Where::temporary, int(i)}, b.clone(value.args[0]), {dtype_of_register(value.type), strides_},
                         value.combine);
        }
        for (size_t o = 0; o < whole_.outputs.size(); ++o)
            if (!after_[whole_.outputs[o].value])
                b.add_output({Where::output, int(o)}, b.clone(whole_.outputs[o].value), whole_.outputs[o].to);

        KernelProgram& program = b.program();
        program.domain = whole_.domain;
        program.domain[0] = block_;
        program.domain.insert(0, blocks_);
        program.reduced = whole_.reduced << 1;
        program.split = 1;
        program.split_size = whole_.domain[0];
        program.serial = kept_;
        program.scalar_count = whole_.scalar_count;
        for (KernelOperand& input : program.inputs) input.strides.insert(0, input.strides[0] * block_);
        for (KernelProgram::Output& output : program.outputs)
            output.to.strides.insert(0, output.accumulate ? columns_ : output.to.strides[0] * block_);
        plan_.launches.push_back(std::move(b.launch));
    }

    /// Over [blocks, reduced dimensions].
    void combine_launch() {
        LaunchBuilder b(whole_);
        for (size_t i = 0; i < sums_.size(); ++i) {
            const KernelValue& value = whole_.values[sums_[i]];
            int input = b.add_input({Where::temporary, int(i)}, {dtype_of_register(value.type), across(strides_, columns_)});
            b.set(sums_[i], b.program().add({.kind = KernelValue::Kind::reduction,
                                             .type = value.type,
                                             .combine = value.combine,
                                             .args = {b.load(input, value.type)}}));
        }
        for (size_t o = 0; o < whole_.outputs.size(); ++o) {
            const KernelProgram::Output& output = whole_.outputs[o];
            if (after_[output.value])
                b.add_output({Where::output, int(o)}, b.clone(output.value),
                             {output.to.dtype, across(output.to.strides, 0)});
        }
        CATENA_ASSERT(b.program().inputs.size() == sums_.size(), "what follows a sum of columns reads nothing else");
        b.program().domain = across(whole_.domain, blocks_);
        b.program().reduced = 1;
        b.program().scalar_count = whole_.scalar_count;
        b.program() = collapse(b.program());
        plan_.launches.push_back(std::move(b.launch));
    }

    /// `first`, then the numbers of the reduced dimensions.
    Dims across(const Dims& of_domain, int64_t first) const {
        Dims result;
        result.push_back(first);
        for (int dim = 0; dim < whole_.domain.rank(); ++dim)
            if (whole_.is_reduced(dim)) result.push_back(of_domain[dim]);
        return result;
    }

    const KernelProgram& whole_;
    Strides strides_;  ///< Row-major over the reduced dimensions: where a column's accumulator lies.
    int64_t columns_ = 1, block_ = 1, blocks_ = 1;
    int kept_ = 0;
    std::vector<int> sums_;
    std::vector<bool> after_;
    KernelPlan plan_;
};

/// Without row work only the column reductions remain.
KernelProgram only_columns(KernelProgram program) {
    for (KernelValue& value : program.values) value.columns = false;
    program.reduced = (1u << program.domain.rank()) - 1;
    return program;
}

/// Without rows, the reduction of each column is its only element.
KernelProgram without_columns(KernelProgram program) {
    for (KernelValue& value : program.values)
        if (is_columns(value)) {
            std::vector<int> args = value.args;
            value = {.kind = KernelValue::Kind::convert, .type = value.type, .args = std::move(args)};
        }
    return program;
}

}  // namespace

bool has_columns(const KernelProgram& program) {
    return std::any_of(program.values.begin(), program.values.end(), is_columns);
}

KernelPlan plan_columns(const KernelProgram& program, const SplitRule& rule) {
    bool has_rows = false;
    for (int dim = 0; dim < program.domain.rank(); ++dim) has_rows = has_rows || !program.is_reduced(dim);
    if (!has_rows) return plan_launches(without_columns(program), rule);
    if (program.reduced == 0) return plan_launches(only_columns(program), rule);
    return ColumnPlanner(program).run();
}

}  // namespace catena::codegen
