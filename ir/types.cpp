#include "ir/types.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include "runtime/core/system/error.h"

namespace catena::ir {

mlir::Type element_type(Dtype dtype, mlir::MLIRContext* context) {
    mlir::Builder b(context);
    switch (dtype) {
        case Dtype::bool_:
            return b.getI1Type();
        case Dtype::int8:
            return b.getIntegerType(8);
        case Dtype::int16:
            return b.getIntegerType(16);
        case Dtype::int32:
            return b.getIntegerType(32);
        case Dtype::int64:
            return b.getIntegerType(64);
        case Dtype::uint8:
            return b.getIntegerType(8, /*isSigned=*/false);
        case Dtype::float16:
            return b.getF16Type();
        case Dtype::bfloat16:
            return b.getBF16Type();
        case Dtype::float32:
            return b.getF32Type();
        case Dtype::float64:
            return b.getF64Type();
    }
    CATENA_ASSERT(false, "a dtype without an element type");
}

Dtype dtype_of(mlir::Type type) {
    if (type.isUnsignedInteger(8)) return Dtype::uint8;
    if (type.isInteger(1)) return Dtype::bool_;
    if (type.isInteger(8)) return Dtype::int8;
    if (type.isInteger(16)) return Dtype::int16;
    if (type.isInteger(32)) return Dtype::int32;
    if (type.isInteger(64)) return Dtype::int64;
    if (type.isF16()) return Dtype::float16;
    if (type.isBF16()) return Dtype::bfloat16;
    if (type.isF32()) return Dtype::float32;
    CATENA_ASSERT(type.isF64(), "not an element type of the catena dialect");
    return Dtype::float64;
}

mlir::RankedTensorType tensor_type(const Type& type, mlir::MLIRContext* context) {
    llvm::ArrayRef<int64_t> shape(type.shape.begin(), type.shape.end());
    return mlir::RankedTensorType::get(shape, element_type(type.dtype, context));
}

mlir::RankedTensorType tensor_type_of(mlir::Value tensor) {
    return llvm::cast<mlir::RankedTensorType>(tensor.getType());
}

Type type_of(mlir::Type type) {
    auto tensor = llvm::cast<mlir::RankedTensorType>(type);
    std::span<const int64_t> shape(tensor.getShape().data(), tensor.getShape().size());
    return {dtype_of(tensor.getElementType()), Shape(shape)};
}

Type type_of(mlir::Value tensor) { return type_of(tensor.getType()); }
Shape shape_of(mlir::Value tensor) { return type_of(tensor).shape; }

mlir::DictionaryAttr to_dictionary(const Attributes& attributes, mlir::MLIRContext* context) {
    mlir::Builder b(context);
    struct Convert {
        mlir::Builder& b;
        mlir::Attribute operator()(bool value) { return b.getBoolAttr(value); }
        mlir::Attribute operator()(int64_t value) { return b.getI64IntegerAttr(value); }
        mlir::Attribute operator()(double value) { return b.getF64FloatAttr(value); }
        mlir::Attribute operator()(const std::string& value) { return b.getStringAttr(value); }
        mlir::Attribute operator()(const Dims& value) {
            return b.getDenseI64ArrayAttr({value.begin(), value.end()});
        }
    };
    llvm::SmallVector<mlir::NamedAttribute> entries;
    for (const Attributes::Entry& entry : attributes.entries())
        entries.push_back(b.getNamedAttr(entry.name, std::visit(Convert{b}, entry.value)));
    return b.getDictionaryAttr(entries);
}

namespace {

std::optional<Attribute> to_attribute(mlir::Attribute value) {
    if (auto flag = llvm::dyn_cast<mlir::BoolAttr>(value)) return Attribute(flag.getValue());
    if (auto text = llvm::dyn_cast<mlir::StringAttr>(value)) return Attribute(text.str());
    if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value);
        integer && integer.getType().isInteger(64))
        return Attribute(integer.getInt());
    if (auto number = llvm::dyn_cast<mlir::FloatAttr>(value); number && number.getType().isF64())
        return Attribute(number.getValueAsDouble());
    if (auto list = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(value); list && list.size() <= max_rank)
        return Attribute(Dims(std::span<const int64_t>(list.asArrayRef())));
    return std::nullopt;
}

}  // namespace

mlir::FailureOr<Attributes> to_attributes(mlir::DictionaryAttr dictionary, std::string* bad) {
    std::vector<Attributes::Entry> entries;
    for (mlir::NamedAttribute entry : dictionary) {
        std::optional<Attribute> value = to_attribute(entry.getValue());
        if (!value) {
            if (bad) *bad = entry.getName().str();
            return mlir::failure();
        }
        entries.push_back({intern(entry.getName().getValue()), std::move(*value)});
    }
    return Attributes(std::move(entries));
}

}  // namespace catena::ir
