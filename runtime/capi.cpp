#include "runtime/capi.h"

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "runtime/core/array/borrowed_storage.h"
#include "runtime/core/array/dlpack.h"
#include "runtime/core/array/dlpack_tensor.h"
#include "runtime/core/array/sizes.h"
#include "runtime/graph/op/call_types.h"
#include "runtime/graph/op/op.h"
#include "runtime/program/file/program.h"

namespace catena {
namespace {

static_assert(CATENA_BOOL == int(Dtype::bool_) && CATENA_INT64 == int(Dtype::int64) &&
              CATENA_UINT8 == int(Dtype::uint8) && CATENA_FLOAT64 == int(Dtype::float64) &&
              CATENA_FLOAT64 + 1 == dtype_count && CATENA_MAX_RANK == max_rank);

Type type_of(const catena_tensor& t, const std::string& who) {
    if (t.dtype < 0 || t.dtype >= dtype_count)
        fail<DtypeError>("{} has dtype {}, 0 to {} are known", who, t.dtype, dtype_count - 1);
    if (t.rank < 0 || t.rank > max_rank)
        fail<ShapeError>("{} has rank {}, 0 to {} are possible", who, t.rank, max_rank);
    if (t.rank > 0 && !t.sizes) fail<ShapeError>("{} has rank {} and no sizes (NULL)", who, t.rank);
    Type type{Dtype(t.dtype), Shape(std::span(t.sizes, size_t(t.rank)))};
    for (int64_t size : type.shape)
        if (size < 0) fail<ShapeError>("{} has the size {}", who, size);
    return type;
}

template <class T>
T& given(T* pointer, const char* function, const char* what) {
    if (!pointer) fail<ValueError>("{}: the {} is NULL", function, what);
    return *pointer;
}
const char* given_text(const char* text, const char* function, const char* what) {
    return &given(text, function, what);
}

/// ValueError unless `count` elements lie at `given`.
void check_list(const char* op, const char* what, int32_t count, const void* given) {
    if (count < 0 || (count > 0 && !given))
        fail<ValueError>("{}: {} {}s are given{}", op, count, what, given ? "" : " (NULL)");
}

/// Arrays over the caller's memory.
class BorrowedArrays {
public:
    BorrowedArrays(const char* what, const char* op, const catena_tensor* tensors, int32_t count) {
        check_list(op, what, count, tensors);
        for (int32_t i = 0; i < count; ++i) add(fmt::format("{}: {} {}", op, what, i), tensors[i]);
    }
    ~BorrowedArrays() { arrays_.clear(); }
    std::span<Array> arrays() { return arrays_; }

private:
    void add(const std::string& who, const catena_tensor& t) {
        const Type type = type_of(t, who);
        const Strides strides = t.strides ? Strides(std::span(t.strides, size_t(t.rank)))
                                          : contiguous_strides(type.shape);
        const size_t bytes = byte_count(type);
        if (bytes > 0 && !t.data) fail<ValueError>("{} has no data pointer", who);
        storages_.emplace_back(t.data, bytes, cpu_device());
        arrays_.push_back(storages_.back().array(type, strides, 0));
    }

    std::vector<BorrowedStorage> storages_;
    std::vector<Array> arrays_;
};

Attribute value_of(const catena_attribute& a, const char* op) {
    switch (a.kind) {
        case CATENA_FLAG:
            return a.integer != 0;
        case CATENA_INTEGER:
            return a.integer;
        case CATENA_NUMBER:
            return a.number;
        case CATENA_TEXT:
            if (!a.text) fail<ValueError>("{}: the text of attribute {} is NULL", op, a.name);
            return std::string(a.text);
        case CATENA_DIMS:
            if (a.dim_count < 0 || a.dim_count > max_rank || (a.dim_count > 0 && !a.dims))
                fail<ValueError>("{}: attribute {} has {} dims{}, 0 to {} are possible", op, a.name,
                                 a.dim_count, a.dims ? "" : " (NULL)", max_rank);
            return Dims(std::span(a.dims, size_t(a.dim_count)));
        default:
            fail<ValueError>("{}: attribute {} is of the unknown kind {}", op, a.name, a.kind);
    }
}

Attributes attributes_of(const catena_op_call& call) {
    check_list(call.op, "attribute", call.attribute_count, call.attributes);
    std::vector<Attributes::Entry> entries;
    for (int32_t i = 0; i < call.attribute_count; ++i) {
        const catena_attribute& a = call.attributes[i];
        if (!a.name) fail<ValueError>("{}: the name of attribute {} is NULL", call.op, i);
        for (const Attributes::Entry& other : entries)
            if (std::string_view(other.name) == a.name)
                fail<ValueError>("{}: attribute {} is given twice", call.op, a.name);
        entries.push_back({intern(a.name), value_of(a, call.op)});
    }
    return Attributes(std::move(entries));
}

void check_outputs(const OpDef& op, const Types& types, std::span<const Array> outputs) {
    if (types.size() != outputs.size())
        fail<ValueError>("{}: {} outputs are given, it has {}", op.name, outputs.size(),
                         types.size());
    for (size_t i = 0; i < types.size(); ++i) {
        if (!(outputs[i].type() == types[i]))
            fail<ShapeError>("{}: output {} is {}, the operation gives {}", op.name, i,
                             to_string(outputs[i].type()), to_string(types[i]));
        if (!outputs[i].contiguous())
            fail<ValueError>("{}: output {} is not row-major", op.name, i);
    }
}

const OpDef& called_op(const catena_op_call& call) {
    if (!call.op) fail<ValueError>("catena_call_op: no operation is named");
    const OpDef* op = find_op(call.op);
    if (!op) fail<ValueError>("{}: there is no operation of this name", call.op);
    if (!op->kernel) fail<ValueError>("{}: the operation has no kernel of its own", call.op);
    if (op->input_count >= 0 && op->input_count != call.input_count)
        fail<ValueError>("{}: {} inputs are given, it takes {}", call.op, call.input_count,
                         op->input_count);
    if (call.scalar_count < 0 || size_t(call.scalar_count) != op->scalar_names.size())
        fail<ValueError>("{}: {} scalars are given, it takes {}", call.op, call.scalar_count,
                         op->scalar_names.size());
    check_list(call.op, "scalar", call.scalar_count, call.scalars);
    return *op;
}

void call_op(const catena_op_call& call) {
    const OpDef& op = called_op(call);
    BorrowedArrays inputs("input", call.op, call.inputs, call.input_count);
    BorrowedArrays outputs("output", call.op, call.outputs, call.output_count);
    SmallVector<Type, 4> given;
    for (const Array& x : inputs.arrays()) given.push_back(x.type());
    const Attributes attributes = axes_from_first(TypeCall{op, given, attributes_of(call)});
    check_outputs(op, foreign_call_types(TypeCall{op, given, attributes}), outputs.arrays());
    blaming_caller(op, [&] {
        cpu_device().launch(KernelCall{op, inputs.arrays(), outputs.arrays(), attributes,
                                       std::span(call.scalars, size_t(call.scalar_count))});
    });
}

void tell(char* error, size_t error_bytes, const char* reason) {
    if (error && error_bytes > 0) std::snprintf(error, error_bytes, "%s", reason);
}

/// Runs f; exceptions become a status and a text.
template <class F>
int guarded(char* error, size_t error_bytes, F&& f) {
    try {
        f();
        return CATENA_OK;
    } catch (const std::exception& reason) {
        tell(error, error_bytes, reason.what());
    } catch (...) {
        tell(error, error_bytes, "unknown error");
    }
    return CATENA_FAILED;
}

}  // namespace
}  // namespace catena

using namespace catena;

int catena_call_op(const catena_op_call* call, char* error, size_t error_bytes) {
    return guarded(error, error_bytes, [&] { call_op(given(call, "catena_call_op", "call")); });
}

struct catena_program {
    catena_program(const char* path, const char* device)
        : program(Program::load(path, {.device = device})), state_names(program.state_names()) {}

    void give(const Array& array, catena_tensor* tensor) const {
        *tensor = {array.size() ? array.raw_data() : nullptr, int32_t(array.dtype()),
                   int32_t(array.rank()), array.shape().begin(), array.strides().begin()};
    }

    const Array& output(int32_t i, const char* function) const {
        if (i < 0 || size_t(i) >= outputs.size())
            fail<ValueError>("{}: result {} does not exist; the last run had {}", function, i,
                             outputs.size());
        return outputs[size_t(i)];
    }

    Program program;
    std::vector<std::string> state_names;
    std::vector<Array> outputs;
    std::map<std::string, Array> given;  ///< States returned to the caller.
};

namespace {

catena_tensor tensor_of(const dlpack::Tensor& from) {
    const ForeignMemory memory = dlpack::memory_of(from, true);  // Which checks it.
    return {memory.data, int32_t(memory.type.dtype), from.rank, from.shape, from.strides};
}

const char* name_at(const std::vector<Program::Port>& ports, int32_t i) {
    return i >= 0 && size_t(i) < ports.size() ? ports[size_t(i)].name.c_str() : nullptr;
}

}  // namespace

catena_program* catena_program_load(const char* path, char* error, size_t error_bytes) {
    return catena_program_load_on(path, "cpu", error, error_bytes);
}
catena_program* catena_program_load_on(const char* path, const char* device, char* error,
                                       size_t error_bytes) {
    catena_program* program = nullptr;
    guarded(error, error_bytes,
            [&] { program = new catena_program(path ? path : "", device ? device : ""); });
    return program;
}
void catena_program_free(catena_program* program) { delete program; }

int32_t catena_program_input_count(const catena_program* p) {
    return p ? int32_t(p->program.inputs().size()) : 0;
}
int32_t catena_program_output_count(const catena_program* p) {
    return p ? int32_t(p->program.outputs().size()) : 0;
}
int32_t catena_program_state_count(const catena_program* p) {
    return p ? int32_t(p->state_names.size()) : 0;
}
const char* catena_program_input_name(const catena_program* p, int32_t i) {
    return p ? name_at(p->program.inputs(), i) : nullptr;
}
const char* catena_program_output_name(const catena_program* p, int32_t i) {
    return p ? name_at(p->program.outputs(), i) : nullptr;
}
const char* catena_program_state_name(const catena_program* p, int32_t i) {
    return p && i >= 0 && size_t(i) < p->state_names.size() ? p->state_names[size_t(i)].c_str()
                                                            : nullptr;
}

int catena_program_run(catena_program* p, const catena_tensor* inputs, int32_t count, char* error,
                       size_t error_bytes) {
    return guarded(error, error_bytes, [&] {
        catena_program& program = given(p, "catena_program_run", "program");
        BorrowedArrays borrowed("input", "catena_program_run", inputs, count);
        program.outputs.clear();
        program.given.clear();
        // The caller's memory may be freed before a result that is an input is read.
        std::vector<Array> given;
        for (const Array& input : borrowed.arrays())
            given.push_back(input.to(program.program.device()));
        for (const Array& result : program.program.run(given)) {
            const Array output = result.to(cpu_device());
            bool is_input = false;
            for (const Array& input : borrowed.arrays())
                is_input = is_input || input.storage() == output.storage();
            program.outputs.push_back(is_input ? Array::empty(output.type(), cpu_device())
                                               : output.as_contiguous());
            if (is_input) copy_elements(output, program.outputs.back());
        }
    });
}

int catena_program_output(const catena_program* p, int32_t i, catena_tensor* output, char* error,
                          size_t error_bytes) {
    return guarded(error, error_bytes, [&] {
        const catena_program& program = given(p, "catena_program_output", "program");
        const Array& result = program.output(i, "catena_program_output");
        program.give(result, &given(output, "catena_program_output", "output"));
    });
}

DLManagedTensorVersioned* catena_program_output_dlpack(const catena_program* p, int32_t i,
                                                       char* error, size_t error_bytes) {
    DLManagedTensorVersioned* tensor = nullptr;
    guarded(error, error_bytes, [&] {
        constexpr const char* function = "catena_program_output_dlpack";
        tensor = to_dlpack_versioned(given(p, function, "program").output(i, function));
    });
    return tensor;
}

int catena_tensor_from_dlpack(const DLManagedTensor* from, catena_tensor* tensor, char* error,
                              size_t error_bytes) {
    return guarded(error, error_bytes, [&] {
        constexpr const char* function = "catena_tensor_from_dlpack";
        const auto* const managed = reinterpret_cast<const dlpack::Managed*>(from);
        given(tensor, function, "result") = tensor_of(given(managed, function, "tensor").tensor);
    });
}

int catena_tensor_from_dlpack_versioned(const DLManagedTensorVersioned* from, catena_tensor* tensor,
                                        char* error, size_t error_bytes) {
    return guarded(error, error_bytes, [&] {
        constexpr const char* function = "catena_tensor_from_dlpack_versioned";
        const auto* const managed = reinterpret_cast<const dlpack::Versioned*>(from);
        dlpack::refuse_versions(given(managed, function, "tensor"));
        given(tensor, function, "result") = tensor_of(managed->tensor);
    });
}

int catena_program_state(catena_program* p, const char* name, catena_tensor* state, char* error,
                         size_t error_bytes) {
    return guarded(error, error_bytes, [&] {
        catena_program& program = given(p, "catena_program_state", "program");
        const std::string asked = given_text(name, "catena_program_state", "name");
        catena_tensor& result = given(state, "catena_program_state", "state");
        const Array content = program.program.state(asked).to(cpu_device()).as_contiguous();
        program.give(program.given[asked] = content, &result);
    });
}

int catena_program_set_state(catena_program* p, const char* name, const catena_tensor* state,
                             char* error, size_t error_bytes) {
    return guarded(error, error_bytes, [&] {
        catena_program& program = given(p, "catena_program_set_state", "program");
        BorrowedArrays borrowed("state", "catena_program_set_state", state, 1);
        const Array& given = borrowed.arrays()[0];
        Array copy = Array::empty(given.type(), cpu_device());
        copy_elements(given, copy);
        program.program.set_state(given_text(name, "catena_program_set_state", "name"), copy);
    });
}

int catena_program_set_number(catena_program* p, const char* name, double value, char* error,
                              size_t error_bytes) {
    return guarded(error, error_bytes, [&] {
        catena_program& program = given(p, "catena_program_set_number", "program");
        program.program.set_number(given_text(name, "catena_program_set_number", "name"), value);
    });
}

int catena_program_save(const catena_program* p, const char* path, char* error,
                        size_t error_bytes) {
    return guarded(error, error_bytes, [&] {
        const catena_program& program = given(p, "catena_program_save", "program");
        program.program.save(given_text(path, "catena_program_save", "path"));
    });
}
