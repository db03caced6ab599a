#include <algorithm>

#include "codegen/kernel/collapse.h"
#include "codegen/kernel/columns.h"
#include "codegen/kernel/dependence.h"
#include "codegen/kernel/launch_builder.h"
#include "runtime/core/system/error.h"
#include "runtime/program/schedule/reduction_blocks.h"

namespace catena::codegen {

namespace {

using Where = KernelPlan::Operand::Kind;

bool is_columns(const KernelValue& value) {
    return value.kind == KernelValue::Kind::reduction && value.columns;
}

class ColumnPlanner {
public:
    explicit ColumnPlanner(const Kernel& whole)
        : whole_(whole), dependence_(whole), strides_(Dims::filled(whole.domain.rank(), 0)) {
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
        int64_t rows = whole.domain[0], beside = 1;
        for (int dim = 1; dim < kept_; ++dim) beside *= whole.domain[dim];
        const ReductionBlocks blocks = column_blocks(rows, beside);
        block_ = blocks.size;
        blocks_ = blocks.count;
    }

    KernelPlan run() {
        for (int v : sums_)
            plan_.temporaries.push_back(
                {dtype_of_register(whole_.values[v].type), blocks_ * columns_});
        rows_launch();
        combine_launch();
        return std::move(plan_);
    }

private:
    void rows_launch() {
        LaunchBuilder b(whole_);
        for (size_t i = 0; i < sums_.size(); ++i) {
            const KernelValue& value = whole_.values[sums_[i]];
            b.add_output({Where::temporary, int(i)}, b.clone(value.args[0]),
                         {dtype_of_register(value.type), strides_}, value.combine);
        }
        for (size_t o = 0; o < whole_.outputs.size(); ++o)
            if (!dependence_.after_columns(whole_.stores[o].value))
                b.add_output({Where::output, int(o)}, b.clone(whole_.stores[o].value),
                             whole_.outputs[o]);

        Kernel& kernel = b.kernel();
        kernel.domain = whole_.domain;
        kernel.domain[0] = block_;
        kernel.domain.insert(0, blocks_);
        kernel.reduced = whole_.reduced << 1;
        kernel.split = 1;
        kernel.split_size = whole_.domain[0];
        kernel.serial = kept_;
        kernel.scalar_count = whole_.scalar_count;
        for (KernelOperand& input : kernel.inputs)
            input.strides.insert(0, input.strides[0] * block_);
        for (size_t o = 0; o < kernel.outputs.size(); ++o) {
            Strides& strides = kernel.outputs[o].strides;
            strides.insert(0, kernel.stores[o].accumulate ? columns_ : strides[0] * block_);
        }
        plan_.launches.push_back(std::move(b.launch));
    }

    /// Adds the launch that combines the results of blocks, over [blocks, reduced dimensions].
    void combine_launch() {
        LaunchBuilder b(whole_);
        for (size_t i = 0; i < sums_.size(); ++i) {
            const KernelValue& value = whole_.values[sums_[i]];
            int input = b.add_input({Where::temporary, int(i)},
                                    {dtype_of_register(value.type), across(strides_, columns_)});
            b.set(sums_[i], b.kernel().add({.kind = KernelValue::Kind::reduction,
                                            .type = value.type,
                                            .combine = value.combine,
                                            .args = {b.load(input, value.type)}}));
        }
        for (size_t o = 0; o < whole_.outputs.size(); ++o) {
            const KernelOperand& to = whole_.outputs[o];
            if (dependence_.after_columns(whole_.stores[o].value))
                b.add_output({Where::output, int(o)}, b.clone(whole_.stores[o].value),
                             {to.dtype, across(to.strides, 0)});
        }
        CATENA_ASSERT(b.kernel().inputs.size() == sums_.size(),
                      "what follows a sum of columns reads nothing else");
        b.kernel().domain = across(whole_.domain, blocks_);
        b.kernel().reduced = 1;
        b.kernel().scalar_count = whole_.scalar_count;
        collapse(b.kernel());
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

    const Kernel& whole_;
    Dependence dependence_;
    Strides
        strides_;  ///< Row-major over the reduced dimensions: where a column's accumulator lies.
    int64_t columns_ = 1, block_ = 1, blocks_ = 1;
    int kept_ = 0;
    std::vector<int> sums_;
    KernelPlan plan_;
};

/// The kernel without its row work, of which only the column reductions remain.
Kernel only_columns(Kernel kernel) {
    for (KernelValue& value : kernel.values) value.columns = false;
    kernel.reduced = (1u << kernel.domain.rank()) - 1;
    return kernel;
}

/// The kernel without rows: the reduction of each column is its only element.
Kernel without_columns(Kernel kernel) {
    for (KernelValue& value : kernel.values)
        if (is_columns(value)) become_element(value);
    return kernel;
}

}  // namespace

bool has_columns(const Kernel& kernel) {
    return std::any_of(kernel.values.begin(), kernel.values.end(), is_columns);
}

KernelPlan plan_columns_with_rows(const Kernel& kernel, const SplitRule& rule) {
    bool has_rows = false;
    for (int dim = 0; dim < kernel.domain.rank(); ++dim)
        has_rows = has_rows || !kernel.is_reduced(dim);
    if (!has_rows) return plan_launches(without_columns(kernel), rule);
    if (kernel.reduced == 0) return plan_launches(only_columns(kernel), rule);
    return ColumnPlanner(kernel).run();
}

}  // namespace catena::codegen
