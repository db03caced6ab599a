#include "codegen/cpu/kernel_memory.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "runtime/core/system/error.h"

namespace catena::codegen::cpu {

using mlir::Value;
namespace arith = mlir::arith;
namespace LLVM = mlir::LLVM;

namespace {

unsigned alignment_of(mlir::Type element) { return element.getIntOrFloatBitWidth() / 8; }

}  // namespace

KernelMemory::KernelMemory(Lanes& lanes, const Kernel& kernel, const KernelOptions& options,
                           const RowScratch& scratch)
    : lanes_(lanes),
      b(lanes.b),
      loc(lanes.loc),
      kernel_(kernel),
      options_(options),
      scratch_(scratch) {}

//---- arguments

Value KernelMemory::load_field(Value base, int64_t position, mlir::Type type) {
    Value at = LLVM::GEPOp::create(b, loc, base.getType(), type, base,
                                   llvm::ArrayRef<LLVM::GEPArg>{int32_t(position)});
    return LLVM::LoadOp::create(b, loc, type, at);
}

void KernelMemory::read_arguments(Value arguments) {
    mlir::Type pointer = arguments.getType(), i64 = b.getI64Type();
    Value pointers = load_field(arguments, 0, pointer);
    Value scalars = load_field(arguments, 1, pointer);
    Value numbers = load_field(arguments, 2, pointer);
    row_scratch_ = load_field(arguments, 3, pointer);
    int next = 0;
    for (int dim = 0; dim <= kernel_.inner(); ++dim)
        sizes_.push_back(load_field(numbers, next++, i64));
    block_ = load_field(numbers, next++, i64);
    blocks_ = load_field(numbers, next++, i64);
    split_size_ = load_field(numbers, next++, i64);
    scratch_stride_ = load_field(numbers, next++, i64);
    for (int o = 0; o < kernel_.operand_count(); ++o) {
        pointers_.push_back(load_field(pointers, o, pointer));
        Values strides(size_t(kernel_.inner()) + 1);
        for (int dim = 0; dim <= kernel_.inner(); ++dim)
            if (class_of(o, dim) == StrideClass::general)
                strides[dim] = load_field(numbers, next++, i64);
        strides_.push_back(strides);
    }
    for (int s = 0; s < kernel_.scalar_count; ++s)
        scalars_.push_back(load_field(scalars, s, b.getF64Type()));
    offsets_.assign(size_t(kernel_.operand_count()), lanes_.index(0));
}

//---- where

void KernelMemory::step(int dim, Value i) {
    for (int o = 0; o < kernel_.operand_count(); ++o) {
        StrideClass kind = class_of(o, dim);
        if (kind == StrideClass::zero) continue;
        Value way = kind == StrideClass::one ? i : lanes_.mul(i, strides_[size_t(o)][size_t(dim)]);
        offsets_[size_t(o)] = lanes_.add(offsets_[size_t(o)], way);
    }
}

void KernelMemory::set_mask(Value remaining) {
    remaining_ = remaining;
    llvm::SmallVector<int32_t> counting;
    for (int i = 0; i < lanes_.width(); ++i) counting.push_back(i);
    auto type = lanes_.vector_of(b.getI32Type());
    Value lane = arith::ConstantOp::create(
        b, loc, mlir::DenseElementsAttr::get(type, llvm::ArrayRef<int32_t>(counting)));
    Value limit = arith::TruncIOp::create(b, loc, b.getI32Type(),
                                          lanes_.min(remaining, lanes_.index(lanes_.width())));
    mask_ = lanes_.compare(arith::CmpIPredicate::slt, lane, lanes_.splat(limit));
}

Value KernelMemory::address(int operand, Value offset, mlir::Type element) {
    return LLVM::GEPOp::create(b, loc, pointers_[size_t(operand)].getType(), element,
                               pointers_[size_t(operand)], llvm::ArrayRef<LLVM::GEPArg>{offset});
}

Value KernelMemory::address_of_copy(int operand, int c, mlir::Type element) {
    Value offset = offsets_[size_t(operand)];
    if (c > 0) offset = lanes_.add(offset, lanes_.index(int64_t(c) * lanes_.width()));
    return address(operand, offset, element);
}

//---- loads

Value KernelMemory::load(int operand, Register type, int c) {
    Dtype dtype = kernel_.operand(operand).dtype;
    mlir::Type element = lanes_.storage_type(dtype);
    unsigned alignment = unsigned(size_of(dtype));
    StrideClass kind = class_of(operand, kernel_.inner());
    Value stored;
    if (c < 0 || lanes_.width() == 1) {
        Value offset = offsets_[size_t(operand)];
        if (c > 0) {
            Value stride = kind == StrideClass::one
                               ? lanes_.index(1)
                               : strides_[size_t(operand)][size_t(kernel_.inner())];
            offset = lanes_.add(offset, lanes_.mul(lanes_.index(c), stride));
        }
        stored =
            LLVM::LoadOp::create(b, loc, element, address(operand, offset, element), alignment);
    } else if (kind == StrideClass::one) {
        stored = load_lanes(address_of_copy(operand, c, element), element, alignment);
    } else {
        stored = gather(operand, element, c, alignment);
    }
    return lanes_.from_storage(stored, dtype, type);
}

void KernelMemory::fetch(int input, int dim, int64_t indices, int c) {
    constexpr uint32_t for_reading = 0, second_level_cache = 2, data = 1;
    constexpr int64_t cache_line = 64;
    const Dtype dtype = kernel_.inputs[size_t(input)].dtype;
    const int64_t further = int64_t(c) * lanes_.width();
    if (further * int64_t(size_of(dtype)) % cache_line != 0)
        return;  // The copy before has asked for it.
    const mlir::Type element = lanes_.storage_type(dtype);
    const bool along_lanes = class_of(input, dim) == StrideClass::one;
    Value way = along_lanes
                    ? lanes_.index(indices + further)
                    : lanes_.mul(lanes_.index(indices), strides_[size_t(input)][size_t(dim)]);
    if (!along_lanes && c > 0) way = lanes_.add(way, lanes_.index(further));
    LLVM::Prefetch::create(b, loc,
                           address(input, lanes_.add(offsets_[size_t(input)], way), element),
                           for_reading, second_level_cache, data);
}

Value KernelMemory::gather(int operand, mlir::Type element, int c, unsigned alignment) {
    Value vector = lanes_.constant(lanes_.vector_of(element), 0);
    Value stride = strides_[size_t(operand)][size_t(kernel_.inner())];
    Value last = mask_ ? lanes_.sub(remaining_, lanes_.index(1)) : Value();
    for (int lane = 0; lane < lanes_.width(); ++lane) {
        Value i = lanes_.index(int64_t(c) * lanes_.width() + lane);
        // Lanes past the end read the last element again: in bounds, and ignored.
        if (last) i = lanes_.min(i, last);
        Value offset = lanes_.add(offsets_[size_t(operand)], lanes_.mul(i, stride));
        Value one =
            LLVM::LoadOp::create(b, loc, element, address(operand, offset, element), alignment);
        vector = lanes_.insert(one, vector, lane);
    }
    return vector;
}

/// One vector of contiguous memory, under the mask where there is one.
Value KernelMemory::load_lanes(Value at, mlir::Type element, unsigned alignment) {
    if (lanes_.width() == 1) return LLVM::LoadOp::create(b, loc, element, at, alignment);
    mlir::VectorType vector = lanes_.vector_of(element);
    if (!mask_) return LLVM::LoadOp::create(b, loc, vector, at, alignment);
    return LLVM::MaskedLoadOp::create(b, loc, vector, at, mask_, lanes_.constant(vector, 0),
                                      alignment);
}

//---- stores

void KernelMemory::store_scalar(int o, Value scalar, Register from) {
    Dtype dtype = kernel_.outputs[size_t(o)].dtype;
    int operand = kernel_.operand_of_output(o);
    Value at = address(operand, offsets_[size_t(operand)], lanes_.storage_type(dtype));
    LLVM::StoreOp::create(b, loc, lanes_.to_storage(scalar, from, dtype), at,
                          unsigned(size_of(dtype)));
}

void KernelMemory::store(int o, Value value, Register from, int c) {
    Dtype dtype = kernel_.outputs[size_t(o)].dtype;
    int operand = kernel_.operand_of_output(o);
    CATENA_ASSERT(class_of(operand, kernel_.inner()) == StrideClass::one,
                  "a kernel's output is not contiguous");
    mlir::Type element = lanes_.storage_type(dtype);
    Value at = address_of_copy(operand, c, element);
    const std::optional<Combine>& accumulate = kernel_.stores[size_t(o)].accumulate;
    if (accumulate) {
        Value before =
            lanes_.from_storage(load_lanes(at, element, unsigned(size_of(dtype))), dtype, from);
        value = lanes_.combine(*accumulate, before, value);
    }
    store_lanes(at, lanes_.to_storage(value, from, dtype), dtype, !accumulate);
}

void KernelMemory::store_neutral(int o) {
    const Dtype dtype = kernel_.outputs[size_t(o)].dtype;
    Register type = kernel_.stored(o).type;
    mlir::Type scalar = lanes_.scalar_type(type);
    mlir::Type lanes = lanes_.width() > 1 ? mlir::Type(lanes_.vector_of(scalar)) : scalar;
    Value neutral = lanes_.to_storage(lanes_.neutral(*kernel_.stores[size_t(o)].accumulate, lanes),
                                      type, dtype);
    int operand = kernel_.operand_of_output(o);
    store_lanes(address(operand, offsets_[size_t(operand)], lanes_.storage_type(dtype)), neutral,
                dtype, false);
}

void KernelMemory::store_lanes(Value at, Value stored, Dtype dtype, bool may_stream) {
    unsigned alignment = unsigned(size_of(dtype));
    if (mask_)
        LLVM::MaskedStoreOp::create(b, loc, stored, at, mask_, alignment);
    else if (may_stream && options_.streaming && lanes_.width() > 1)
        LLVM::StoreOp::create(b, loc, stored, at, alignment * unsigned(lanes_.width()),
                              /*isVolatile=*/false,
                              /*isNonTemporal=*/true);
    else
        LLVM::StoreOp::create(b, loc, stored, at, alignment);
}

//---- the scratch of a row

/// The address of the current lanes of a value. Scratch rows have whole vectors, so no mask is
/// needed.
Value KernelMemory::row_address(int value, int c, mlir::Type element) {
    Value bytes = lanes_.mul(lanes_.index(scratch_.slot[size_t(value)]), scratch_stride_);
    Value row = LLVM::GEPOp::create(b, loc, row_scratch_.getType(), b.getI8Type(), row_scratch_,
                                    llvm::ArrayRef<LLVM::GEPArg>{bytes});
    Value at = c <= 0 ? lane_ : lanes_.add(lane_, lanes_.index(int64_t(c) * lanes_.width()));
    return LLVM::GEPOp::create(b, loc, row.getType(), element, row,
                               llvm::ArrayRef<LLVM::GEPArg>{at});
}

Value KernelMemory::load_from_row(int value, int c) {
    mlir::Type element = lanes_.scalar_type(kernel_.values[size_t(value)].type);
    mlir::Type type = lanes_.width() > 1 ? mlir::Type(lanes_.vector_of(element)) : element;
    return LLVM::LoadOp::create(b, loc, type, row_address(value, c, element),
                                alignment_of(element));
}

void KernelMemory::store_to_row(int value, Value lanes, int c) {
    mlir::Type element = lanes_.scalar_type(kernel_.values[size_t(value)].type);
    LLVM::StoreOp::create(b, loc, lanes, row_address(value, c, element), alignment_of(element));
}

}  // namespace catena::codegen::cpu
