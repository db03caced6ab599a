#include "codegen/kernel/columns.h"
#include "codegen/kernel/dependence.h"
#include "codegen/kernel/launch_builder.h"

namespace catena::codegen {

namespace {

using Where = KernelPlan::Operand::Kind;

class Planner {
public:
    Planner(const Kernel& whole, const SplitRule& rule)
        : whole_(whole),
          rule_(rule),
          dependence_(whole),
          kept_strides_(Dims::filled(whole.domain.rank(), 0)) {
        for (int dim = whole.domain.rank() - 1; dim >= 0; --dim) {
            if (whole.is_reduced(dim)) continue;
            kept_strides_[dim] = kept_;
            kept_ *= whole.domain[dim];
        }
    }

    KernelPlan run() {
        plan_rows();
        plan_the_columns();
        return std::move(plan_);
    }

private:
    bool is_row_reduction(int v) const {
        const KernelValue& value = whole_.values[size_t(v)];
        return value.kind == KernelValue::Kind::reduction && !value.columns;
    }

    /// Results of rows that a column or what follows from it reads.
    std::vector<int> stored_rows() const {
        std::vector<bool> needed(whole_.values.size(), false);
        for (size_t o = 0; o < whole_.outputs.size(); ++o)
            if (int v = whole_.stores[o].value; dependence_.after_columns(v))
                needed[size_t(v)] = true;
        add_operands(whole_, needed, [&](int v) { return is_row_reduction(v); });
        std::vector<int> found;
        for (size_t v = 0; v < needed.size(); ++v)
            if (needed[v] && is_row_reduction(int(v))) found.push_back(int(v));
        return found;
    }

    void plan_rows() {
        LaunchBuilder b(whole_);
        for (int v : stored_rows()) {
            const KernelOperand operand{dtype_of_register(whole_.values[size_t(v)].type),
                                        kept_strides_};
            const KernelPlan::Operand where{Where::temporary, int(plan_.temporaries.size())};
            plan_.temporaries.push_back({operand.dtype, kept_});
            stored_.push_back({v, where, operand});
            b.add_output(where, b.clone(v), operand);
        }
        for (size_t o = 0; o < whole_.outputs.size(); ++o)
            if (!dependence_.after_columns(whole_.stores[o].value))
                b.add_output({Where::output, int(o)}, b.clone(whole_.stores[o].value),
                             whole_.outputs[o]);
        add(b, whole_.reduced);
    }

    void plan_the_columns() {
        LaunchBuilder b(whole_);
        for (const Stored& stored : stored_)
            b.set_stored(stored.value, stored.where, stored.operand);
        for (size_t o = 0; o < whole_.outputs.size(); ++o)
            if (dependence_.after_columns(whole_.stores[o].value))
                b.add_output({Where::output, int(o)}, b.clone(whole_.stores[o].value),
                             whole_.outputs[o]);
        const uint32_t all = (1u << whole_.domain.rank()) - 1;
        for (KernelValue& value : b.kernel().values) value.columns = false;
        add(b, all & ~whole_.reduced);
    }

    /// The launch over the whole domain, planned by itself, in terms of the whole plan's operands.
    void add(LaunchBuilder& b, uint32_t reduced) {
        if (b.launch.outputs.empty()) return;
        b.kernel().domain = whole_.domain;
        b.kernel().reduced = reduced;
        b.kernel().scalar_count = whole_.scalar_count;
        KernelPlan plan = plan_launches(b.kernel(), rule_);
        const int temporaries = int(plan_.temporaries.size());
        auto outside = [&](KernelPlan::Operand& operand) {
            if (operand.kind == Where::temporary)
                operand.index += temporaries;
            else
                operand = (operand.kind == Where::input ? b.launch.inputs
                                                        : b.launch.outputs)[size_t(operand.index)];
        };
        for (KernelPlan::Launch& launch : plan.launches) {
            for (KernelPlan::Operand& operand : launch.inputs) outside(operand);
            for (KernelPlan::Operand& operand : launch.outputs) outside(operand);
            plan_.launches.push_back(std::move(launch));
        }
        plan_.temporaries.insert(plan_.temporaries.end(), plan.temporaries.begin(),
                                 plan.temporaries.end());
    }

    struct Stored {
        int value;
        KernelPlan::Operand where;
        KernelOperand operand;
    };
    const Kernel& whole_;
    const SplitRule& rule_;
    Dependence dependence_;
    Strides kept_strides_;  ///< Row-major over the dimensions that are not reduced.
    int64_t kept_ = 1;
    std::vector<Stored> stored_;
    KernelPlan plan_;
};

}  // namespace

KernelPlan plan_columns_after_rows(const Kernel& kernel, const SplitRule& rule) {
    return Planner(kernel, rule).run();
}

}  // namespace catena::codegen
