#include "frontend/onnx/importer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "frontend/onnx/tensor.h"
#include "frontend/onnx/unsigned_types.h"
#include "runtime/core/system/location.h"

namespace catena::onnx {
namespace {

using Table = std::map<std::string, Importer, std::less<>>;
using Attribute = ::onnx::AttributeProto;

Table& table() {
    static Table all;
    return all;
}

std::string key_of(std::string_view domain, std::string_view op) {
    return domain.empty() ? std::string(op) : fmt::format("{}.{}", domain, op);
}

Variables apply_directly(const OpDef& op, const NodeCall& node) {
    if (node.has_attributes()) node.unsupported("its attributes");
    if (op.input_count >= 0 && node.count() != op.input_count)
        node.wrong(fmt::format("it has {} inputs, {} are expected", node.count(), op.input_count));
    std::vector<const Variable*> inputs;
    for (int i = 0; i < node.count(); ++i) inputs.push_back(&node[i]);
    return apply(op, inputs, known_location());
}

/// " from 1 to 5".
std::string to_string(const Within& within) {
    if (within.least == any_number.least && within.most == any_number.most) return "";
    if (within.most == any_number.most) return fmt::format(" of at least {}", within.least);
    if (within.least == any_number.least) return fmt::format(" of at most {}", within.most);
    return fmt::format(" from {} to {}", within.least, within.most);
}

std::string to_string(const Expected& expected) {
    const std::string range = to_string(expected.each);
    if (!expected.length) return "a list of numbers" + range;
    if (*expected.length == 1) return "one number" + range;
    return fmt::format("a list of {} numbers{}", *expected.length, range);
}

/// The values as text, "[1,2,3]", shortened.
std::string listed(std::span<const int64_t> values) {
    constexpr size_t most = 10;
    return fmt::format("[{}{}]", fmt::join(values.first(std::min(values.size(), most)), ","),
                       values.size() > most ? fmt::format(",... {} in all", values.size()) : "");
}

/// Operators that map one to one to an op: the same inputs, no attributes.
const Table& derived() {
    static const Table all = [] {
        Table table;
        for (const OpDef* op : all_ops()) {
            const std::string& name = op->onnx.expression;
            if (op->kind != Kind::map || name.empty() || name.find('(') != name.npos ||
                !op->scalar_names.empty())
                continue;
            table.try_emplace(name, Importer{name, [op](const NodeCall& node) {
                                                 return apply_directly(*op, node);
                                             }});
        }
        return table;
    }();
    return all;
}

}  // namespace

int add_importers(std::vector<Importer> importers) {
    for (Importer& importer : importers) {
        const std::string name = key_of(importer.domain, importer.op);
        const bool is_new = table().emplace(name, std::move(importer)).second;
        CATENA_ASSERT(is_new, name + " has two importers");
    }
    return int(table().size());
}

const Importer* find_importer(std::string_view domain, std::string_view op) {
    const bool is_own = domain.empty() || domain == "ai.onnx";
    if (auto found = table().find(key_of(is_own ? "" : domain, op)); found != table().end())
        return &found->second;
    if (!is_own) return nullptr;
    if (auto found = derived().find(op); found != derived().end()) return &found->second;
    return nullptr;
}

std::vector<std::string> importer_names() {
    std::vector<std::string> names;
    Table all = table();
    all.insert(derived().begin(), derived().end());
    for (const auto& [name, importer] : all) names.push_back(name);
    return names;
}

Items directly(const NodeCall& node) {
    const auto found = derived().find(node.op());
    CATENA_ASSERT(found != derived().end(), node.op() + " is no op's own");
    return found->second.run(node);
}

NodeCall::NodeCall(const ::onnx::NodeProto& node, int opset, Items items, std::vector<bool> known,
                   const ModelFiles& files, RunGraph run_graph)
    : node_(node),
      opset_(opset),
      items_(std::move(items)),
      known_(std::move(known)),
      files_(files),
      run_graph_(run_graph) {}

std::vector<Variable> NodeCall::inputs() const {
    std::vector<Variable> all;
    for (const Item& item : items_) all.push_back(item.variable);
    return all;
}

const std::vector<Variable>& NodeCall::sequence(int i) const {
    if (size_t(i) >= items_.size() || !items_[size_t(i)].sequence)
        wrong(fmt::format("input {} is no sequence", i));
    return *items_[size_t(i)].sequence;
}

NodeCall NodeCall::with_inputs(std::vector<Variable> inputs) const {
    return {node_,
            opset_,
            Items(inputs.begin(), inputs.end()),
            std::vector<bool>(inputs.size(), false),
            files_,
            run_graph_};
}

Variable NodeCall::as(std::string_view op, std::vector<Variable> inputs) const {
    return find_importer("", op)->run(with_inputs(std::move(inputs)))[0].variable;
}

const std::string& NodeCall::op() const { return node_.op_type(); }

int NodeCall::output_count() const { return node_.output_size(); }

bool NodeCall::wants_output(int i) const {
    return i < node_.output_size() && !node_.output(i).empty();
}

const Variable& NodeCall::operator[](int i) const {
    if (!has(i)) wrong(fmt::format("input {} is missing", i));
    return items_[size_t(i)].variable;
}

bool NodeCall::has_attributes() const { return node_.attribute_size() > 0; }

const Attribute* NodeCall::find(std::string_view name) const {
    for (const Attribute& attribute : node_.attribute())
        if (attribute.name() == name) return &attribute;
    return nullptr;
}

const Attribute* NodeCall::find(std::string_view name, int type) const {
    const Attribute* found = find(name);
    // Old files do not say the type.
    if (!found || found->type() == type || found->type() == Attribute::UNDEFINED) return found;
    const auto named = [](int number) {
        return Attribute::AttributeType_IsValid(number)
                   ? Attribute::AttributeType_Name(Attribute::AttributeType(number))
                   : fmt::format("number {}", number);
    };
    wrong(fmt::format("attribute {} is of type {}, {} is expected", name, named(found->type()),
                      named(type)));
}

void NodeCall::check(const std::string& what, std::span<const int64_t> values,
                     const Expected& expected) const {
    const auto is_within = [&](int64_t value) { return expected.each.contains(value); };
    if ((!expected.length || values.size() == *expected.length) &&
        std::ranges::all_of(values, is_within))
        return;
    wrong(fmt::format("{} is {}; expected is {}", what, listed(values), to_string(expected)));
}

int64_t NodeCall::integer(std::string_view name, int64_t otherwise, const Within& within) const {
    const Attribute* found = find(name, Attribute::INT);
    if (!found) return otherwise;
    const int64_t value = found->i();
    if (!within.contains(value))
        wrong(fmt::format("attribute {} is {}; expected is a number{}", name, value,
                          to_string(within)));
    return value;
}

int64_t NodeCall::integer(std::string_view name, const Within& within) const {
    if (!find(name)) wrong(fmt::format("attribute {} is missing", name));
    return integer(name, 0, within);
}

bool NodeCall::flag(std::string_view name, bool otherwise) const {
    return integer(name, otherwise, any_number) != 0;
}

double NodeCall::number(std::string_view name, double otherwise) const {
    const Attribute* found = find(name, Attribute::FLOAT);
    return found ? double(found->f()) : otherwise;
}

std::string NodeCall::text(std::string_view name, std::string otherwise) const {
    const Attribute* found = find(name, Attribute::STRING);
    return found ? found->s() : otherwise;
}

std::string NodeCall::choice(std::string_view name,
                             std::initializer_list<std::string_view> all) const {
    const std::string given = text(name, std::string(*all.begin()));
    if (std::find(all.begin(), all.end(), given) == all.end())
        wrong(fmt::format("attribute {} is '{}'; expected is one of {}", name, given,
                          fmt::join(all, ", ")));
    return given;
}

std::optional<std::vector<int64_t>> NodeCall::integers(std::string_view name,
                                                       const Expected& expected) const {
    const Attribute* found = find(name, Attribute::INTS);
    if (!found) return std::nullopt;
    std::vector<int64_t> values(found->ints().begin(), found->ints().end());
    check(fmt::format("attribute {}", name), values, expected);
    return values;
}

std::vector<int64_t> NodeCall::integers(std::string_view name, size_t length, const Within& within,
                                        int64_t otherwise) const {
    if (auto given = integers(name, {within, length})) return *given;
    return std::vector<int64_t>(length, otherwise);
}

std::vector<double> NodeCall::numbers(std::string_view name) const {
    const Attribute* found = find(name, Attribute::FLOATS);
    return found ? std::vector<double>(found->floats().begin(), found->floats().end())
                 : std::vector<double>();
}

std::vector<std::string> NodeCall::texts(std::string_view name) const {
    const Attribute* found = find(name, Attribute::STRINGS);
    return found ? std::vector<std::string>(found->strings().begin(), found->strings().end())
                 : std::vector<std::string>();
}

Array NodeCall::tensor(std::string_view name) const {
    const Attribute* found = find(name, Attribute::TENSOR);
    if (!found || !found->has_t()) wrong(fmt::format("attribute {} is missing", name));
    return read_tensor(found->t(), files_);
}

Dtype NodeCall::dtype(std::string_view name, Dtype otherwise) const {
    return has_attribute(name) ? dtype(name) : otherwise;
}

Dtype NodeCall::dtype(std::string_view name) const {
    return dtype_from_onnx(int(integer(name, any_size)), describe());
}

const ::onnx::GraphProto& NodeCall::graph(std::string_view attribute) const {
    const Attribute* found = find(attribute, Attribute::GRAPH);
    if (!found || !found->has_g()) wrong(fmt::format("attribute {} is missing", attribute));
    return found->g();
}

std::optional<Type> NodeCall::graph_output_type(std::string_view attribute, int output) const {
    const ::onnx::GraphProto& body = graph(attribute);
    if (output >= body.output_size()) return std::nullopt;
    const ::onnx::TypeProto& type = body.output(output).type();
    if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return std::nullopt;
    const int element = type.tensor_type().elem_type();
    const std::optional<Dtype> dtype = held_as(element) ? held_as(element) : from_onnx(element);
    const auto& sizes = type.tensor_type().shape().dim();
    if (!dtype || sizes.size() >= max_rank) return std::nullopt;
    Type found{*dtype, {}};
    for (const auto& size : sizes) found.shape.push_back(std::max<int64_t>(size.dim_value(), 0));
    return found;
}

Items NodeCall::run_graph(std::string_view attribute, std::span<const Item> inputs) const {
    return run_graph_(graph(attribute), inputs);
}

const Variable& NodeCall::ranked(int i, int least, int most) const {
    const Variable& x = (*this)[i];
    if (x.rank() < least || x.rank() > most)
        wrong(fmt::format(
            "input {} is {}; expected are {} axes", i, catena::to_string(x.type()),
            least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most)));
    return x;
}

std::vector<int64_t> NodeCall::values(int i, const Expected& expected) const {
    const std::vector<int64_t> all = (*this)[i].array().to_vector<int64_t>();
    check(fmt::format("input {}", i), all, expected);
    return all;
}

int64_t NodeCall::value(int i, const Within& within) const { return values(i, {within, 1})[0]; }

double NodeCall::number_at(int i) const { return numbers_at(i, 1)[0]; }

std::vector<double> NodeCall::numbers_at(int i, size_t length) const {
    const std::vector<double> all = (*this)[i].array().to_vector<double>();
    if (all.size() != length)
        wrong(fmt::format("input {} has {} elements; expected are {}", i, all.size(), length));
    return all;
}

int NodeCall::axis(int64_t axis, int rank) const {
    if (axis < -rank || axis >= rank)
        wrong(fmt::format("axis {} is not one of {} axes", axis, rank));
    return int(axis < 0 ? axis + rank : axis);
}

int NodeCall::axis(std::string_view name, int64_t otherwise, int rank) const {
    return axis(integer(name, otherwise, any_number), rank);
}

Axes NodeCall::axes(std::span<const int64_t> given, int rank) const {
    Axes all;
    for (const int64_t value : given) {
        const int each = axis(value, rank);
        if (all.contains(each))
            wrong(fmt::format("axes {} name axis {} of {} axes twice", listed(given), each, rank));
        all.push_back(each);
    }
    return all;
}

int64_t NodeCall::whole(double value, const Within& within, std::string_view what) const {
    // 2^63 is no int64; NaN is not less.
    if (std::abs(value) < 0x1p63 && within.contains(int64_t(value))) return int64_t(value);
    wrong(fmt::format("{} is {}; expected is a number{}", what, value, to_string(within)));
}

std::string NodeCall::describe() const {
    const std::string name =
        node_.name().empty() && node_.output_size() > 0 ? node_.output(0) : node_.name();
    return fmt::format("{} node '{}' (opset {})", node_.op_type(), name, opset_);
}

void NodeCall::unsupported(const std::string& what) const {
    const ForgetLocation known;  // The message names the node.
    fail<UnsupportedError>("onnx: {}: {} is not supported", describe(), what);
}

void NodeCall::wrong(const std::string& what) const {
    const ForgetLocation known;
    fail<FileError>("onnx: {}: {}", describe(), what);
}

}  // namespace catena::onnx
