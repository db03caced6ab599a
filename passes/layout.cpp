#include "passes/layout.h"

#include <map>

#include "llvm/ADT/EquivalenceClasses.h"
#include "mlir/IR/Builders.h"

#include "ir/types.h"
#include "passes/analysis/bytes.h"
#include "passes/analysis/change_limit.h"
#include "passes/analysis/channels_last.h"
#include "passes/analysis/place.h"
#include "passes/passes.h"
#include "runtime/ops/declare/border.h"
#include "runtime/ops/declare/channels_last.h"

namespace catena::passes {

#define GEN_PASS_DEF_LAYOUT
#include "passes/passes.h.inc"

constexpr llvm::StringLiteral attribute_name = "catena.channels_last";

bool is_channels_last(mlir::OpResult result) {
    auto numbers = result.getOwner()->getAttrOfType<mlir::DenseI64ArrayAttr>(attribute_name);
    return numbers && llvm::is_contained(numbers.asArrayRef(), int64_t(result.getResultNumber()));
}

void set_channels_last(llvm::ArrayRef<mlir::OpResult> results) {
    llvm::SmallVector<int64_t> numbers;
    for (mlir::OpResult result : results) numbers.push_back(int64_t(result.getResultNumber()));
    mlir::Operation* op = results.front().getOwner();
    op->setAttr(attribute_name, mlir::DenseI64ArrayAttr::get(op->getContext(), numbers));
}

namespace {

/// [N, C, spatial...] with more than one channel and position: others are in both orders.
bool is_image(mlir::Value value) {
    const Shape shape = ir::shape_of(value);
    int64_t positions = 1;
    for (int d = 2; d < shape.rank(); ++d) positions *= shape[d];
    return shape.rank() >= 3 && shape.rank() <= 5 && shape[1] > 1 && positions > 1;
}

bool is_full(mlir::Value value, ir::GroupOp group) {
    return llvm::equal(ir::shape_of(value), group.getDomain());
}

/// A smaller result of a sweep over [N, C, spatial...] that is an image itself: the sums of the
/// rows of one. In either order they are stored along the channels or one by one.
bool is_smaller_image(mlir::Value value, ir::GroupOp group) {
    const Shape shape = ir::shape_of(value);
    return is_image(value) && shape.rank() == int(group.getDomain().size()) &&
           shape[1] == group.getDomain()[1] && shape[shape.rank() - 1] == 1;
}

/// Whether a smaller result of a sweep over [N, C, spatial...] can be stored in vectors along C.
bool lies_along_channels(mlir::Value value, ir::GroupOp group) {
    const Shape shape = ir::shape_of(value);
    const int channel = shape.rank() - int(group.getDomain().size()) + 1;
    if (channel < 0 || shape[channel] == 1) return true;
    for (int d = channel + 1; d < shape.rank(); ++d)
        if (shape[d] != 1) return false;
    return true;
}

/// Whether the rows of a sweep follow one another: a full result reads a reduction of its row, or
/// columns are reduced, too.
bool runs_row_by_row(ir::GroupOp group) {
    const int rank = int(group.getDomain().size());
    llvm::DenseSet<mlir::Value> reduced;  // Reductions, and what reads them.
    for (mlir::Operation& op : group.getBody().front().without_terminator()) {
        if (auto reduce = mlir::dyn_cast<ir::ReduceOp>(op)) {
            const Shape shape = ir::shape_of(reduce.getInput());
            for (int64_t axis : reduce.getAxes())
                if (shape[int(axis)] != 1 &&
                    !llvm::is_contained(group.getReduced(), axis + rank - shape.rank()))
                    return true;
            reduced.insert(reduce.getResult());
        } else if (llvm::any_of(op.getOperands(),
                                [&](mlir::Value operand) { return reduced.contains(operand); })) {
            reduced.insert(op.result_begin(), op.result_end());
        }
    }
    return llvm::any_of(llvm::zip(group.getResults(), group.yield().getValues()), [&](auto pair) {
        return is_full(std::get<0>(pair), group) && reduced.contains(std::get<1>(pair));
    });
}

/// Whether a group can compute with channels last: it does not run row by row over its innermost
/// dimensions.
bool takes_channels_last(ir::GroupOp group) {
    bool has_full = false;
    for (mlir::Value result : group.getResults()) {
        const bool full = is_full(result, group);
        has_full = has_full || full;
        if (!full && !lies_along_channels(result, group) && !is_smaller_image(result, group))
            return false;
    }
    return group.getReduced().empty() || !group.reduces_rows() || !has_full ||
           !runs_row_by_row(group);
}

/// A program with gradients: its caller changes the states between calls.
bool is_border(mlir::Operation& op) {
    auto call = mlir::dyn_cast<ir::LibraryCall>(op);
    return call && find_op(call.getFunction().str()) == &border_op();
}

class Layouts {
public:
    Layouts(mlir::func::FuncOp function, const ChannelsLastRule& rule)
        : function_(function), rule_(rule) {}

    void run() {
        for (mlir::BlockArgument argument : function_.getArguments()) fixed_.insert(argument);
        keeps_states_ = llvm::none_of(function_.getBody().front(), [](mlir::Operation& op) {
            return mlir::isa<ir::AssignOp>(op) || is_border(op);
        });
        for (mlir::Operation& op : function_.getBody().front()) visit(op);
        for (const auto& [value, bytes] : votes_) sums_[*together_.findLeader(value)] += bytes;
        for (mlir::Operation& op : function_.getBody().front()) decide(op);
    }

private:
    void visit(mlir::Operation& op) {
        if (auto group = mlir::dyn_cast<ir::GroupOp>(op)) return visit_group(group);
        if (auto call = mlir::dyn_cast<ir::LibraryCall>(op)) return visit_call(op, call);
        if (auto slice = mlir::dyn_cast<ir::SliceOp>(op); slice && takes_its_order(slice)) {
            together_.unionSets(key(slice.getInput()), key(slice.getResult()));
            return;
        }
        // A view or an end: row-major on both sides.
        for (mlir::Value operand : op.getOperands()) vote(operand, -1);
        for (mlir::Value result : op.getResults()) fixed_.insert(result);
    }

    /// Whether groups alone read a part of an image whose order is decided here: they walk any
    /// strides.
    bool takes_its_order(ir::SliceOp slice) const {
        return is_image(slice.getInput()) && is_image(slice.getResult()) &&
               !fixed_.contains(slice.getInput()) &&
               llvm::all_of(slice->getUsers(),
                            [](mlir::Operation* user) { return mlir::isa<ir::GroupOp>(user); });
    }

    void visit_group(ir::GroupOp group) {
        llvm::SmallVector<mlir::Value> images;
        for (mlir::Value value : group.getInputs())
            if (is_image(value) && is_full(value, group)) images.push_back(value);
        for (mlir::Value value : group.getResults()) {
            if ((is_image(value) && is_full(value, group)) || is_smaller_image(value, group))
                images.push_back(value);
            else
                fixed_.insert(value);
        }
        if (!takes_channels_last(group)) {
            for (mlir::Value image : images) vote(image, -1);
            for (mlir::Value result : group.getResults()) fixed_.insert(result);
            return;
        }
        for (mlir::Value image : images) together_.unionSets(key(images.front()), key(image));
    }

    ChannelsLast rule_of(ir::LibraryCall call) const {
        const OpDef* op = find_op(call.getFunction().str());
        auto attributes = ir::to_attributes(call.getCallAttributes());
        if (!op || mlir::failed(attributes)) return {};
        SmallVector<Type, 4> types;
        for (mlir::Value input : call.getInputs()) types.push_back(ir::type_of(input));
        return rule_(TypeCall{*op, types, *attributes});
    }

    void visit_call(mlir::Operation& op, ir::LibraryCall call) {
        const ChannelsLast rule = rule_of(call);
        if (rule.alike) return visit_alike(op, call, rule);
        const int gain = rule.preferred || (rule.preferred_packed && keeps_states_) ? 1 : 0;
        for (auto [i, input] : llvm::enumerate(call.getInputs()))
            vote(input, !ChannelsLast::holds(rule.inputs, i)              ? -1
                        : ChannelsLast::holds(rule.indifferent_inputs, i) ? 0
                                                                          : gain);
        for (mlir::OpResult result : op.getResults()) {
            const bool may = ChannelsLast::holds(rule.outputs, result.getResultNumber());
            vote(result, !may ? -1
                         : ChannelsLast::holds(rule.indifferent_outputs, result.getResultNumber())
                             ? 0
                             : gain);
            if (!may) fixed_.insert(result);
        }
    }

    /// Visits a call that costs nothing in either order, as a group does.
    void visit_alike(mlir::Operation& op, ir::LibraryCall call, const ChannelsLast& rule) {
        llvm::SmallVector<mlir::Value> images;
        for (auto [i, input] : llvm::enumerate(call.getInputs())) {
            if (!ChannelsLast::holds(rule.inputs, i))
                vote(input, -1);
            else if (is_image(input))
                images.push_back(input);
        }
        for (mlir::OpResult result : op.getResults()) {
            if (!ChannelsLast::holds(rule.outputs, result.getResultNumber()))
                fixed_.insert(result);
            else if (is_image(result))
                images.push_back(result);
        }
        for (mlir::Value image : images) together_.unionSets(key(images.front()), key(image));
    }

    static const void* key(mlir::Value value) { return value.getAsOpaquePointer(); }

    void vote(mlir::Value value, int gain) {
        if (!mlir::isa<mlir::RankedTensorType>(value.getType()) || !is_image(value)) return;
        together_.insert(key(value));
        votes_[key(value)] += gain * int64_t(bytes_of(value));
    }

    bool is_wanted(mlir::Value value) const {
        const auto leader = together_.findLeader(key(value));
        const auto sum = leader == together_.member_end() ? sums_.end() : sums_.find(*leader);
        return sum != sums_.end() && sum->second > 0;
    }

    void decide(mlir::Operation& op) {
        if (!mlir::isa<ir::GroupOp, ir::LibraryCall>(op)) return;
        llvm::SmallVector<mlir::OpResult> last;
        for (mlir::OpResult result : op.getResults())
            if (is_image(result) && !fixed_.contains(result) && is_wanted(result))
                last.push_back(result);
        if (last.empty() ||
            !ChangeLimit::instance().allows("layout", [&] { return place_of(&op); }))
            return;
        set_channels_last(last);
    }

    mlir::func::FuncOp function_;
    const ChannelsLastRule& rule_;
    bool keeps_states_ = false;  ///< No state is assigned and no gradient computed, as in
                                 ///< inference: weights are packed once for many calls.
    llvm::EquivalenceClasses<const void*> together_;
    std::map<const void*, int64_t> votes_,
        sums_;                           ///< Bytes for channels-last; of each value, of each class.
    llvm::DenseSet<mlir::Value> fixed_;  ///< Row-major whatever is decided.
};

class LayoutPass : public impl::LayoutBase<LayoutPass> {
public:
    using LayoutBase::LayoutBase;
    explicit LayoutPass(ChannelsLastRule rule) : rule_(std::move(rule)) {}

    void runOnOperation() override {
        if (!getOperation().isExternal())
            Layouts(getOperation(), rule_ ? rule_ : rule_of_option()).run();
    }

private:
    ChannelsLastRule rule_of_option() const {
        if (!device) return channels_last_of;
        return [](const TypeCall& call) {
            return device_channels_last_of(call,
                                           {.in_library = [](const TypeCall&) { return true; }});
        };
    }

    ChannelsLastRule rule_;
};

}  // namespace

std::unique_ptr<mlir::Pass> create_layout_pass(ChannelsLastRule rule) {
    return std::make_unique<LayoutPass>(std::move(rule));
}

}  // namespace catena::passes
