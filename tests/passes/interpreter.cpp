#include "tests/passes/interpreter.h"

#include <cmath>
#include <limits>
#include <memory>

#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include "ir/dialect.h"
#include "ir/types.h"
#include "runtime/core/system/error.h"

namespace catena::passes {

namespace {

using Environment = llvm::DenseMap<mlir::Value, Elements>;

/// Calls f(index, k) for the k-th index of `shape` in row-major order.
template <class F>
void for_each_index(const Shape& shape, F f) {
    Dims index = Dims::filled(shape.rank(), 0);
    for (int64_t k = 0, n = element_count(shape); k < n; ++k) {
        f(index, k);
        for (int d = shape.rank(); d-- > 0;) {
            if (++index[d] < shape[d]) break;
            index[d] = 0;
        }
    }
}

/// Position of `index`, aligned at the last dimension, in a tensor of `shape` that broadcasts.
int64_t position(const Dims& index, const Shape& shape) {
    int64_t at = 0;
    for (int d = 0; d < shape.rank(); ++d) {
        int64_t i = index[index.rank() - shape.rank() + d];
        at = at * shape[d] + (shape[d] == 1 ? 0 : i);
    }
    return at;
}

double compute(mlir::Operation& op, llvm::DenseMap<mlir::Value, double>& numbers) {
    auto x = [&](int i) { return numbers.lookup(op.getOperand(i)); };
    if (auto constant = llvm::dyn_cast<mlir::arith::ConstantOp>(op))
        return llvm::cast<mlir::FloatAttr>(constant.getValue()).getValueAsDouble();
    if (llvm::isa<mlir::arith::AddFOp>(op)) return x(0) + x(1);
    if (llvm::isa<mlir::arith::SubFOp>(op)) return x(0) - x(1);
    if (llvm::isa<mlir::arith::MulFOp>(op)) return x(0) * x(1);
    CATENA_ASSERT(false, "the interpreter does not know " + op.getName().getStringRef().str());
}

std::vector<Elements> run_map(ir::MapOp map, const std::vector<Elements>& inputs) {
    Shape shape = ir::shape_of(map.getResult(0));
    std::vector<Elements> results(map.getNumResults(), Elements(element_count(shape)));
    mlir::Block& body = map.getBody().front();
    for_each_index(shape, [&](const Dims& index, int64_t k) {
        llvm::DenseMap<mlir::Value, double> numbers;
        for (auto [i, operand] : llvm::enumerate(map.getOperands())) {
            bool tensor = i < map.getInputs().size();
            numbers[body.getArgument(i)] =
                inputs[i][tensor ? position(index, ir::shape_of(operand)) : 0];
        }
        for (mlir::Operation& op : body.without_terminator()) {
            double y = compute(op, numbers);
            numbers[op.getResult(0)] = y;
        }
        for (auto [r, value] : llvm::enumerate(map.yield().getValues()))
            results[r][k] = numbers.lookup(value);
    });
    return results;
}

Elements run_reduce(ir::ReduceOp reduce, const Elements& input) {
    Shape from = ir::shape_of(reduce.getInput()), to = ir::shape_of(reduce.getResult());
    bool sum = reduce.getCombine() == ir::Combine::sum;
    Elements result(element_count(to), sum ? 0.0 : -std::numeric_limits<double>::infinity());
    for_each_index(from, [&](const Dims& index, int64_t k) {
        double& y = result[position(index, to)];
        y = sum ? y + input[k] : std::max(y, input[k]);
    });
    return result;
}

std::vector<Elements> run(mlir::Operation& op, const std::vector<Elements>& inputs);

std::vector<Elements> run_group(ir::GroupOp group, const std::vector<Elements>& inputs) {
    Environment environment;
    mlir::Block& body = group.getBody().front();
    for (auto [argument, elements] : llvm::zip(body.getArguments(), inputs))
        environment[argument] = elements;
    for (mlir::Operation& op : body.without_terminator()) {
        std::vector<Elements> operands;
        for (mlir::Value operand : op.getOperands()) operands.push_back(environment[operand]);
        for (auto [result, elements] : llvm::zip(op.getResults(), run(op, operands)))
            environment[result] = elements;
    }
    std::vector<Elements> results;
    for (mlir::Value value : group.yield().getValues()) results.push_back(environment[value]);
    return results;
}

std::vector<Elements> run(mlir::Operation& op, const std::vector<Elements>& inputs) {
    if (auto scalar = llvm::dyn_cast<ir::ScalarOp>(op))
        return {{scalar.getSeen()->convertToDouble()}};
    if (auto map = llvm::dyn_cast<ir::MapOp>(op)) return run_map(map, inputs);
    if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(op)) return {run_reduce(reduce, inputs[0])};
    if (auto group = llvm::dyn_cast<ir::GroupOp>(op)) return run_group(group, inputs);
    if (llvm::isa<ir::ReshapeOp>(op)) return {inputs[0]};
    Shape shape = ir::shape_of(op.getResult(0));
    Elements result(element_count(shape));
    if (auto transpose = llvm::dyn_cast<ir::TransposeOp>(op)) {
        Shape from = ir::shape_of(transpose.getInput());
        for_each_index(shape, [&](const Dims& index, int64_t k) {
            Dims source = Dims::filled(from.rank(), 0);
            for (auto [i, axis] : llvm::enumerate(transpose.getAxes())) source[axis] = index[i];
            result[k] = inputs[0][position(source, from)];
        });
    } else if (auto broadcast = llvm::dyn_cast<ir::BroadcastOp>(op)) {
        Shape from = ir::shape_of(broadcast.getInput());
        for_each_index(shape, [&](const Dims& index, int64_t k) {
            result[k] = inputs[0][position(index, from)];
        });
    } else {
        CATENA_ASSERT(llvm::isa<ir::LibraryCall>(op),
                      "the interpreter does not know this operation");
        for (size_t k = 0; k < result.size(); ++k) result[k] = inputs[0][k] + 1;
    }
    return {result};
}

/// Walks the program; how values are read and written is the memory's business.
template <class Memory>
Outcome walk(mlir::func::FuncOp function, Memory& memory) {
    Outcome outcome;
    for (mlir::Operation& op : function.getBody().front()) {
        if (auto assign = llvm::dyn_cast<ir::AssignOp>(op)) {
            int number = int(llvm::cast<mlir::BlockArgument>(assign.getState()).getArgNumber());
            outcome.assigned[number] = memory.read(assign.getValue());
            continue;
        }
        std::vector<Elements> inputs;
        for (mlir::Value operand : op.getOperands()) inputs.push_back(memory.read(operand));
        if (llvm::isa<mlir::func::ReturnOp>(op))
            outcome.results = inputs;
        else
            memory.write(op, inputs);
    }
    return outcome;
}

struct OwnElements {
    Environment environment;

    Elements read(mlir::Value value) { return environment[value]; }
    void write(mlir::Operation& op, const std::vector<Elements>& inputs) {
        for (auto [result, elements] : llvm::zip(op.getResults(), run(op, inputs)))
            environment[result] = elements;
    }
};

}  // namespace

Outcome interpret(mlir::func::FuncOp function, const std::vector<Elements>& arguments) {
    OwnElements memory;
    for (auto [argument, elements] : llvm::zip(function.getArguments(), arguments))
        memory.environment[argument] = elements;
    return walk(function, memory);
}

}  // namespace catena::passes
