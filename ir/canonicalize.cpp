// Canonical forms that need new operations. All are exact: no rounding changes.
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

#include "ir/dialect.h"
#include "ir/types.h"

namespace catena::ir {

namespace {

using mlir::LogicalResult;
using mlir::PatternRewriter;

llvm::ArrayRef<int64_t> sizes(mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

llvm::ArrayRef<int64_t> without_leading_ones(llvm::ArrayRef<int64_t> shape) {
    while (!shape.empty() && shape.front() == 1) shape = shape.drop_front();
    return shape;
}

/// A map without tensor inputs: a splat, one number at every index.
MapOp splat_of(mlir::Value value) {
    auto map = value.getDefiningOp<MapOp>();
    return map && map.getInputs().empty() && map.getNumResults() == 1 ? map : MapOp();
}

/// A map broadcasts implicitly and ignores leading dimensions of size 1.
struct ReadThrough : mlir::OpRewritePattern<MapOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(MapOp map, PatternRewriter& rewriter) const override {
        bool changed = false;
        for (mlir::OpOperand& operand : map.getInputsMutable()) {
            mlir::Value source = source_of(operand.get());
            if (!source || sizes(source).size() > map.shape().size()) continue;
            rewriter.modifyOpInPlace(map, [&] { operand.set(source); });
            changed = true;
        }
        if (changed) return mlir::success();
        return rewriter.notifyMatchFailure(map,
                                           "no input is broadcast or given leading dimensions");
    }

    static mlir::Value source_of(mlir::Value value) {
        if (auto broadcast = value.getDefiningOp<BroadcastOp>()) return broadcast.getInput();
        auto reshape = value.getDefiningOp<ReshapeOp>();
        if (reshape &&
            without_leading_ones(sizes(reshape.getInput())) == without_leading_ones(sizes(value)))
            return reshape.getInput();
        return {};
    }
};

/// Removes inputs and scalars that the region does not read, or that occur twice.
struct DropOperands : mlir::OpRewritePattern<MapOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(MapOp map, PatternRewriter& rewriter) const override {
        mlir::Block& block = map.getBody().front();
        llvm::SmallVector<mlir::Value> inputs, scalars;
        llvm::DenseMap<mlir::Value, mlir::BlockArgument> first;
        llvm::BitVector dropped(block.getNumArguments());
        for (auto [operand, argument] : llvm::zip(map.getOperands(), block.getArguments())) {
            auto [known, is_new] = first.try_emplace(operand, argument);
            if (!argument.use_empty() && is_new) {
                (argument.getArgNumber() < map.getInputs().size() ? inputs : scalars)
                    .push_back(operand);
                continue;
            }
            if (argument.use_empty() && is_new) first.erase(operand);
            dropped.set(argument.getArgNumber());
            if (!is_new) rewriter.replaceAllUsesWith(argument, known->second);
        }
        if (dropped.none())
            return rewriter.notifyMatchFailure(map, "every operand is read, and stands once");
        rewriter.modifyOpInPlace(map, [&] {
            block.eraseArguments(dropped);
            map.getInputsMutable().assign(inputs);
            map.getScalarsMutable().assign(scalars);
        });
        return mlir::success();
    }
};

/// A product reads matrices in either order, a map runs along the rows of what it reads: so one
/// between both comes before the transposition.
struct MapBeforeTranspose : mlir::OpRewritePattern<MapOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(MapOp map, PatternRewriter& rewriter) const override {
        TransposeOp transpose;
        for (mlir::Value input : map.getInputs()) {
            if (element_count(shape_of(input)) == 1) continue;
            if (transpose) return rewriter.notifyMatchFailure(map, "reads several arrays");
            transpose = input.getDefiningOp<TransposeOp>();
            if (!transpose)
                return rewriter.notifyMatchFailure(map, "reads an array that is not transposed");
        }
        if (!transpose || !exchanges_rows_and_columns(transpose) || !transpose->hasOneUse() ||
            map.getNumResults() != 1 || sizes(transpose) != sizes(map.getResult(0)))
            return rewriter.notifyMatchFailure(map, "is not one of a transposed matrix alone");
        if (!llvm::all_of(map->getUsers(),
                          [](mlir::Operation* user) { return llvm::isa<ContractOp>(user); }))
            return rewriter.notifyMatchFailure(map, "is not read by products alone");
        const mlir::Value result = map.getResult(0);
        rewriter.setInsertionPointAfter(map);
        auto turned =
            TransposeOp::create(rewriter, transpose.getLoc(), result.getType(),
                                transpose.getFunctionAttr(), result, transpose.getAxesAttr());
        rewriter.replaceAllUsesExcept(result, turned, turned);
        rewriter.modifyOpInPlace(map, [&] {
            for (mlir::OpOperand& input : map.getInputsMutable())
                if (input.get() == transpose.getResult()) input.set(transpose.getInput());
            map.getResult(0).setType(llvm::cast<mlir::RankedTensorType>(result.getType())
                                         .clone(sizes(transpose.getInput())));
        });
        return mlir::success();
    }

    static bool exchanges_rows_and_columns(TransposeOp transpose) {
        const int64_t rank = int64_t(transpose.getAxes().size());
        for (int64_t i = 0; i < rank; ++i) {
            const int64_t other = i + 2 < rank ? i : i + 2 == rank ? i + 1 : i - 1;
            if (transpose.getAxes()[size_t(i)] != other) return false;
        }
        return rank >= 2;
    }
};

/// Moves a splat input into the region.
struct InlineSplat : mlir::OpRewritePattern<MapOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(MapOp map, PatternRewriter& rewriter) const override {
        for (auto [i, input] : llvm::enumerate(map.getInputs())) {
            MapOp splat = splat_of(input);
            // Storing and loading must not convert, or the value would change.
            if (!splat || splat.compute_type() != map.compute_type() ||
                mlir::getElementTypeOrSelf(input.getType()) != map.compute_type())
                continue;
            inline_region(map, int(i), splat, rewriter);
            return mlir::success();
        }
        return rewriter.notifyMatchFailure(map, "no input is the same number everywhere");
    }

    static void inline_region(MapOp map, int input, MapOp splat, PatternRewriter& rewriter) {
        mlir::Block& block = map.getBody().front();
        mlir::IRMapping mapping;
        rewriter.modifyOpInPlace(map, [&] {
            for (auto [scalar, argument] :
                 llvm::zip(splat.getScalars(), splat.getBody().getArguments())) {
                map.getScalarsMutable().append(scalar);
                mapping.map(argument, block.addArgument(argument.getType(), argument.getLoc()));
            }
        });
        rewriter.setInsertionPointToStart(&block);
        for (mlir::Operation& op : splat.getBody().front().without_terminator())
            rewriter.clone(op, mapping);
        mlir::Value number = mapping.lookupOrDefault(splat.yield().getOperand(0));
        rewriter.replaceAllUsesWith(block.getArgument(input), number);
    }
};

/// A structural operation on a splat is a splat of another shape.
template <class Op>
struct MoveSplat : mlir::OpRewritePattern<Op> {
    using mlir::OpRewritePattern<Op>::OpRewritePattern;

    LogicalResult matchAndRewrite(Op op, PatternRewriter& rewriter) const override {
        MapOp splat = splat_of(op.getInput());
        if (!splat)
            return rewriter.notifyMatchFailure(op, "input is not the same number everywhere");
        auto moved = llvm::cast<MapOp>(rewriter.clone(*splat));
        moved.getResult(0).setType(op.getType());
        rewriter.replaceOp(op, moved);
        return mlir::success();
    }
};

/// A transpose that only moves dimensions of size 1 is a reshape.
template <class Op>
void replace_by_reshape(Op op, PatternRewriter& rewriter) {
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getFunctionAttr(), op.getInput());
}

struct TransposeToReshape : mlir::OpRewritePattern<TransposeOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(TransposeOp op, PatternRewriter& rewriter) const override {
        int64_t last = -1;
        for (int64_t axis : op.getAxes()) {
            if (sizes(op.getInput())[axis] == 1) continue;
            if (axis < last)
                return rewriter.notifyMatchFailure(op, "changes the order of the elements");
            last = axis;
        }
        replace_by_reshape(op, rewriter);
        return mlir::success();
    }
};

struct BroadcastToReshape : mlir::OpRewritePattern<BroadcastOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(BroadcastOp op, PatternRewriter& rewriter) const override {
        if (element_count(shape_of(op.getInput())) != element_count(shape_of(op.getResult())))
            return rewriter.notifyMatchFailure(op, "repeats elements");
        replace_by_reshape(op, rewriter);
        return mlir::success();
    }
};

/// The value of which `parts` are consecutive slices along `axis` that together are all of it; null
/// if none is.
mlir::Value whole_of_slices(mlir::ValueRange parts, int axis) {
    auto first = parts[0].getDefiningOp<SliceOp>();
    if (!first) return {};
    mlir::Value whole = first.getInput();
    int64_t end = 0;
    for (mlir::Value part : parts) {
        auto slice = part.getDefiningOp<SliceOp>();
        if (!slice || slice.getInput() != whole || slice.getBegin()[axis] != end) return {};
        for (size_t i = 0; i < slice.getBegin().size(); ++i)
            if (slice.getStep()[i] != 1 || (int(i) != axis && sizes(part)[i] != sizes(whole)[i]))
                return {};
        end += sizes(part)[axis];
    }
    return end == sizes(whole)[axis] ? whole : mlir::Value();
}

struct ConcatOfSlices : mlir::OpRewritePattern<ConcatOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(ConcatOp concat, PatternRewriter& rewriter) const override {
        mlir::Value whole = whole_of_slices(concat.getInputs(), concat.axis());
        if (!whole)
            return rewriter.notifyMatchFailure(
                concat, "the inputs are not all slices of a value, in order");
        rewriter.replaceOp(concat, whole);
        return mlir::success();
    }
};

/// Concatenated maps whose function is the same become one map of the concatenation.
struct ConcatOfMaps : mlir::OpRewritePattern<ConcatOp> {
    using OpRewritePattern::OpRewritePattern;

    LogicalResult matchAndRewrite(ConcatOp concat, PatternRewriter& rewriter) const override {
        auto first = concat.getInputs()[0].getDefiningOp<MapOp>();
        auto alike = [&](mlir::Value input) {
            auto map = input.getDefiningOp<MapOp>();
            return map && map->hasOneUse() && map.getNumResults() == 1 &&
                   map.getScalars() == first.getScalars() &&
                   map.getInputs().size() == first.getInputs().size() &&
                   mlir::OperationEquivalence::isRegionEquivalentTo(
                       &map.getBody(), &first.getBody(),
                       mlir::OperationEquivalence::IgnoreLocations);
        };
        if (!first || first.getInputs().empty() || !llvm::all_of(concat.getInputs(), alike))
            return rewriter.notifyMatchFailure(concat,
                                               "the inputs are not all made by the same function");
        llvm::SmallVector<mlir::Value> inputs;
        for (size_t i = 0; i < first.getInputs().size(); ++i) {
            mlir::Value input = input_of_all(concat, first, i);
            if (!input)
                return rewriter.notifyMatchFailure(concat,
                                                   "an input of the function has to be copied");
            inputs.push_back(input);
        }
        auto map = llvm::cast<MapOp>(rewriter.clone(*first));
        map.getInputsMutable().assign(inputs);
        map.getResult(0).setType(concat.getResult(0).getType());
        rewriter.replaceOp(concat, map);
        return mlir::success();
    }

    /// Input `i` of the map over the whole value: the common input if constant along the axis, or
    /// the value whose slices are read.
    static mlir::Value input_of_all(ConcatOp concat, MapOp first, size_t i) {
        llvm::SmallVector<mlir::Value> parts;
        for (mlir::Value input : concat.getInputs())
            parts.push_back(input.getDefiningOp<MapOp>().getInputs()[i]);
        int axis = concat.axis() - int(first.shape().size() - sizes(parts[0]).size());
        if (axis < 0 || sizes(parts[0])[axis] == 1)
            if (llvm::all_equal(parts)) return parts[0];
        mlir::Value whole = axis < 0 ? mlir::Value() : whole_of_slices(parts, axis);
        bool fits = whole && sizes(whole)[axis] == sizes(concat.getResult(0))[concat.axis()];
        return fits ? whole : mlir::Value();
    }
};

}  // namespace

int ConcatOp::axis() {
    return int(llvm::cast<mlir::IntegerAttr>(getCallAttributes().get("axis")).getInt());
}

void ConcatOp::getCanonicalizationPatterns(mlir::RewritePatternSet& patterns,
                                           mlir::MLIRContext* context) {
    patterns.add<ConcatOfSlices, ConcatOfMaps>(context);
}
void MapOp::getCanonicalizationPatterns(mlir::RewritePatternSet& patterns,
                                        mlir::MLIRContext* context) {
    patterns.add<ReadThrough, DropOperands, MapBeforeTranspose, InlineSplat>(context);
}
void ReshapeOp::getCanonicalizationPatterns(mlir::RewritePatternSet& patterns,
                                            mlir::MLIRContext* context) {
    patterns.add<MoveSplat<ReshapeOp>>(context);
}
void TransposeOp::getCanonicalizationPatterns(mlir::RewritePatternSet& patterns,
                                              mlir::MLIRContext* context) {
    patterns.add<MoveSplat<TransposeOp>, TransposeToReshape>(context);
}
void BroadcastOp::getCanonicalizationPatterns(mlir::RewritePatternSet& patterns,
                                              mlir::MLIRContext* context) {
    patterns.add<MoveSplat<BroadcastOp>, BroadcastToReshape>(context);
}
void SliceOp::getCanonicalizationPatterns(mlir::RewritePatternSet& patterns,
                                          mlir::MLIRContext* context) {
    patterns.add<MoveSplat<SliceOp>>(context);
}

}  // namespace catena::ir
