#include <algorithm>
#include <map>

#include "codegen/kernel/collapse.h"
#include "codegen/kernel/columns.h"
#include "codegen/kernel/dependence.h"
#include "codegen/kernel/launch_builder.h"
#include "codegen/kernel/plan.h"
#include "runtime/core/system/error.h"
#include "runtime/program/schedule/reduction_blocks.h"

namespace catena::codegen {

namespace {

using Where = KernelPlan::Operand::Kind;

/// Whether the columns of a matrix are summed faster row after row, with the sums in memory, than
/// some columns after the others: what is read then follows from end to end. From 512 columns on it
/// is, with fewer only if many operands come together (measured).
bool sums_row_after_row(const Kernel& kernel, const Dependence& dependence) {
    constexpr int64_t always = 512, with_many = 256, many_operands = 4;
    constexpr double most_beside =
        8;  // Vector instructions on what belongs to a column, which every row repeats.
    if (kernel.domain.rank() != 2 || !kernel.is_reduced(0) || kernel.is_reduced(1)) return false;
    int64_t operands = 0;
    for (int o = 0; o < kernel.operand_count(); ++o) {
        const Strides& strides = kernel.operand(o).strides;
        if (strides[1] != 0 && strides[1] != 1) return false;
        operands += strides[0] != 0 && strides[1] == 1;
    }
    if (kernel.domain[1] < (operands < many_operands ? always : with_many)) return false;
    double beside = 0;
    for (size_t v = 0; v < kernel.values.size(); ++v) {
        const KernelValue& value = kernel.values[v];
        if (value.kind != KernelValue::Kind::instruction || dependence.dims(int(v)) != 1u << 1)
            continue;
        if (facts_of(value.instruction).heavy) return false;
        beside += facts_of(value.instruction).cost;
    }
    return beside <= most_beside;
}

/// Splits one kernel at its reductions.
class Splitter {
public:
    Splitter(const Kernel& kernel, int split_dim, const SplitRule& rule)
        : whole_(kernel),
          dependence_(kernel),
          split_dim_(split_dim),
          by_rows_(rule.rows_in_order && sums_row_after_row(kernel, dependence_)) {
        int64_t per_index = element_count(kernel.domain) / kernel.domain[split_dim];
        int64_t size = kernel.domain[split_dim];
        const ReductionBlocks blocks =
            by_rows_ ? column_blocks(size, 1)
                     : reduction_blocks(size, per_index, rule.elements_per_block, rule.most_blocks);
        block_ = blocks.size;
        blocks_ = blocks.count;
        kept_strides_ = Dims::filled(kernel.domain.rank(), 0);
        for (int dim = kernel.domain.rank() - 1; dim >= 0; --dim) {
            if (kernel.is_reduced(dim)) continue;
            kept_strides_[dim] = kept_;
            kept_ *= kernel.domain[dim];
        }
    }

    KernelPlan run() {
        int last = 0;
        for (const KernelStore& store : whole_.stores)
            last = std::max(last, dependence_.stage(store.value));
        for (int stage = 0; stage <= last; ++stage) {
            const std::vector<int> reductions = dependence_.reductions_of(stage),
                                   full = dependence_.full_outputs_of(stage);
            const std::vector<int> kept = kept_outputs_of(stage);
            if (!reductions.empty()) {
                partial_launch(reductions, full);
                combine_launch(reductions, kept);
            } else if (!full.empty()) {
                plain_launch(full);
            }
        }
        return std::move(plan_);
    }

private:
    /// The other outputs that can be stored after a stage; those of no reduction, after the first.
    std::vector<int> kept_outputs_of(int stage) const {
        std::vector<int> found;
        for (int o = 0; o < int(whole_.outputs.size()); ++o)
            if (!dependence_.is_full_output(o) &&
                std::max(dependence_.stage(whole_.stores[size_t(o)].value), 1) == stage + 1)
                found.push_back(o);
        return found;
    }

    int temporary(Dtype dtype, int64_t elements) {
        plan_.temporaries.push_back({dtype, elements});
        return int(plan_.temporaries.size()) - 1;
    }

    /// A launch that loads the reductions of earlier launches.
    LaunchBuilder builder() {
        LaunchBuilder b(whole_);
        for (auto [v, temporary] : combined_)
            b.set_stored(v, {Where::temporary, temporary},
                         {dtype_of_register(whole_.values[v].type), kept_strides_});
        return b;
    }

    void finish(LaunchBuilder& b) {
        b.kernel().scalar_count = whole_.scalar_count;
        plan_.launches.push_back(std::move(b.launch));
    }

    /// Strides over [blocks, domain] of an operand of the whole kernel.
    Strides blocked(const Strides& strides) const {
        Strides result = strides;
        result.insert(0, strides[split_dim_] * block_);
        return result;
    }

    /// One result per block and reduction, and the full outputs that are ready.
    void partial_launch(const std::vector<int>& reductions, const std::vector<int>& full) {
        LaunchBuilder b = builder();
        partials_.clear();
        for (int r : reductions) {
            Dtype dtype = dtype_of_register(whole_.values[r].type);
            int where = temporary(dtype, blocks_ * kept_);
            partials_.push_back(where);
            const KernelValue& value = whole_.values[r];
            if (by_rows_)
                b.add_output({Where::temporary, where}, b.clone(value.args[0]),
                             {dtype, kept_strides_}, value.combine);
            else
                b.add_output({Where::temporary, where}, b.clone(r), {dtype, kept_strides_});
        }
        for (int o : full)
            b.add_output({Where::output, o}, b.clone(whole_.stores[o].value), whole_.outputs[o]);

        Kernel& kernel = b.kernel();
        kernel.domain = whole_.domain;
        kernel.domain[split_dim_] = block_;
        kernel.domain.insert(0, blocks_);
        kernel.reduced = whole_.reduced << 1;
        if (by_rows_) {
            kernel.reduced = 1u << 2;  // A unit goes along the columns of one row after the other.
            kernel.serial = 1;
        }
        kernel.split = split_dim_ + 1;
        kernel.split_size = whole_.domain[split_dim_];
        for (KernelOperand& input : kernel.inputs) input.strides = blocked(input.strides);
        for (size_t o = 0; o < kernel.outputs.size(); ++o) {
            Strides& strides = kernel.outputs[o].strides;
            strides = blocked(strides);
            if (o < reductions.size()) strides[0] = kept_;
        }
        finish(b);
    }

    /// Combines the blocks in their order and computes what follows from it.
    void combine_launch(const std::vector<int>& reductions, const std::vector<int>& kept) {
        LaunchBuilder b = builder();
        Kernel& kernel = b.kernel();
        // Inputs are written over [blocks, domain] here too; the reduced dimensions of the domain
        // have shrunk to size 1, which collapse() drops.
        Dims over_blocks = kept_strides_;
        for (size_t i = 0; i < reductions.size(); ++i) {
            const KernelValue& value = whole_.values[reductions[i]];
            int input = b.add_input({Where::temporary, partials_[i]},
                                    {dtype_of_register(value.type), over_blocks});
            b.set(reductions[i], kernel.add({.kind = KernelValue::Kind::reduction,
                                             .type = value.type,
                                             .combine = value.combine,
                                             .args = {b.load(input, value.type)}}));
        }
        size_t partial_count = reductions.size();
        for (int r : reductions) {
            Dtype dtype = dtype_of_register(whole_.values[r].type);
            int where = temporary(dtype, kept_);
            b.add_output({Where::temporary, where}, b.clone(r), {dtype, kept_strides_});
            combined_[r] = where;
        }
        for (int o : kept)
            b.add_output({Where::output, o}, b.clone(whole_.stores[o].value), whole_.outputs[o]);

        kernel.domain = whole_.domain;
        for (int dim = 0; dim < whole_.domain.rank(); ++dim)
            if (whole_.is_reduced(dim)) kernel.domain[dim] = 1;
        kernel.domain.insert(0, blocks_);
        kernel.reduced = 1;
        for (size_t i = 0; i < kernel.inputs.size(); ++i)
            kernel.inputs[i].strides.insert(0, i < partial_count ? kept_ : 0);
        for (KernelOperand& output : kernel.outputs) output.strides.insert(0, 0);
        kernel.scalar_count = whole_.scalar_count;
        collapse(kernel);
        finish(b);
    }

    /// Full outputs after the last reduction: nothing is reduced any more.
    void plain_launch(const std::vector<int>& full) {
        LaunchBuilder b = builder();
        for (int o : full)
            b.add_output({Where::output, o}, b.clone(whole_.stores[o].value), whole_.outputs[o]);
        b.kernel().domain = whole_.domain;
        b.kernel().scalar_count = whole_.scalar_count;
        collapse(b.kernel());
        finish(b);
    }

    const Kernel& whole_;
    Dependence dependence_;
    int split_dim_;
    bool by_rows_;
    int64_t block_, blocks_;
    Strides kept_strides_;  ///< Row-major over the dimensions that are not reduced.
    int64_t kept_ = 1;
    KernelPlan plan_;
    std::map<int, int> combined_;  ///< The temporary of each reduction that is combined.
    std::vector<int> partials_;    ///< Temporaries of the stage being built.
};

/// The dimension to split, or -1 when one launch has enough units.
int dimension_to_split(const Kernel& kernel, const SplitRule& rule) {
    int64_t total = element_count(kernel.domain);
    if (kernel.reduced == 0 || total < rule.smallest) return -1;
    if (rule.units(kernel) >= rule.enough_units) return -1;
    for (int dim = 0; dim < kernel.domain.rank(); ++dim)
        if (kernel.is_reduced(dim) && kernel.domain[dim] >= 8) return dim;
    return -1;
}

}  // namespace

KernelPlan plan_launches(const Kernel& original, const SplitRule& rule) {
    Kernel kernel = original;
    if (!has_columns(kernel)) walk_channels_last(kernel);
    collapse(kernel);
    if (has_columns(kernel)) return rule.columns(kernel, rule);
    bool room = kernel.domain.rank() < max_rank;
    if (int dim = dimension_to_split(kernel, rule); dim >= 0 && room)
        return Splitter(kernel, dim, rule).run();

    KernelPlan plan;
    KernelPlan::Launch launch;
    for (size_t i = 0; i < kernel.inputs.size(); ++i)
        launch.inputs.push_back({Where::input, int(i)});
    for (size_t o = 0; o < kernel.outputs.size(); ++o)
        launch.outputs.push_back({Where::output, int(o)});
    launch.kernel = std::move(kernel);
    plan.launches.push_back(std::move(launch));
    return plan;
}

}  // namespace catena::codegen
