#include "ir/assembly.h"

#include "mlir/IR/Builders.h"

#include "ir/dialect.h"

namespace catena::ir {

using mlir::ParseResult;
using Operands = llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand>;

ParseResult parseCallOperands(mlir::OpAsmParser& parser, Operands& inputs, Operands& scalars) {
    if (parser.parseLParen() || parser.parseOperandList(inputs)) return mlir::failure();
    // The MLIR lexer has no token for ';', so scalars follow the word `with`.
    if (mlir::succeeded(parser.parseOptionalKeyword("with")) && parser.parseOperandList(scalars))
        return mlir::failure();
    return parser.parseRParen();
}

void printCallOperands(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::OperandRange inputs,
                       mlir::OperandRange scalars) {
    printer << "(" << inputs;
    if (!scalars.empty()) printer << (inputs.empty() ? "with " : " with ") << scalars;
    printer << ")";
}

ParseResult parseCallTypes(mlir::OpAsmParser& parser, llvm::SmallVectorImpl<mlir::Type>& inputs,
                           llvm::SmallVectorImpl<mlir::Type>& results) {
    mlir::FunctionType type;
    if (parser.parseType(type)) return mlir::failure();
    inputs.append(type.getInputs().begin(), type.getInputs().end());
    results.append(type.getResults().begin(), type.getResults().end());
    return mlir::success();
}

void printCallTypes(mlir::OpAsmPrinter& printer, mlir::Operation*, mlir::TypeRange inputs,
                    mlir::TypeRange results) {
    printer.printFunctionalType(inputs, results);
}

namespace {

ParseResult parse_value(mlir::OpAsmParser& parser, mlir::Attribute& value) {
    llvm::SmallVector<int64_t> numbers;
    if (mlir::failed(parser.parseOptionalLSquare())) return parser.parseAttribute(value);
    if (mlir::succeeded(parser.parseOptionalRSquare())) {
        value = parser.getBuilder().getDenseI64ArrayAttr({});
        return mlir::success();
    }
    auto element = [&]() -> ParseResult { return parser.parseInteger(numbers.emplace_back()); };
    if (parser.parseCommaSeparatedList(element) || parser.parseRSquare()) return mlir::failure();
    value = parser.getBuilder().getDenseI64ArrayAttr(numbers);
    return mlir::success();
}

void print_value(mlir::OpAsmPrinter& printer, mlir::Attribute value) {
    if (auto list = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(value)) {
        printer << "[";
        llvm::interleaveComma(list.asArrayRef(), printer);
        printer << "]";
    } else if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value);
               integer && integer.getType().isInteger(64)) {
        printer << integer.getInt();
    } else if (auto number = llvm::dyn_cast<mlir::FloatAttr>(value);
               number && number.getValue().isFinite()) {
        printer.printAttributeWithoutType(value);
    } else {
        printer << value;  // Infinities and NaN are written in hexadecimal and need their type.
    }
}

}  // namespace

ParseResult parseCallAttributes(mlir::OpAsmParser& parser, mlir::DictionaryAttr& attributes) {
    mlir::NamedAttrList list;
    auto entry = [&]() -> ParseResult {
        std::string name;
        mlir::Attribute value;
        if (parser.parseKeywordOrString(&name) || parser.parseEqual() || parse_value(parser, value))
            return mlir::failure();
        list.append(name, value);
        return mlir::success();
    };
    if (mlir::succeeded(parser.parseOptionalLBrace()) &&
        (parser.parseCommaSeparatedList(entry) || parser.parseRBrace()))
        return mlir::failure();
    attributes = list.getDictionary(parser.getContext());
    return mlir::success();
}

void printCallAttributes(mlir::OpAsmPrinter& printer, mlir::Operation*,
                         mlir::DictionaryAttr attributes) {
    if (attributes.empty()) return;
    printer << " {";
    llvm::interleaveComma(attributes, printer, [&](mlir::NamedAttribute entry) {
        printer.printKeywordOrString(entry.getName());
        printer << " = ";
        print_value(printer, entry.getValue());
    });
    printer << "}";
}

}  // namespace catena::ir
