#include "runtime/capi.h"

#include <cstdio>
#include <string>
#include <vector>

#include "runtime/core/borrowed_storage.h"
#include "runtime/ops/op.h"

namespace catena {
namespace {

static_assert(CATENA_BOOL == int(Dtype::bool_) && CATENA_INT64 == int(Dtype::int64) &&
              CATENA_UINT8 == int(Dtype::uint8) && CATENA_FLOAT64 == int(Dtype::float64) &&
              CATENA_FLOAT64 + 1 == dtype_count && CATENA_MAX_RANK == max_rank);

/// Arrays over the caller's memory.
class BorrowedArrays {
public:
    BorrowedArrays(const char* what, const catena_op_call& call, const catena_tensor* tensors, int32_t count) {
        if (count < 0 || (count > 0 && !tensors)) fail<ValueError>("{}: {} {}s are given", call.op, count, what);
        for (int32_t i = 0; i < count; ++i) add(what, call, tensors[i], i);
    }
    ~BorrowedArrays() { arrays_.clear(); }
    std::span<Array> arrays() { return arrays_; }

private:
    void add(const char* what, const catena_op_call& call, const catena_tensor& t, int32_t i) {
        if (t.dtype < 0 || t.dtype >= dtype_count)
            fail<DtypeError>("{}: {} {} has dtype {}, 0 to {} are known", call.op, what, i, t.dtype, dtype_count - 1);
        if (t.rank < 0 || t.rank > max_rank || (t.rank > 0 && !t.sizes))
            fail<ShapeError>("{}: {} {} has rank {}, at most {} is possible", call.op, what, i, t.rank, max_rank);
        Type type{Dtype(t.dtype), Shape(std::span(t.sizes, size_t(t.rank)))};
        for (int64_t size : type.shape)
            if (size < 0) fail<ShapeError>("{}: {} {} has the size {}", call.op, what, i, size);
        const Strides strides =
            t.strides ? Strides(std::span(t.strides, size_t(t.rank))) : contiguous_strides(type.shape);
        const size_t bytes = size_t(element_count(type.shape)) * size_of(type.dtype);
        if (bytes > 0 && !t.data) fail<ValueError>("{}: {} {} has no memory", call.op, what, i);
        storages_.emplace_back(t.data, bytes, cpu_device());
        arrays_.push_back(storages_.back().array(type, strides, 0));
    }

    std::vector<BorrowedStorage> storages_;
    std::vector<Array> arrays_;
};

Attributes attributes_of(const catena_op_call& call) {
    std::vector<Attributes::Entry> entries;
    for (int32_t i = 0; i < call.attribute_count; ++i) {
        const catena_attribute& a = call.attributes[i];
        Attribute value;
        switch (a.kind) {
            case CATENA_FLAG: value = a.integer != 0; break;
            case CATENA_INTEGER: value = a.integer; break;
            case CATENA_NUMBER: value = a.number; break;
            case CATENA_TEXT: value = std::string(a.text); break;
            case CATENA_DIMS: value = Dims(std::span(a.dims, size_t(a.dim_count))); break;
            default: fail<ValueError>("{}: attribute {} is of the unknown kind {}", call.op, a.name, a.kind);
        }
        entries.push_back({intern(a.name), std::move(value)});
    }
    return Attributes(std::move(entries));
}

void check_outputs(const OpDef& op, std::span<const Array> inputs, std::span<const Array> outputs,
                   const Attributes& attributes) {
    SmallVector<Type, 4> given;
    for (const Array& x : inputs) given.push_back(x.type());
    const Types types = op.type(TypeCall{op, given, attributes});
    if (types.size() != outputs.size())
        fail<ValueError>("{}: {} outputs are given, it has {}", op.name, outputs.size(), types.size());
    for (size_t i = 0; i < types.size(); ++i) {
        if (!(outputs[i].type() == types[i]))
            fail<ShapeError>("{}: output {} is {}, the operation gives {}", op.name, i, to_string(outputs[i].type()),
                             to_string(types[i]));
        if (!outputs[i].contiguous()) fail<ValueError>("{}: output {} is not row-major", op.name, i);
    }
}

void call_op(const catena_op_call& call) {
    if (!call.op) fail<ValueError>("catena_call_op: no operation is named");
    const OpDef* op = find_op(call.op);
    if (!op) fail<ValueError>("{}: there is no operation of this name", call.op);
    if (!op->kernel) fail<ValueError>("{}: the operation has no kernel of its own", call.op);
    if (op->input_count >= 0 && op->input_count != call.input_count)
        fail<ValueError>("{}: {} inputs are given, it takes {}", call.op, call.input_count, op->input_count);
    if (size_t(call.scalar_count) != op->scalar_names.size())
        fail<ValueError>("{}: {} scalars are given, it takes {}", call.op, call.scalar_count, op->scalar_names.size());
    BorrowedArrays inputs("input", call, call.inputs, call.input_count);
    BorrowedArrays outputs("output", call, call.outputs, call.output_count);
    const Attributes attributes = attributes_of(call);
    check_outputs(*op, inputs.arrays(), outputs.arrays(), attributes);
    op->kernel(KernelCall{*op, inputs.arrays(), outputs.arrays(), attributes,
                          std::span(call.scalars, size_t(call.scalar_count))});
}

}  // namespace
}  // namespace catena

extern "C" int catena_call_op(const catena_op_call* call, char* error, size_t error_bytes) {
    try {
        catena::call_op(*call);
        return CATENA_OK;
    } catch (const std::exception& reason) {
        if (error && error_bytes > 0) std::snprintf(error, error_bytes, "%s", reason.what());
    } catch (...) {
        if (error && error_bytes > 0) std::snprintf(error, error_bytes, "unknown error");
    }
    return CATENA_FAILED;
}
