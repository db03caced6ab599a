#include "passes/join/row_blocks.h"

#include "ir/types.h"
#include "passes/join/call_joint.h"

namespace catena::passes {
namespace {

int64_t width_of(mlir::Value value) { return ir::tensor_type_of(value).getShape().back(); }

bool keeps_rows(ir::ReshapeOp reshape) {
    return ir::tensor_type_of(reshape.getInput()).getRank() > 0 &&
           ir::tensor_type_of(reshape).getRank() > 0 &&
           width_of(reshape.getInput()) == width_of(reshape);
}
bool keeps_rows(ir::SliceOp slice) {
    const mlir::RankedTensorType from = ir::tensor_type_of(slice.getInput()),
                                 to = ir::tensor_type_of(slice);
    return from.getRank() > 1 && from.getShape().drop_front() == to.getShape().drop_front() &&
           llvm::all_of(slice.getStep(), [](int64_t step) { return step == 1; });
}
bool keeps_rows(ir::ConcatOp concat) {
    return concat.axis() == 0 && ir::tensor_type_of(concat->getResult(0)).getRank() > 1;
}
bool keeps_rows(mlir::Operation* op) {
    if (auto reshape = llvm::dyn_cast<ir::ReshapeOp>(op)) return keeps_rows(reshape);
    if (auto slice = llvm::dyn_cast<ir::SliceOp>(op)) return keeps_rows(slice);
    if (auto concat = llvm::dyn_cast<ir::ConcatOp>(op)) return keeps_rows(concat);
    return false;
}

void add(RowBlocks& blocks, const RowBlock& next) {
    if (next.count == 0) return;
    if (!blocks.empty() && blocks.back().of == next.of &&
        blocks.back().begin + blocks.back().count == next.begin)
        blocks.back().count += next.count;
    else
        blocks.push_back(next);
}

/// Rows [begin, begin + count) of those of the blocks.
RowBlocks part_of(const RowBlocks& blocks, int64_t begin, int64_t count) {
    RowBlocks part;
    for (const RowBlock& block : blocks) {
        const int64_t first = std::max<int64_t>(begin, 0),
                      end = std::min(begin + count, block.count);
        if (first < end) add(part, {block.of, block.begin + first, end - first});
        begin -= block.count;
    }
    return part;
}

}  // namespace

int64_t row_count(mlir::Value value) {
    int64_t count = 1;
    for (const int64_t size : ir::tensor_type_of(value).getShape().drop_back()) count *= size;
    return count;
}

RowBlocks row_blocks(mlir::Value value) {
    mlir::Operation* const op = value.getDefiningOp();
    if (!op || !keeps_rows(op)) return {{value, 0, row_count(value)}};
    if (auto slice = llvm::dyn_cast<ir::SliceOp>(op)) {
        const int64_t count = ir::tensor_type_of(value).getDimSize(0), rows = row_count(value),
                      step = count == 0 ? 0 : rows / count;
        return part_of(row_blocks(slice.getInput()), slice.getBegin()[0] * step, rows);
    }
    RowBlocks blocks;
    for (mlir::Value input : op->getOperands())
        for (const RowBlock& block : row_blocks(input)) add(blocks, block);
    return blocks;
}

mlir::Value source_of(const RowBlocks& blocks) {
    const bool is_one = !blocks.empty() && llvm::all_of(blocks, [&](const RowBlock& block) {
        return block.of == blocks[0].of;
    });
    return is_one ? blocks[0].of : mlir::Value();
}

bool is_read_only_by(mlir::Value value, mlir::Operation* reader) {
    return llvm::all_of(value.getUsers(), [&](mlir::Operation* user) {
        return user == reader || (keeps_rows(user) && is_read_only_by(user->getResult(0), reader));
    });
}

mlir::Value elements_at(mlir::OpBuilder& builder, mlir::Location location,
                        mlir::StringAttr function, mlir::Value value, const RowBlocks& blocks) {
    const auto vector_of = [&](int64_t size) {
        return mlir::RankedTensorType::get({size}, ir::tensor_type_of(value).getElementType());
    };
    const int64_t all = ir::tensor_type_of(value).getNumElements();
    const mlir::Value flat = ir::tensor_type_of(value).getRank() == 1
                                 ? value
                                 : mlir::Value(ir::ReshapeOp::create(
                                       builder, location, vector_of(all), function, value));
    llvm::SmallVector<mlir::Value> parts;
    for (const RowBlock& block : blocks)
        parts.push_back(
            block.count == all
                ? flat
                : mlir::Value(ir::SliceOp::create(
                      builder, location, vector_of(block.count), function, flat,
                      llvm::ArrayRef<int64_t>{block.begin}, llvm::ArrayRef<int64_t>{1})));
    return parts.size() == 1 ? parts[0] : side_by_side(builder, location, parts, 0);
}

}  // namespace catena::passes
