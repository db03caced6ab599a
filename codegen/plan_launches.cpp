#include <algorithm>
#include <map>

#include "codegen/kernel_program.h"
#include "codegen/launch_builder.h"
#include "runtime/core/error.h"
#include "runtime/program/reduction_blocks.h"

namespace catena::codegen {

namespace {

using Kind = KernelValue::Kind;
using Where = KernelPlan::Operand::Kind;

/// Number of reductions on the longest path from the inputs to each value.
std::vector<int> stages_of(const KernelProgram& program) {
    std::vector<int> stages(program.values.size());
    for (size_t v = 0; v < stages.size(); ++v) {
        for (int arg : program.values[v].args) stages[v] = std::max(stages[v], stages[arg]);
        stages[v] += program.values[v].kind == Kind::reduction;
    }
    return stages;
}

/// Splits one program at its reductions.
class Splitter {
public:
    Splitter(const KernelProgram& program, int split_dim, const SplitRule& rule)
        : whole_(program), split_dim_(split_dim) {
        int64_t per_index = element_count(program.domain) / program.domain[split_dim];
        int64_t size = program.domain[split_dim];
        const ReductionBlocks blocks = reduction_blocks(size, per_index, rule.elements_per_block, rule.most_blocks);
        block_ = blocks.size;
        blocks_ = blocks.count;
        kept_strides_ = Dims::filled(program.domain.rank(), 0);
        for (int dim = program.domain.rank() - 1; dim >= 0; --dim) {
            if (program.is_reduced(dim)) continue;
            kept_strides_[dim] = kept_;
            kept_ *= program.domain[dim];
        }
    }

    KernelPlan run() {
        std::vector<int> stages = stages_of(whole_);
        int last = 0;
        for (const auto& output : whole_.outputs) last = std::max(last, stages[output.value]);
        for (int stage = 0; stage <= last; ++stage) {
            std::vector<int> reductions, full, kept;
            for (size_t v = 0; v < stages.size(); ++v)
                if (whole_.values[v].kind == Kind::reduction && stages[v] == stage + 1)
                    reductions.push_back(int(v));
            for (size_t o = 0; o < whole_.outputs.size(); ++o) {
                if (varies_reduced(whole_.outputs[o].to)) {
                    if (stages[whole_.outputs[o].value] == stage) full.push_back(int(o));
                } else if (std::max(stages[whole_.outputs[o].value], 1) == stage + 1) {
                    kept.push_back(int(o));
                }
            }
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
    bool varies_reduced(const KernelOperand& operand) const {
        for (int dim = 0; dim < whole_.domain.rank(); ++dim)
            if (whole_.is_reduced(dim) && operand.strides[dim] != 0) return true;
        return false;
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
        b.program().scalar_count = whole_.scalar_count;
        plan_.launches.push_back(std::move(b.launch));
    }

    /// Strides over [blocks, domain] of an operand of the whole program.
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
            b.add_output({Where::temporary, where}, b.clone(r), {dtype, kept_strides_});
        }
        for (int o : full)
            b.add_output({Where::output, o}, b.clone(whole_.outputs[o].value), whole_.outputs[o].to);

        KernelProgram& program = b.program();
        program.domain = whole_.domain;
        program.domain[split_dim_] = block_;
        program.domain.insert(0, blocks_);
        program.reduced = whole_.reduced << 1;
        program.split = split_dim_ + 1;
        program.split_size = whole_.domain[split_dim_];
        for (KernelOperand& input : program.inputs) input.strides = blocked(input.strides);
        for (size_t o = 0; o < program.outputs.size(); ++o) {
            Strides& strides = program.outputs[o].to.strides;
            strides = blocked(strides);
            if (o < reductions.size()) strides[0] = kept_;
        }
        finish(b);
    }

    /// Combines the blocks in their order and computes what follows from it.
    void combine_launch(const std::vector<int>& reductions, const std::vector<int>& kept) {
        LaunchBuilder b = builder();
        KernelProgram& program = b.program();
        // Inputs are written over [blocks, domain] here too; the reduced dimensions of the domain have shrunk
        // to size 1, which collapse() drops.
        Dims over_blocks = kept_strides_;
        for (size_t i = 0; i < reductions.size(); ++i) {
            const KernelValue& value = whole_.values[reductions[i]];
            int input = b.add_input({Where::temporary, partials_[i]},
                                  {dtype_of_register(value.type), over_blocks});
            b.set(reductions[i], program.add({.kind = Kind::reduction,
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
            b.add_output({Where::output, o}, b.clone(whole_.outputs[o].value), whole_.outputs[o].to);

        program.domain = whole_.domain;
        for (int dim = 0; dim < whole_.domain.rank(); ++dim)
            if (whole_.is_reduced(dim)) program.domain[dim] = 1;
        program.domain.insert(0, blocks_);
        program.reduced = 1;
        for (size_t i = 0; i < program.inputs.size(); ++i)
            program.inputs[i].strides.insert(0, i < partial_count ? kept_ : 0);
        for (KernelProgram::Output& output : program.outputs) output.to.strides.insert(0, 0);
        program.scalar_count = whole_.scalar_count;
        program = collapse(program);
        finish(b);
    }

    /// Full outputs after the last reduction: nothing is reduced any more.
    void plain_launch(const std::vector<int>& full) {
        LaunchBuilder b = builder();
        for (int o : full)
            b.add_output({Where::output, o}, b.clone(whole_.outputs[o].value), whole_.outputs[o].to);
        b.program().domain = whole_.domain;
        b.program().scalar_count = whole_.scalar_count;
        b.program() = collapse(b.program());
        finish(b);
    }

    const KernelProgram& whole_;
    int split_dim_;
    int64_t block_, blocks_;
    Strides kept_strides_;  ///< Row-major over the dimensions that are not reduced.
    int64_t kept_ = 1;
    KernelPlan plan_;
    std::map<int, int> combined_;  ///< Reduction -> temporary.
    std::vector<int> partials_;    ///< Temporaries of the stage being built.
};

/// The dimension to split, or -1 when one launch has enough units.
int dimension_to_split(const KernelProgram& program, const SplitRule& rule) {
    int64_t total = element_count(program.domain);
    if (program.reduced == 0 || total < rule.smallest) return -1;
    if (rule.units(program) >= rule.enough_units) return -1;
    for (int dim = 0; dim < program.domain.rank(); ++dim)
        if (program.is_reduced(dim) && program.domain[dim] >= 8) return dim;
    return -1;
}

}  // namespace

KernelPlan plan_launches(const KernelProgram& original, const SplitRule& rule) {
    KernelProgram program = original;
    if (!has_columns(program)) walk_channels_last(program);
    program = collapse(program);
    if (has_columns(program)) return rule.columns(program, rule);
    bool room = program.domain.rank() < max_rank;
    if (int dim = dimension_to_split(program, rule); dim >= 0 && room) return Splitter(program, dim, rule).run();

    KernelPlan plan;
    KernelPlan::Launch launch;
    for (size_t i = 0; i < program.inputs.size(); ++i) launch.inputs.push_back({Where::input, int(i)});
    for (size_t o = 0; o < program.outputs.size(); ++o) launch.outputs.push_back({Where::output, int(o)});
    launch.program = std::move(program);
    plan.launches.push_back(std::move(launch));
    return plan;
}

}  // namespace catena::codegen
