#include "passes/join/join_rows.h"

#include <algorithm>
#include <optional>

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "ir/dialect.h"
#include "ir/types.h"
#include "passes/analysis/change_limit.h"
#include "passes/analysis/place.h"
#include "passes/join/call_joint.h"
#include "passes/join/row_blocks.h"
#include "runtime/ops/declare/moved_rows.h"

namespace catena::passes {
namespace {

std::optional<RowAddition> row_addition(mlir::Operation* op, const Shape& sums) {
    auto call = llvm::dyn_cast_if_present<ir::LibraryCall>(op);
    const OpDef* const definition =
        call && op->getNumResults() == 1 ? find_op(std::string_view(call.getFunction())) : nullptr;
    if (!definition) return std::nullopt;
    const auto attributes = ir::to_attributes(call.getCallAttributes());
    if (mlir::failed(attributes)) return std::nullopt;
    llvm::SmallVector<Type> types;
    for (mlir::Value input : call.getInputs()) types.push_back(ir::type_of(input));
    return addition_of_moved_rows({*definition, {types.data(), types.size()}, *attributes}, sums);
}

/// Rows of `table`, where `places` says.
struct Moved {
    mlir::Operation* by = nullptr;  ///< The gather or scatter.
    mlir::Value places;
    int64_t table_rows;
};

bool is_joined(mlir::Operation* op, llvm::ArrayRef<int> inputs, int output) {
    if (!llvm::isa_and_present<ir::ContractOp>(op) || op->getNumOperands() != 2) return false;
    return llvm::any_of(CallJoint::joinings_of(op), [&](const Joining& joining) {
        return joining.output == output && llvm::equal(joining.inputs, inputs);
    });
}
/// Row i of its result is a function of row i of a, linear, as all contractions are.
bool is_by_rows(mlir::Operation* op) { return is_joined(op, {0, Joining::shared}, 0); }
/// A sum over rows, of products of a row of a and one of b.
bool is_over_rows(mlir::Operation* op) { return is_joined(op, {0, 0}, Joining::sum); }

class Rows {
public:
    explicit Rows(mlir::Block& block) : block_(block) {}

    std::vector<std::string> run() {
        for (mlir::Operation& op : llvm::make_early_inc_range(block_)) {
            if (is_by_rows(&op))
                read_after(&op);
            else if (is_over_rows(&op))
                add_before(&op);
            else if (llvm::isa<ir::ScatterOp>(op))
                multiply_after(&op);
        }
        return std::move(notes_);
    }

private:
    /// Adding rows up costs as much as a product of a few columns.
    static bool pays(int64_t rows, int64_t table_rows, int64_t width) {
        return rows >= 2 * table_rows && width >= 32;
    }
    static bool is_precise(mlir::Value value) {
        const mlir::Type element = ir::tensor_type_of(value).getElementType();
        return element.isF32() || element.isF64();
    }

    bool allows(mlir::Operation* product, const Moved& moved) {
        const auto text = [&] {
            return "the product of " + place_of(product) + " is that of " +
                   std::to_string(moved.table_rows) + " rows of " + place_of(moved.by);
        };
        if (!ChangeLimit::instance().allows("join-calls", text)) return false;
        notes_.push_back(text());
        return true;
    }

    /// The gather that gave the rows; nothing if there is none.
    static std::optional<Moved> gathered(const RowBlocks& blocks) {
        const mlir::Value source = source_of(blocks);
        auto* const gather = source ? source.getDefiningOp() : nullptr;
        if (!llvm::isa_and_present<ir::GatherOp>(gather) || !is_precise(source) ||
            !row_addition(gather, Shape{0, 0}))
            return std::nullopt;
        return Moved{gather, gather->getOperand(1),
                     ir::tensor_type_of(gather->getOperand(0)).getDimSize(0)};
    }

    /// E[places] W is (E W)[places].
    void read_after(mlir::Operation* op) {
        const RowBlocks blocks = row_blocks(op->getOperand(0));
        const std::optional<Moved> moved = gathered(blocks);
        if (!moved ||
            !pays(row_count(op->getOperand(0)), moved->table_rows,
                  ir::tensor_type_of(op->getOperand(0)).getDimSize(1)) ||
            !allows(op, *moved))
            return;
        mlir::OpBuilder builder(op);
        const mlir::Value places = places_of(builder, op, *moved, blocks);
        mlir::Operation* const all = multiplied(builder, op, 0, moved->by->getOperand(0), *moved);
        mlir::Operation* const read = builder.clone(*moved->by);
        read->setLoc(of_both(builder, *moved, op));
        read->setOperands({all->getResult(0), places});
        read->getResult(0).setType(op->getResult(0).getType());
        op->getResult(0).replaceAllUsesWith(read->getResult(0));
    }

    /// The sum of g[i] x E[places[i]] is that of (the sum of g[i] with equal places) x E.
    void add_before(mlir::Operation* op) {
        for (const unsigned side : {0u, 1u}) {
            const mlir::Value rows = op->getOperand(side), others = op->getOperand(1 - side);
            const RowBlocks blocks = row_blocks(rows);
            const std::optional<Moved> moved = gathered(blocks);
            if (!moved ||
                !pays(row_count(rows), moved->table_rows, ir::tensor_type_of(rows).getDimSize(1)) ||
                !allows(op, *moved))
                continue;
            mlir::OpBuilder builder(op);
            const mlir::Value places = places_of(builder, op, *moved, blocks);
            const mlir::Value sums = added(builder, op, *moved, others, places);
            const mlir::Value read =
                where_read(builder, op, *moved, moved->by->getOperand(0), places);
            op->setOperand(side, read);
            op->setOperand(1 - side, sums);
            op->setLoc(of_both(builder, *moved, op));
            return;
        }
    }

    /// The sum of rows g[i] W with equal places is (the sum of such g[i]) W.
    void multiply_after(mlir::Operation* scatter) {
        if (!row_addition(scatter, Shape{0, 0}) || !is_precise(scatter->getResult(0))) return;
        const RowBlocks blocks = row_blocks(scatter->getOperand(0));
        const mlir::Value source = source_of(blocks);
        mlir::Operation* const op = source ? source.getDefiningOp() : nullptr;
        const Moved moved{scatter, scatter->getOperand(1),
                          ir::tensor_type_of(scatter->getResult(0)).getDimSize(0)};
        if (!is_by_rows(op) || !is_read_only_by(source, scatter) ||
            !pays(row_count(source), moved.table_rows, ir::tensor_type_of(source).getDimSize(1)))
            return;
        const std::optional<RowBlocks> order = positions(blocks, row_count(source));
        if (!order || !allows(op, moved)) return;
        mlir::OpBuilder builder(scatter);
        const mlir::Value places = places_of(builder, scatter, moved, *order);
        const mlir::Value sums = added(builder, scatter, moved, op->getOperand(0), places);
        mlir::Operation* const product = multiplied(builder, op, 0, sums, moved);
        scatter->getResult(0).replaceAllUsesWith(
            where_read(builder, scatter, moved, product->getResult(0), places));
    }

    /// Where in the blocks each row of their source stands; nothing unless all are there, once
    /// each.
    static std::optional<RowBlocks> positions(const RowBlocks& blocks, int64_t rows) {
        struct Place {
            int64_t begin, position, count;
        };
        llvm::SmallVector<Place> places;
        int64_t position = 0;
        for (const RowBlock& block : blocks) {
            places.push_back({block.begin, position, block.count});
            position += block.count;
        }
        llvm::sort(places, [](const Place& x, const Place& y) { return x.begin < y.begin; });
        RowBlocks order;
        int64_t end = 0;
        for (const Place& place : places) {
            if (place.begin != end) return std::nullopt;
            end += place.count;
            order.push_back({mlir::Value(), place.position, place.count});
        }
        return end == rows ? std::optional(order) : std::nullopt;
    }

    static mlir::Value places_of(mlir::OpBuilder& builder, mlir::Operation* op, const Moved& moved,
                                 const RowBlocks& blocks) {
        // By one name, so that both directions' are the same.
        const llvm::StringRef function = row_addition(moved.by, Shape{0, 0})->op->name;
        return elements_at(builder, of_both(builder, moved, op), builder.getStringAttr(function),
                           moved.places, blocks);
    }

    /// What is computed of both's operands computes a part of both's steps.
    static mlir::Location of_both(mlir::OpBuilder& builder, const Moved& moved,
                                  mlir::Operation* op) {
        return builder.getFusedLoc({moved.by->getLoc(), op->getLoc()});
    }

    /// The operation `op` of another matrix, of as many rows as the table.
    static mlir::Operation* multiplied(mlir::OpBuilder& builder, mlir::Operation* op,
                                       unsigned operand, mlir::Value matrix, const Moved& moved) {
        mlir::Operation* const product = builder.clone(*op);
        product->setLoc(of_both(builder, moved, op));
        product->setOperand(operand, matrix);
        const mlir::RankedTensorType type = ir::tensor_type_of(op->getResult(0));
        product->getResult(0).setType(mlir::RankedTensorType::get(
            {moved.table_rows, type.getDimSize(1)}, type.getElementType()));
        return product;
    }

    /// `rows` added to zeros.
    static mlir::Value added(mlir::OpBuilder& builder, mlir::Operation* op, const Moved& moved,
                             mlir::Value rows, mlir::Value places) {
        const int64_t width = ir::tensor_type_of(rows).getDimSize(1);
        const RowAddition addition = *row_addition(moved.by, Shape{moved.table_rows, width});
        const auto type = mlir::RankedTensorType::get({moved.table_rows, width},
                                                      ir::tensor_type_of(rows).getElementType());
        const mlir::Location location = of_both(builder, moved, op);
        return ir::ScatterOp::create(builder, location, mlir::TypeRange(type),
                                     builder.getStringAttr(addition.op->name),
                                     mlir::ValueRange{rows, places}, mlir::ValueRange(),
                                     ir::to_dictionary(addition.attributes, builder.getContext()))
            ->getResult(0);
    }

    /// The rows of `table` that are at some place, and zeros: infinity in others meets no zero
    /// then.
    static mlir::Value where_read(mlir::OpBuilder& builder, mlir::Operation* op, const Moved& moved,
                                  mlir::Value table, mlir::Value places) {
        const mlir::Type element = ir::tensor_type_of(table).getElementType();
        const auto type =
            mlir::RankedTensorType::get({ir::tensor_type_of(places).getDimSize(0), 1}, element);
        const llvm::StringRef name = row_addition(moved.by, Shape{0, 0})->op->name;
        const mlir::Location location = of_both(builder, moved, op);
        const auto number = [&](double value) -> mlir::Value {
            return mlir::arith::ConstantOp::create(builder, location,
                                                   builder.getFloatAttr(element, value));
        };
        const mlir::Value ones =
            map(builder, location, name, type, {}, [&](auto) { return number(1); });
        const mlir::Value counts = added(builder, op, moved, ones, places);
        return map(builder, location, name, ir::tensor_type_of(table), {table, counts},
                   [&](mlir::Block::BlockArgListType x) -> mlir::Value {
                       const mlir::Value zero = number(0);
                       const mlir::Value is_read = mlir::arith::CmpFOp::create(
                           builder, location, mlir::arith::CmpFPredicate::OGT, x[1], zero);
                       return mlir::arith::SelectOp::create(builder, location, is_read, x[0], zero);
                   });
    }

    template <class Formula>
    static mlir::Value map(mlir::OpBuilder& builder, mlir::Location location, llvm::StringRef name,
                           mlir::RankedTensorType type, llvm::ArrayRef<mlir::Value> inputs,
                           Formula formula) {
        auto map = ir::MapOp::create(builder, location, mlir::TypeRange(type), name, inputs,
                                     mlir::ValueRange());
        const mlir::OpBuilder::InsertionGuard guard(builder);
        mlir::Block* const body = builder.createBlock(&map.getBody());
        for (size_t i = 0; i < inputs.size(); ++i)
            body->addArgument(type.getElementType(), location);
        ir::YieldOp::create(builder, location, mlir::ValueRange(formula(body->getArguments())));
        return map.getResult(0);
    }

    mlir::Block& block_;
    std::vector<std::string> notes_;
};

}  // namespace

std::vector<std::string> join_rows(mlir::Block& block) { return Rows(block).run(); }

}  // namespace catena::passes
