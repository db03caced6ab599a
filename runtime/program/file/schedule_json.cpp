#include "runtime/program/file/schedule_json.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "runtime/program/schedule/check_lifetimes.h"
#include "runtime/program/schedule/check_schedule.h"
#include "runtime/program/schedule/schedule_fields.h"

namespace catena::program {

namespace {

using Json = nlohmann::json;

/// Structures that are written as the list of their values, without names.
template <class T>
constexpr bool is_row = std::is_same_v<T, Operation> || std::is_same_v<T, StrideRead>;

bool is_absent(const std::string& text) { return text.empty(); }
bool is_absent(const OperationList& operations) { return operations.size() == 0; }
bool is_absent(const DeviceForm& form) { return form.threads <= 0; }
bool is_absent(const Cut& cut) { return cut.launch < 0; }
bool is_absent(int index) { return index < 0; }
bool is_absent(const std::optional<ElementLaunches>& elements) { return !elements; }

//---- writing

template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
Json json_of(T value) {
    if constexpr (std::is_same_v<T, Dtype>)
        return std::string(name_of(value));
    else if constexpr (std::is_enum_v<T>)
        return int(value);
    else
        return value;
}
Json json_of(const char* text) { return text; }
Json json_of(const std::string& text) { return text; }
Json json_of(const OpDef* op) { return op->name; }
Json json_of(const Dims& dims) { return Json(std::vector<int64_t>(dims.begin(), dims.end())); }
Json json_of(const Attributes& attributes);
template <HasFields T>
Json json_of(const T& structure);

template <class List>
Json json_of_list(const List& list) {
    Json json = Json::array();
    for (const auto& each : list) json.push_back(json_of(each));
    return json;
}
template <class T>
Json json_of(const std::vector<T>& list) {
    return json_of_list(list);
}
Json json_of(const OperationList& operations) { return json_of_list(operations); }
template <class T>
Json json_of(const std::optional<T>& value) {
    return json_of(*value);
}

/// Writes fields by their names, or one after another.
class JsonWriter {
public:
    explicit JsonWriter(Json& json) : json_(json) {}

    template <class Field, class T>
    void operator()(Field, const T& value) {
        if constexpr (Field::is_in_files) {
            if constexpr (Field::presence == Presence::otherwise)
                if (!is_before_absent_) return;
            if constexpr (Field::presence == Presence::if_any)
                if ((is_before_absent_ = is_absent(value))) return;
            if constexpr (Field::stored == Stored::inlined)
                visit_fields(*this, value);
            else if (json_.is_array())
                json_.push_back(json_of(value));
            else
                json_[Field::name] = json_of(value);
        }
    }

private:
    Json& json_;
    bool is_before_absent_ = false;  ///< The last field that may be.
};

template <HasFields T>
Json json_of(const T& structure) {
    Json json = is_row<T> ? Json::array() : Json::object();
    visit_fields(JsonWriter(json), structure);
    if constexpr (std::is_same_v<T, KernelLaunch>) {
        const KernelGeometry& geometry = structure.geometry;
        json["input_count"] = geometry.inputs.size();
        for (size_t o = 0; o < structure.operands.size(); ++o)
            visit_fields(JsonWriter(json["operands"][o]), geometry.operand(int(o)));
    }
    return json;
}

Json attribute_json(const Attributes::Entry& entry) {
    Json value = std::visit(
        [](const auto& v) -> Json {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, double>)
                return number_json(v);
            else
                return json_of(v);
        },
        entry.value);
    return {{"name", entry.name}, {"kind", entry.value.index()}, {"value", std::move(value)}};
}

Json json_of(const Attributes& attributes) {
    Json json = Json::array();
    for (const Attributes::Entry& entry : attributes.entries())
        json.push_back(attribute_json(entry));
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

Json to_json(const Schedule& schedule) { return json_of(schedule); }

namespace {

//---- reading

template <class T>
    requires std::is_arithmetic_v<T>
void read(const Json& json, T& value) {
    value = json.get<T>();
}
void read(const Json& json, std::string& text) { text = json.get<std::string>(); }
void read(const Json& json, const char*& text) { text = intern(json.get<std::string>()); }
void read(const Json& json, Dtype& dtype) { dtype = parse_dtype(json.get<std::string>()); }
void read(const Json& json, Dims& dims) {
    dims = Dims(std::span<const int64_t>(json.get<std::vector<int64_t>>()));
}
void read(const Json& json, Buffer::Place& place) {
    const int number = json.get<int>();
    if (number < 0 || number > int(Buffer::Place::arena))
        fail<FileError>("a buffer has the unknown place {}", number);
    place = Buffer::Place(number);
}
void read(const Json& json, const OpDef*& op) {
    const std::string name = json.get<std::string>();
    op = find_op(name);
    if (!op) fail<FileError>("it calls {}, and this Catena has no operation of that name", name);
}
void read(const Json& json, Attributes& attributes);
template <HasFields T>
void read(const Json& json, T& structure);

template <class T>
void read(const Json& json, std::vector<T>& list) {
    if constexpr (std::is_arithmetic_v<T>)
        list = json.get<std::vector<T>>();
    else
        for (const Json& each : json) read(each, list.emplace_back());
}
void read(const Json& json, OperationList& operations) {
    std::vector<Operation> list;
    read(json, list);
    operations = std::move(list);
}
template <class T>
void read(const Json& json, std::optional<T>& value) {
    read(json, value.emplace());
}

/// Reads what JsonWriter has written.
class JsonReader {
public:
    explicit JsonReader(const Json& json, bool is_row = false) : json_(json), is_row_(is_row) {}

    template <class Field, class T>
    void operator()(Field, T& value) {
        if constexpr (Field::is_in_files) {
            if constexpr (Field::presence == Presence::otherwise)
                if (!is_before_absent_) return;
            if constexpr (Field::presence == Presence::if_any || Field::presence == Presence::later)
                if ((is_before_absent_ = !json_.contains(Field::name))) return;
            if constexpr (Field::stored == Stored::inlined)
                visit_fields(*this, value);
            else if (is_row_)
                read(json_.at(next_++), value);
            else
                read(json_.at(Field::name), value);
        }
    }

private:
    const Json& json_;
    const bool is_row_;
    size_t next_ = 0;
    bool is_before_absent_ = false;  ///< The last field that may be.
};

/// The operands' fields stand in `operands`, inputs first.
void read_operands(const Json& json, KernelLaunch& kernel) {
    KernelGeometry& geometry = kernel.geometry;
    const size_t inputs = json.at("input_count").get<size_t>();
    for (const Json& operand : json.at("operands"))
        read(operand, geometry.inputs.size() < inputs ? geometry.inputs.emplace_back()
                                                      : geometry.outputs.emplace_back());
    geometry.scalar_count = int(kernel.scalars.size());
}

template <HasFields T>
void read(const Json& json, T& structure) {
    visit_fields(JsonReader(json, is_row<T>), structure);
    if constexpr (std::is_same_v<T, KernelLaunch>) read_operands(json, structure);
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
        case 4: {
            Dims dims;
            read(json, dims);
            return dims;
        }
        default:
            fail<FileError>("an attribute is of the unknown kind {}", kind);
    }
}

void read(const Json& json, Attributes& attributes) {
    std::vector<Attributes::Entry> entries;
    for (const Json& entry : json)
        entries.push_back({intern(entry.at("name").get<std::string>()),
                           attribute_from(entry.at("value"), entry.at("kind").get<size_t>())});
    if (!entries.empty()) attributes = Attributes(std::move(entries));
}

}  // namespace

Schedule schedule_from(const Json& json) {
    Schedule schedule;
    read(json, schedule);
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

void check_exponent(int64_t exponent) {
    if (exponent < 0 || exponent > 16) fail<FileError>("a size has the exponent {}", exponent);
}

namespace {

/// Evaluates sums of products; overflow of 64 bits is an error.
class SizeSum {
public:
    void add(int64_t factor, std::span<const int64_t> sizes, std::span<const int64_t> exponents) {
        bool beyond = false;
        for (size_t k = 0; k < sizes.size(); ++k) {
            check_exponent(exponents[k]);
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
