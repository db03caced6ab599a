#include "codegen/read_group.h"

#include <algorithm>
#include <map>

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include "ir/dialect.h"
#include "ir/types.h"
#include "codegen/views.h"
#include "runtime/core/system/error.h"

namespace catena::codegen {

namespace {

using Kind = KernelValue::Kind;

Register register_of(mlir::Type type) {
    if (type.isInteger(1)) return Register::truth;
    if (type.isInteger(64)) return Register::i64;
    return type.isF64() ? Register::f64 : Register::f32;
}

Register compute_register(Dtype dtype) {
    Register natural = natural_register(dtype);
    return natural == Register::truth ? Register::i64 : natural;
}

/// True when storing as `dtype` and loading again may change a register's value.
bool storing_rounds(Dtype dtype, Register held) {
    switch (dtype) {
        case Dtype::bool_:
            return held != Register::truth;
        case Dtype::int64:
            return held != Register::i64;
        case Dtype::float32:
            return held != Register::f32;
        case Dtype::float64:
            return held != Register::f64;
        default:
            return true;
    }
}

/// A tensor of the group being read.
struct Tensor {
    int input = -1;  ///< Loaded from this input, or
    int value = -1;  ///< computed as this value.
    Register held = Register::f32;
    Dtype dtype{};
};

class GroupReader {
public:
    GroupReader(const std::function<View(mlir::Value)>& view, bool fast_math)
        : view_(view), fast_math_(fast_math) {}

    GroupReading read(mlir::Operation* op) {
        if (auto group = mlir::dyn_cast<ir::GroupOp>(op)) {
            read_group(group);
        } else {
            begin_single(op);
            read_inner(op);
            for (mlir::Value result : op->getResults()) add_output(result, result);
        }
        result_.kernel.scalar_count = int(result_.scalars.size());
        return std::move(result_);
    }

private:
    void read_group(ir::GroupOp group) {
        kernel().domain =
            Dims(std::span<const int64_t>(group.getDomain().data(), group.getDomain().size()));
        for (int64_t dim : group.getReduced()) kernel().reduced |= 1u << dim;
        size_t tensors = group.getInputs().size();
        mlir::Block& body = group.getBody().front();
        for (size_t i = 0; i < tensors; ++i)
            add_input(body.getArgument(unsigned(i)), group.getInputs()[unsigned(i)]);
        for (size_t i = 0; i < group.getScalars().size(); ++i)
            scalars_[body.getArgument(unsigned(tensors + i)).getAsOpaquePointer()] =
                scalar_number(group.getScalars()[unsigned(i)]);
        result_.operations = 0;
        for (mlir::Operation& op : body.without_terminator()) {
            read_inner(&op);
            result_.operations += mlir::isa<ir::MapOp, ir::ReduceOp>(op);
        }
        for (auto [result, yielded] : llvm::zip(group.getResults(), group.yield().getValues()))
            add_output(yielded, result);
    }

    void begin_single(mlir::Operation* op) {
        if (auto map = mlir::dyn_cast<ir::MapOp>(op)) {
            kernel().domain =
                Dims(std::span<const int64_t>(map.shape().data(), map.shape().size()));
            for (mlir::Value input : map.getInputs()) add_input(input, input);
            for (mlir::Value scalar : map.getScalars())
                scalars_[scalar.getAsOpaquePointer()] = scalar_number(scalar);
        } else {
            auto reduce = mlir::cast<ir::ReduceOp>(op);
            kernel().domain = ir::shape_of(reduce.getInput());
            for (int64_t dim : reduce.getAxes()) kernel().reduced |= 1u << dim;
            add_input(reduce.getInput(), reduce.getInput());
        }
    }

    void read_inner(mlir::Operation* op) {
        if (auto map = mlir::dyn_cast<ir::MapOp>(op)) return read_map(map);
        if (auto reduce = mlir::dyn_cast<ir::ReduceOp>(op)) return read_reduce(reduce);
        if (auto reshape = mlir::dyn_cast<ir::ReshapeOp>(op)) {
            tensors_[reshape.getResult().getAsOpaquePointer()] = tensor(reshape.getInput());
            return;
        }
        throw InternalError("codegen: a group holds " + op->getName().getStringRef().str());
    }

    //---- operands

    int scalar_number(mlir::Value scalar) {
        auto& list = result_.scalars;
        auto found = std::find(list.begin(), list.end(), scalar);
        if (found == list.end()) found = list.insert(list.end(), scalar);
        return int(found - list.begin());
    }

    /// Strides of a shape aligned at the domain's last dimension, 0 where it has size 1.
    Strides over_domain(const Shape& shape, const Strides& strides) {
        int rank = kernel().domain.rank();
        // Leading dimensions of size 1 may exceed the domain's rank.
        int skip = shape.rank() - rank;
        Strides result = Dims::filled(rank, 0);
        for (int dim = std::max(skip, 0); dim < shape.rank(); ++dim)
            if (shape[dim] != 1) result[dim - skip] = strides[dim];
        return result;
    }

    void add_input(mlir::Value inside, mlir::Value outside) {
        View view = view_(outside);
        if (tensors_.contains(inside.getAsOpaquePointer())) return;
        tensors_[inside.getAsOpaquePointer()] = {
            int(result_.tensors.size()), -1, {}, view.type.dtype};
        result_.tensors.push_back(outside);
        kernel().inputs.push_back({view.type.dtype, over_domain(view.type.shape, view.strides)});
    }

    void add_output(mlir::Value inside, mlir::Value outside) {
        Type type = ir::type_of(outside.getType());
        Tensor t = tensor(inside);
        int value = t.value;
        if (value < 0) value = get(inside, natural_register(t.dtype));
        kernel().add_output(
            value,
            {type.dtype,
             over_domain(type.shape,
                         strides_in(order_of(mlir::cast<mlir::OpResult>(outside)), type.shape))});
    }

    Tensor& tensor(mlir::Value value) {
        auto found = tensors_.find(value.getAsOpaquePointer());
        CATENA_ASSERT(found != tensors_.end(), "a group reads a tensor from nowhere");
        return found->second;
    }

    /// The element of a tensor in a register, as it would be loaded back from memory.
    int get(mlir::Value value, Register want) {
        Tensor& t = tensor(value);
        if (t.input >= 0) return kernel().load(t.input, want);
        int v = t.value;
        Register held = t.held;
        if (storing_rounds(t.dtype, held)) {
            Register natural = natural_register(t.dtype);
            v = convert(v, held, natural);
            held = natural;
            bool narrow_float = t.dtype == Dtype::float16 || t.dtype == Dtype::bfloat16;
            bool narrow_integer = is_integer(t.dtype) && t.dtype != Dtype::int64;
            if (narrow_integer || (narrow_float && !fast_math_))
                v = kernel().add(
                    {.kind = Kind::round, .type = held, .dtype = t.dtype, .args = {v}});
        }
        return convert(v, held, want);
    }

    int convert(int v, Register from, Register to) {
        if (from == to) return v;
        return kernel().add({.kind = Kind::convert, .type = to, .args = {v}});
    }

    //---- operations

    void read_map(ir::MapOp map) {
        mlir::Block& body = map.getBody().front();
        llvm::DenseMap<mlir::Value, int> inside;
        size_t inputs = map.getInputs().size();
        for (mlir::BlockArgument argument : body.getArguments()) {
            Register type = register_of(argument.getType());
            size_t i = argument.getArgNumber();
            if (i < inputs) {
                inside[argument] = get(map.getInputs()[unsigned(i)], type);
            } else {
                int number =
                    scalars_.at(map.getScalars()[unsigned(i - inputs)].getAsOpaquePointer());
                inside[argument] =
                    kernel().add({.kind = Kind::scalar, .type = type, .operand = number});
            }
        }
        for (mlir::Operation& op : body.without_terminator())
            inside[op.getResult(0)] = read_scalar_op(op, inside);
        for (auto [result, yielded] : llvm::zip(map.getResults(), map.yield().getValues()))
            tensors_[result.getAsOpaquePointer()] = {
                -1, inside.at(yielded), register_of(yielded.getType()), ir::type_of(result).dtype};
    }

    int read_scalar_op(mlir::Operation& op, llvm::DenseMap<mlir::Value, int>& inside) {
        KernelValue value;
        value.type = register_of(op.getResult(0).getType());
        if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(op)) {
            value.kind = Kind::constant;
            if (auto number = mlir::dyn_cast<mlir::FloatAttr>(constant.getValue()))
                value.number = number.getValueAsDouble();
            else
                value.integer = mlir::cast<mlir::IntegerAttr>(constant.getValue()).getInt();
            return kernel().add(std::move(value));
        }
        value.kind = Kind::instruction;
        const llvm::StringRef name = op.getName().getStringRef();
        const std::optional<Instruction> instruction = instruction_of({name.data(), name.size()});
        if (!instruction)
            fail<CompileError>("codegen: kernels have no instruction for {}", name.str());
        value.instruction = *instruction;
        if (auto floats = mlir::dyn_cast<mlir::arith::CmpFOp>(op))
            value.predicate = int(floats.getPredicate());
        if (auto integers = mlir::dyn_cast<mlir::arith::CmpIOp>(op))
            value.predicate = int(integers.getPredicate());
        for (mlir::Value operand : op.getOperands()) value.args.push_back(inside.at(operand));
        if (int truth = truth_again(op, value.args); truth >= 0) return truth;
        return kernel().add(std::move(value));
    }

    /// `x != 0` where x is a truth value that became a number: the truth value. Otherwise -1.
    int truth_again(mlir::Operation& op, const std::vector<int>& args) {
        auto floats = mlir::dyn_cast<mlir::arith::CmpFOp>(op);
        auto integers = mlir::dyn_cast<mlir::arith::CmpIOp>(op);
        bool differs = (floats && floats.getPredicate() == mlir::arith::CmpFPredicate::UNE) ||
                       (integers && integers.getPredicate() == mlir::arith::CmpIPredicate::ne);
        if (!differs) return -1;
        const KernelValue x = kernel().values[size_t(args[0])];
        const KernelValue& other = kernel().values[size_t(args[1])];
        if (other.kind != Kind::constant || other.number != 0 || other.integer != 0) return -1;
        if (x.kind == Kind::convert && kernel().values[size_t(x.args[0])].type == Register::truth)
            return x.args[0];
        if (x.kind == Kind::load && kernel().inputs[size_t(x.operand)].dtype == Dtype::bool_)
            return kernel().load(x.operand, Register::truth);
        return -1;
    }

    void read_reduce(ir::ReduceOp reduce) {
        Type type = ir::type_of(reduce.getResult());
        Register held = compute_register(type.dtype);
        int element = get(reduce.getInput(), held);
        // A tensor that has size 1 wherever the domain is reduced is its own reduction.
        Shape shape = ir::shape_of(reduce.getInput());
        bool spans = false, columns = false;
        int skip = kernel().domain.rank() - shape.rank();
        for (int dim = std::max(-skip, 0); dim < shape.rank(); ++dim) {
            if (kernel().domain[dim + skip] == 1) continue;
            if (kernel().is_reduced(dim + skip))
                spans = spans || shape[dim] != 1;
            else
                columns = columns || llvm::is_contained(reduce.getAxes(), dim);
        }
        if (spans || columns)
            element = kernel().add({.kind = Kind::reduction,
                                    .type = held,
                                    .combine = Combine(int(reduce.getCombine())),
                                    .columns = columns,
                                    .args = {element}});
        tensors_[reduce.getResult().getAsOpaquePointer()] = {-1, element, held, type.dtype};
    }

    Kernel& kernel() { return result_.kernel; }

    const std::function<View(mlir::Value)>& view_;
    bool fast_math_;
    GroupReading result_;
    std::map<const void*, Tensor> tensors_;
    std::map<const void*, int> scalars_;
};

}  // namespace

GroupReading read_group(mlir::Operation* op, const std::function<View(mlir::Value)>& view,
                        bool fast_math) {
    return GroupReader(view, fast_math).read(op);
}

}  // namespace catena::codegen
