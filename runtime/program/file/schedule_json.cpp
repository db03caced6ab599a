#include "runtime/program/file/schedule_json.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "runtime/program/schedule/check_lifetimes.h"
#include "runtime/program/schedule/check_schedule.h"

namespace catena::program {

namespace {

using Json = nlohmann::json;

Json dims_json(const Dims& dims) { return Json(std::vector<int64_t>(dims.begin(), dims.end())); }
Json dtype_json(Dtype dtype) { return std::string(name_of(dtype)); }
Json type_json(const Type& type) {
    return {{"dtype", dtype_json(type.dtype)}, {"shape", dims_json(type.shape)}};
}

Json view_json(const View& view) {
    Json json = type_json(view.type);
    json["buffer"] = view.buffer;
    json["offset"] = view.offset;
    json["strides"] = dims_json(view.strides);
    return json;
}

Json attribute_json(const Attributes::Entry& entry) {
    Json value = std::visit(
        [](const auto& v) -> Json {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, Dims>)
                return dims_json(v);
            else if constexpr (std::is_same_v<std::decay_t<decltype(v)>, double>)
                return number_json(v);
            else
                return v;
        },
        entry.value);
    return {{"name", entry.name}, {"kind", entry.value.index()}, {"value", std::move(value)}};
}

Json buffer_json(const Buffer& b) {
    return {{"place", int(b.place)}, {"index", b.index}, {"bytes", b.bytes}, {"over", b.over},
            {"donor", b.donor},      {"first", b.first}, {"last", b.last}};
}

Json operation_json(const Operation& o) { return {o.function, o.location.file, o.location.line}; }

Json kernel_json(const KernelLaunch& kernel) {
    const KernelGeometry& geometry = kernel.geometry;
    Json json = {{"symbol", kernel.symbol},
                 {"scalars", kernel.scalars},
                 {"domain", dims_json(geometry.domain)},
                 {"reduced", geometry.reduced},
                 {"split", geometry.split},
                 {"split_size", geometry.split_size},
                 {"serial", geometry.serial},
                 {"input_count", geometry.inputs.size()},
                 {"row_scratch_rows", kernel.row_scratch_rows},
                 {"element_nanoseconds", kernel.element_nanoseconds}};
    Json& operands = json["operands"] = Json::array();
    for (size_t o = 0; o < kernel.operands.size(); ++o) {
        const KernelOperand& operand = geometry.operand(int(o));
        operands.push_back({{"buffer", kernel.operands[o].buffer},
                            {"byte_offset", kernel.operands[o].byte_offset},
                            {"dtype", dtype_json(operand.dtype)},
                            {"strides", dims_json(operand.strides)}});
    }
    for (const Operation& operation : kernel.operations)
        json["operations"].push_back(operation_json(operation));
    Json& reads = json["strides_read"] = Json::array();
    for (const StrideRead& read : kernel.strides_read) reads.push_back({read.operand, read.dim});
    if (kernel.device.threads > 0)
        json["device"] = {{"threads", kernel.device.threads},
                          {"reduce_threads", kernel.device.reduce_threads},
                          {"vector", kernel.device.vector},
                          {"wide_index", kernel.device.wide_index},
                          {"scalars_by_value", kernel.device.scalars_by_value}};
    return json;
}

Json elements_json(const ElementLaunches& elements) {
    Json json = {
        {"threads", elements.threads}, {"scratch", elements.scratch}, {"passes", Json::array()}};
    for (const ElementLaunches::Pass& pass : elements.passes)
        json["passes"].push_back(
            {{"symbol", pass.symbol}, {"count", pass.count}, {"numbers", pass.numbers}});
    return json;
}

Json call_json(const LibraryCall& call) {
    Json json = {{"op", call.op->name},         {"scalars", call.scalars},
                 {"file", call.location.file},  {"line", call.location.line},
                 {"attributes", Json::array()}, {"inputs", Json::array()},
                 {"outputs", Json::array()}};
    for (const Attributes::Entry& entry : call.attributes.entries())
        json["attributes"].push_back(attribute_json(entry));
    for (const View& view : call.inputs) json["inputs"].push_back(view_json(view));
    for (const View& view : call.outputs) json["outputs"].push_back(view_json(view));
    if (!call.function.empty()) json["function"] = call.function;
    if (call.elements) json["elements"] = elements_json(*call.elements);
    return json;
}

}  // namespace

Json number_json(double number) {
    if (std::isfinite(number)) return number;
    return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
}

double number_from(const Json& json) {
    if (!json.is_string()) return json.get<double>();
    for (double number : {INFINITY, -INFINITY, NAN})
        if (json == number_json(number)) return number;
    fail<FileError>("{} is not a number", json.dump());
}

Json to_json(const Schedule& schedule) {
    Json json;
    for (const char* list :
         {"inputs", "buffers", "kernels", "library_calls", "launches", "results"})
        json[list] = Json::array();
    for (const Type& type : schedule.input_types) json["inputs"].push_back(type_json(type));
    for (const Buffer& buffer : schedule.buffers) json["buffers"].push_back(buffer_json(buffer));
    for (const KernelLaunch& kernel : schedule.kernels)
        json["kernels"].push_back(kernel_json(kernel));
    for (const LibraryCall& call : schedule.library_calls)
        json["library_calls"].push_back(call_json(call));
    for (const Launch& launch : schedule.launches)
        json["launches"].push_back(
            {{"library_call", launch.library_call}, {"kernels", launch.kernels}});
    for (const Result& result : schedule.results)
        json["results"].push_back(result.input >= 0 ? Json{{"input", result.input}}
                                                    : Json{{"view", view_json(result.view)}});
    const Cut& cut = schedule.cut;
    if (cut.launch >= 0)
        json["cut"] = {{"launch", cut.launch},
                       {"inputs", cut.inputs},
                       {"outputs", cut.outputs},
                       {"assigns", cut.assigns}};
    return json;
}

namespace {

Dims dims_from(const Json& json) {
    return Dims(std::span<const int64_t>(json.get<std::vector<int64_t>>()));
}
Dtype dtype_from(const Json& json) { return parse_dtype(json.get<std::string>()); }
Type type_from(const Json& json) {
    return {dtype_from(json.at("dtype")), dims_from(json.at("shape"))};
}

View view_from(const Json& json) {
    return {json.at("buffer").get<int>(), json.at("offset").get<int64_t>(), type_from(json),
            dims_from(json.at("strides"))};
}

Attribute attribute_from(const Json& json, size_t kind) {
    switch (kind) {
        case 0:
            return json.get<bool>();
        case 1:
            return json.get<int64_t>();
        case 2:
            return number_from(json);
        case 3:
            return json.get<std::string>();
        case 4:
            return dims_from(json);
        default:
            fail<FileError>("an attribute is of the unknown kind {}", kind);
    }
}

Buffer buffer_from(const Json& json) {
    Buffer buffer;
    const int place = json.at("place").get<int>();
    if (place < 0 || place > int(Buffer::Place::arena))
        fail<FileError>("a buffer has the unknown place {}", place);
    buffer.place = Buffer::Place(place);
    buffer.index = json.at("index").get<int>();
    buffer.bytes = json.at("bytes").get<size_t>();
    buffer.over = json.at("over").get<int>();
    buffer.donor = json.at("donor").get<int>();
    buffer.first = json.at("first").get<int>();
    buffer.last = json.at("last").get<int>();
    return buffer;
}

Operation operation_from(const Json& json) {
    Operation operation{json.at(0).get<std::string>(), {}};
    operation.location.file = intern(json.at(1).get<std::string>());
    operation.location.line = json.at(2).get<uint32_t>();
    return operation;
}

KernelLaunch kernel_from(const Json& json) {
    KernelLaunch kernel;
    KernelGeometry& geometry = kernel.geometry;
    kernel.symbol = json.at("symbol").get<std::string>();
    kernel.scalars = json.at("scalars").get<std::vector<int>>();
    geometry.domain = dims_from(json.at("domain"));
    geometry.reduced = json.at("reduced").get<uint32_t>();
    geometry.split = json.at("split").get<int>();
    geometry.split_size = json.at("split_size").get<int64_t>();
    geometry.serial = json.at("serial").get<int>();
    geometry.scalar_count = int(kernel.scalars.size());
    kernel.row_scratch_rows = json.at("row_scratch_rows").get<int>();
    kernel.element_nanoseconds = json.at("element_nanoseconds").get<double>();
    const size_t inputs = json.at("input_count").get<size_t>();
    for (const Json& operand : json.at("operands")) {
        kernel.operands.push_back(
            {operand.at("buffer").get<int>(), operand.at("byte_offset").get<int64_t>()});
        KernelOperand made{dtype_from(operand.at("dtype")), dims_from(operand.at("strides"))};
        if (geometry.inputs.size() < inputs)
            geometry.inputs.push_back(std::move(made));
        else
            geometry.outputs.push_back(std::move(made));
    }
    for (const Json& read : json.at("strides_read"))
        kernel.strides_read.push_back({read.at(0).get<int>(), read.at(1).get<int>()});
    if (json.contains("operations")) {
        std::vector<Operation> operations;
        for (const Json& operation : json.at("operations"))
            operations.push_back(operation_from(operation));
        kernel.operations = std::move(operations);
    }
    if (json.contains("device")) {
        const Json& form = json.at("device");
        kernel.device = {form.at("threads").get<int>(), form.at("reduce_threads").get<int>(),
                         form.at("vector").get<int>(), form.at("wide_index").get<bool>(),
                         form.value("scalars_by_value", false)};
    }
    return kernel;
}

ElementLaunches elements_from(const Json& json) {
    ElementLaunches elements;
    elements.threads = json.at("threads").get<int>();
    elements.scratch = json.at("scratch").get<int64_t>();
    for (const Json& pass : json.at("passes"))
        elements.passes.push_back({pass.at("symbol").get<std::string>(),
                                   pass.at("count").get<int64_t>(),
                                   pass.at("numbers").get<std::vector<int64_t>>()});
    return elements;
}

LibraryCall call_from(const Json& json) {
    LibraryCall call;
    const std::string name = json.at("op").get<std::string>();
    call.op = find_op(name);
    if (!call.op)
        fail<FileError>("it calls {}, and this Catena has no operation of that name", name);
    std::vector<Attributes::Entry> entries;
    for (const Json& entry : json.at("attributes"))
        entries.push_back({intern(entry.at("name").get<std::string>()),
                           attribute_from(entry.at("value"), entry.at("kind").get<size_t>())});
    if (!entries.empty()) call.attributes = Attributes(std::move(entries));
    for (const Json& view : json.at("inputs")) call.inputs.push_back(view_from(view));
    for (const Json& view : json.at("outputs")) call.outputs.push_back(view_from(view));
    call.scalars = json.at("scalars").get<std::vector<int>>();
    call.location.file = intern(json.at("file").get<std::string>());
    call.location.line = json.at("line").get<uint32_t>();
    call.function = json.value("function", "");
    if (json.contains("elements")) call.elements = elements_from(json.at("elements"));
    return call;
}

}  // namespace

Schedule schedule_from(const Json& json) {
    Schedule schedule;
    for (const Json& type : json.at("inputs")) schedule.input_types.push_back(type_from(type));
    for (const Json& buffer : json.at("buffers")) schedule.buffers.push_back(buffer_from(buffer));
    for (const Json& kernel : json.at("kernels")) schedule.kernels.push_back(kernel_from(kernel));
    for (const Json& call : json.at("library_calls"))
        schedule.library_calls.push_back(call_from(call));
    for (const Json& launch : json.at("launches"))
        schedule.launches.push_back(
            {launch.at("library_call").get<int>(), launch.at("kernels").get<std::vector<int>>()});
    for (const Json& result : json.at("results")) {
        Result made;
        if (result.contains("input"))
            made.input = result.at("input").get<int>();
        else
            made.view = view_from(result.at("view"));
        schedule.results.push_back(std::move(made));
    }
    if (json.contains("cut")) {
        const Json& cut = json.at("cut");
        schedule.cut = {cut.at("launch").get<int>(), cut.at("inputs").get<int>(),
                        cut.at("outputs").get<int>(), cut.at("assigns").get<int>()};
    }
    check_schedule(schedule);
    for (KernelLaunch& kernel : schedule.kernels) size_kernel(kernel);
    place_buffers(schedule);
    try {
        check_lifetimes(schedule);
    } catch (const InternalError& error) {
        throw FileError(error.what());
    }
    schedule.info.steps = int(schedule.launches.size());
    schedule.info.library_calls = int(schedule.library_calls.size());
    schedule.info.arena_bytes = schedule.arena_bytes;
    return schedule;
}

namespace {

/// Evaluates sums of products; overflow of 64 bits is an error.
class SizeSum {
public:
    void add(int64_t factor, std::span<const int64_t> sizes, std::span<const int64_t> exponents) {
        bool beyond = false;
        for (size_t k = 0; k < sizes.size(); ++k) {
            if (exponents[k] < 0 || exponents[k] > 16)
                fail<FileError>("a size has the exponent {}", exponents[k]);
            for (int64_t e = 0; e < exponents[k]; ++e)
                beyond |= __builtin_mul_overflow(factor, sizes[k], &factor);
        }
        if (beyond || __builtin_add_overflow(sum, factor, &sum))
            fail<FileError>("a size is beyond 64 bits at the given sizes");
    }
    int64_t sum = 0;
};

int64_t affine_sum(const Json& terms, std::span<const int64_t> sizes) {
    if (terms.size() != sizes.size() + 1)
        fail<FileError>("a size has {} terms where {} sizes are open", terms.size(), sizes.size());
    SizeSum total;
    std::vector<int64_t> exponents(sizes.size(), 0);
    for (size_t i = 0; i < terms.size(); ++i) {
        if (i > 0) exponents[i - 1] = 1;
        total.add(terms.at(i).get<int64_t>(), sizes, exponents);
        if (i > 0) exponents[i - 1] = 0;
    }
    return total.sum;
}

int64_t polynomial_sum(const Json& terms, std::span<const int64_t> sizes) {
    SizeSum total;
    for (const Json& json : terms) {
        const std::vector<int64_t> term = json.get<std::vector<int64_t>>();
        if (term.size() != sizes.size() + 1)
            fail<FileError>("a term has {} numbers where {} sizes are open", term.size(),
                            sizes.size());
        total.add(term[0], sizes, std::span(term).subspan(1));
    }
    return total.sum;
}

int64_t size_at(const Json& size, std::span<const int64_t> sizes) {
    if (size.is_number_integer()) return size.get<int64_t>();
    if (size.is_array()) return affine_sum(size, sizes);  // The older form in ratios.
    return size.contains("affine") ? affine_sum(size.at("affine"), sizes)
                                   : polynomial_sum(size.at("polynomial"), sizes);
}

double ratio_at(const Json& ratio, std::span<const int64_t> sizes) {
    int64_t divisor = size_at(ratio.at(2), sizes);
    if (ratio.size() > 3) divisor = std::max(divisor, ratio.at(3).get<int64_t>());
    return ratio.at(0).get<double>() * double(size_at(ratio.at(1), sizes)) / double(divisor);
}

}  // namespace

Json with_sizes(const Json& document, std::span<const int64_t> sizes) {
    if (document.is_object()) {
        if (document.size() == 1 &&
            (document.contains("affine") || document.contains("polynomial")))
            return size_at(document, sizes);
        if (document.size() == 1 && document.contains("ratio"))
            return ratio_at(document.at("ratio"), sizes);
        Json result = Json::object();
        for (const auto& [key, value] : document.items()) result[key] = with_sizes(value, sizes);
        return result;
    }
    if (!document.is_array()) return document;
    Json result = Json::array();
    for (const Json& value : document) result.push_back(with_sizes(value, sizes));
    return result;
}

}  // namespace catena::program
