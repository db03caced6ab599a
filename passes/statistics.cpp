#include <optional>

#include "ir/types.h"
#include "passes/analysis/change_limit.h"
#include "passes/analysis/formula_writer.h"
#include "passes/analysis/place.h"
#include "passes/analysis/spread.h"
#include "passes/analysis/sweep.h"
#include "passes/passes.h"
#include "runtime/ops/declare/measured.h"

namespace catena::passes {

#define GEN_PASS_DEF_STATISTICS
#include "passes/passes.h.inc"

namespace {

/// Whether all dimensions but that of the channels are reduced.
bool is_of_channels(ir::ReduceOp sum, const Shape& x) {
    llvm::SmallVector<int64_t> others{0};
    for (int64_t dim = 2; dim < x.rank(); ++dim) others.push_back(dim);
    return x.rank() > 2 && sum.getAxes() == llvm::ArrayRef<int64_t>(others);
}

/// What the call that gives x becomes; null where it stays.
const OpDef* form_of(ir::LibraryCall call) {
    const OpDef* const op = find_op(std::string_view(call.getFunction()));
    const auto attributes = ir::to_attributes(call.getCallAttributes());
    if (!op || mlir::failed(attributes) || call->getNumResults() != 1) return nullptr;
    llvm::SmallVector<Type, 4> types;
    for (mlir::Value input : call.getInputs()) types.push_back(ir::type_of(input));
    return measured_form({*op, types, *attributes});
}

/// The convolution gives the squares around the mean of n elements, the program wants them around a
/// centre that it has made from the sum:
///     sum (x - centre)^2 = sum (x - mean)^2 + n (mean - centre)^2.
/// n is a result of the convolution's, not a constant: machine code contains no sizes.
mlir::Value around_centre(mlir::ResultRange measured, Spread spread) {
    FormulaWriter w(spread.squares);
    const mlir::Value sum = measured[1], squares = measured[2], count = measured[3];
    const auto channels = llvm::cast<mlir::RankedTensorType>(squares.getType()).getShape();
    return w.map("around_centre", channels, {squares, sum, spread.centre, count}, [&](auto v) {
        const mlir::Value e = w.subtract(w.divide(v[1], v[3]), v[2]);
        return w.add(v[0], w.multiply(v[3], w.multiply(e, e)));
    });
}

void measure(ir::LibraryCall call, const OpDef& form, Spread spread) {
    mlir::OpBuilder b(call);
    const auto channels = llvm::cast<mlir::RankedTensorType>(spread.sum.getType());
    const llvm::SmallVector<int64_t> ones(size_t(channels.getRank()), 1);
    const mlir::Type one = mlir::RankedTensorType::get(ones, channels.getElementType());
    const llvm::SmallVector<mlir::Type> types{spread.x.getType(), channels, channels, one};
    auto made = ir::WindowOp::create(b, call.getLoc(), types, b.getStringAttr(form.name),
                                     call.getInputs(), call.getScalars(), call.getCallAttributes());
    spread.sum.getResult().replaceAllUsesWith(made->getResult(1));
    spread.squares.getResult().replaceAllUsesWith(around_centre(made->getResults(), spread));
    spread.sum.erase();
    spread.erase();
    call->getResult(0).replaceAllUsesWith(made->getResult(0));
    call->erase();
}

class StatisticsPass : public impl::StatisticsBase<StatisticsPass> {
public:
    void runOnOperation() override {
        if (getOperation().isExternal()) return;
        for (ir::ReduceOp reduce :
             llvm::to_vector(getOperation().getBody().front().getOps<ir::ReduceOp>())) {
            // The sum comes before the squares, so an erased sum is not visited again.
            const std::optional<Spread> spread = spread_of(reduce);
            if (!spread || spread->sum->getBlock() != reduce->getBlock()) continue;
            auto call = spread->x.getDefiningOp<ir::LibraryCall>();
            const Shape x = ir::shape_of(spread->x);
            if (!call || element_count(x) <= small_domain || !is_of_channels(reduce, x)) continue;
            const OpDef* const form = form_of(call);
            if (form &&
                ChangeLimit::instance().allows("statistics", [&] { return place_of(reduce); }))
                measure(call, *form, *spread);
        }
    }
};

}  // namespace

}  // namespace catena::passes
