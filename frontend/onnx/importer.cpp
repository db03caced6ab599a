#include "frontend/onnx/importer.h"

#include <onnx/onnx_pb.h>

#include "frontend/onnx/tensor.h"
#include "runtime/core/forget_location.h"

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
    return apply(op, inputs, current_location());
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

int64_t NodeCall::integer(std::string_view name, int64_t otherwise) const {
    const Attribute* found = find(name);
    return found ? found->i() : otherwise;
}

int64_t NodeCall::integer(std::string_view name) const {
    if (!find(name)) wrong(fmt::format("attribute {} is missing", name));
    return find(name)->i();
}

double NodeCall::number(std::string_view name, double otherwise) const {
    const Attribute* found = find(name);
    return found ? double(found->f()) : otherwise;
}

std::string NodeCall::text(std::string_view name, std::string otherwise) const {
    const Attribute* found = find(name);
    return found ? found->s() : otherwise;
}

std::vector<int64_t> NodeCall::integers(std::string_view name,
                                        std::vector<int64_t> otherwise) const {
    const Attribute* found = find(name);
    return found ? std::vector<int64_t>(found->ints().begin(), found->ints().end()) : otherwise;
}

std::vector<double> NodeCall::numbers(std::string_view name) const {
    const Attribute* found = find(name);
    return found ? std::vector<double>(found->floats().begin(), found->floats().end())
                 : std::vector<double>();
}

std::vector<std::string> NodeCall::texts(std::string_view name) const {
    const Attribute* found = find(name);
    return found ? std::vector<std::string>(found->strings().begin(), found->strings().end())
                 : std::vector<std::string>();
}

Array NodeCall::tensor(std::string_view name) const {
    const Attribute* found = find(name);
    if (!found || !found->has_t()) wrong(fmt::format("attribute {} is missing", name));
    return read_tensor(found->t(), files_);
}

Items NodeCall::run_graph(std::string_view attribute, std::span<const Item> inputs) const {
    const Attribute* found = find(attribute);
    if (!found || !found->has_g()) wrong(fmt::format("attribute {} is missing", attribute));
    return run_graph_(found->g(), inputs);
}

int NodeCall::graph_input_count(std::string_view attribute) const {
    const Attribute* found = find(attribute);
    return found && found->has_g() ? found->g().input_size() : 0;
}

std::vector<int64_t> NodeCall::values(int i) const {
    return (*this)[i].array().to_vector<int64_t>();
}

int64_t NodeCall::value(int i) const {
    const std::vector<int64_t> all = values(i);
    if (all.size() != 1)
        wrong(fmt::format("input {} has {} elements, one is expected", i, all.size()));
    return all[0];
}

double NodeCall::number_at(int i) const {
    const std::vector<double> all = (*this)[i].array().to_vector<double>();
    if (all.size() != 1)
        wrong(fmt::format("input {} has {} elements, one is expected", i, all.size()));
    return all[0];
}

int NodeCall::axis(int64_t axis, int rank) const {
    if (axis < -rank || axis >= rank)
        wrong(fmt::format("axis {} is not one of {} axes", axis, rank));
    return int(axis < 0 ? axis + rank : axis);
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
