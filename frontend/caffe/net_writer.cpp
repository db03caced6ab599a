#include "frontend/caffe/net_writer.h"

#include <algorithm>

#include "frontend/caffe/caffe.pb.h"
#include "runtime/core/system/ascii.h"
#include "runtime/ops/array/layout/movement.h"

namespace catena::caffe {
namespace {

std::map<std::string, LayerWriter>& writers() {
    static auto& all = *new std::map<std::string, LayerWriter>;
    return all;
}

const OnnxAttribute* find(const OnnxNode& node, std::string_view name) {
    for (const auto& [key, value] : node.attributes)
        if (key == name) return &value;
    return nullptr;
}

std::optional<Shape> constant_shape(const std::optional<OnnxSizes>& sizes) {
    if (!sizes) return std::nullopt;
    Shape shape;
    for (const OnnxSize& size : *sizes) shape.push_back(size.constant);
    return shape;
}

/// "conv1" of "conv1/W", the name of a link's parameter.
std::string link_of(const std::string& parameter) {
    const size_t at = parameter.rfind('/');
    return at == parameter.npos ? "" : parameter.substr(0, at);
}

}  // namespace

int add_layer_writers(std::vector<LayerWriter> added) {
    for (LayerWriter& writer : added) {
        const std::string type = writer.type;
        if (!writers().emplace(type, std::move(writer)).second)
            throw InternalError("two writers of layers for " + type);
    }
    return int(added.size());
}

void add_blob(format::LayerParameter& layer, const Array& array) {
    const Array dense = array.astype(Dtype::float32).as_contiguous();
    format::BlobProto& blob = *layer.add_blobs();
    blob.mutable_shape();
    for (int64_t size : dense.shape()) blob.mutable_shape()->add_dim(size);
    const float* elements = dense.elements<float>();
    blob.mutable_data()->Add(elements, elements + dense.size());
}

bool Operator::is_constant(int i) const {
    return has(i) && net_.constants_.contains(node_.inputs[size_t(i)]);
}

Array Operator::constant(int i, const char* what) const {
    if (!is_constant(i)) unsupported(fmt::format("{} that the network computes", what));
    return net_.constants_.at(node_.inputs[size_t(i)]);
}

std::optional<double> Operator::number(int i) const {
    if (!is_constant(i) || net_.constants_.at(node_.inputs[size_t(i)]).size() != 1)
        return std::nullopt;
    return net_.constants_.at(node_.inputs[size_t(i)]).to_vector<double>()[0];
}

std::optional<Shape> Operator::input_shape(int i) const {
    if (is_constant(i)) return net_.constants_.at(node_.inputs[size_t(i)]).shape();
    return constant_shape(net_.graph_.shape_of(node_.inputs[size_t(i)]));
}
std::optional<Shape> Operator::output_shape() const {
    return constant_shape(net_.graph_.shape_of(node_.outputs[0]));
}

int64_t Operator::integer(std::string_view name, int64_t otherwise) const {
    const OnnxAttribute* found = find(node_, name);
    if (!found) return otherwise;
    const auto* real = std::get_if<double>(found);
    return real ? int64_t(*real) : std::get<int64_t>(*found);
}
double Operator::real(std::string_view name, double otherwise) const {
    const OnnxAttribute* found = find(node_, name);
    if (!found) return otherwise;
    const auto* integer = std::get_if<int64_t>(found);
    return integer ? double(*integer) : std::get<double>(*found);
}
std::vector<int64_t> Operator::integers(std::string_view name) const {
    const OnnxAttribute* found = find(node_, name);
    return found ? std::get<std::vector<int64_t>>(*found) : std::vector<int64_t>();
}
std::optional<Dtype> Operator::dtype(std::string_view name) const {
    const OnnxAttribute* found = find(node_, name);
    return found ? std::optional(std::get<Dtype>(*found)) : std::nullopt;
}

format::LayerParameter& Operator::layer(const std::string& type, int input) {
    return layer(type, std::vector<int>{input});
}

format::LayerParameter& Operator::layer(const std::string& type, const std::vector<int>& inputs,
                                        int outputs) {
    last_ = net_.net_.add_layer();
    last_->set_type(type);
    last_->set_name(net_.layer_name(node_, type));
    last_->set_phase(format::TEST);
    for (int i : inputs) {
        if (is_constant(i)) unsupported("a parameter as a blob");
        last_->add_bottom(net_.blob(node_.inputs[size_t(i)]));
    }
    for (int i = 0; i < outputs; ++i) {
        const int id = node_.outputs[size_t(i)];
        const std::string name = net_.outputs_.contains(id) ? net_.graph_.name_of(id)
                                 : i == 0 ? last_->name()
                                          : fmt::format("{}_{}", last_->name(), i);
        net_.blobs_[id] = name;
        net_.sources_[id] = last_;
        last_->add_top(name);
    }
    return *last_;
}

format::LayerParameter& Operator::then(const std::string& type, const char* suffix) {
    format::LayerParameter& before = *last_;
    last_ = net_.net_.add_layer();
    last_->set_type(type);
    last_->set_name(before.name());
    last_->set_phase(format::TEST);
    last_->add_top(before.top(0));
    const std::string between = net_.unique(before.name() + suffix);
    before.set_name(between);
    before.set_top(0, between);
    last_->add_bottom(between);
    net_.sources_[node_.outputs[0]] = last_;
    return *last_;
}

bool Operator::is_shared(int i) const {
    const int id = node_.inputs[size_t(i)];
    return net_.readers_.at(id).size() > 1 || net_.outputs_.contains(id);
}

format::LayerParameter* Operator::only_source(int i) const {
    const auto found = net_.sources_.find(node_.inputs[size_t(i)]);
    return found == net_.sources_.end() || is_shared(i) ? nullptr : found->second;
}

void Operator::alias(int i) {
    const int from = node_.inputs[size_t(i)], to = node_.outputs[0];
    net_.blobs_[to] = net_.blob(from);
    if (const auto source = net_.sources_.find(from); source != net_.sources_.end())
        net_.sources_[to] = source->second;
    if (!net_.outputs_.contains(to)) return;
    if (format::LayerParameter* source = only_source(i)) {
        source->set_top(0, net_.graph_.name_of(to));
        net_.blobs_[to] = source->top(0);
    } else {
        layer("Split", i);
    }
}

bool Operator::all_readers_are(const char* type) const {
    const int id = node_.outputs[0];
    const auto found = net_.readers_.find(id);
    return !net_.outputs_.contains(id) && found != net_.readers_.end() &&
           std::all_of(found->second.begin(), found->second.end(),
                       [&](const OnnxNode* reader) { return reader->type == type; });
}

void Operator::unsupported(const std::string& what) const {
    fail<UnsupportedError>("caffe: {}{}: Caffe has no layer for {}", node_.type,
                           location_.empty() ? "" : " (" + location_ + ")", what);
}

NetWriter::NetWriter(const RecordedGraph& graph, format::NetParameter& net)
    : graph_(graph), net_(net), constants_(graph.graph().constants()) {
    const std::vector<char> used = graph.used_values();
    for (const RecordedGraph::Port& port : graph.outputs()) {
        outputs_.insert(port.id);
        names_.insert(graph.name_of(port.id));
    }
    const auto is_used = [&](const OnnxNode& node) {
        return std::any_of(node.outputs.begin(), node.outputs.end(),
                           [&](int v) { return used[size_t(v)]; });
    };
    for (const OnnxNode& node : graph.graph().nodes())
        for (int v : node.inputs)
            if (is_used(node)) readers_[v].push_back(&node);
    add_inputs();
    for (size_t n = 0; n < graph.graph().nodes().size(); ++n)
        if (is_used(graph.graph().nodes()[n])) add_operator(n);
}

void NetWriter::add_inputs() {
    for (const RecordedGraph::Port& port : graph_.inputs()) {
        const Trace::Value& value = graph_.recording().trace.values[size_t(port.value)];
        if (value.role != Trace::Role::argument)
            fail<UnsupportedError>("caffe: the model changes '{}'; Caffe's networks have no state",
                                   value.name);
        const std::string name = unique(graph_.name_of(port.id));
        blobs_[port.id] = name;
        format::LayerParameter& layer = *net_.add_layer();
        layer.set_type("Input");
        layer.set_name(name);
        layer.add_top(name);
        format::BlobShape& shape = *layer.mutable_input_param()->add_shape();
        for (int64_t size : value.type.shape) shape.add_dim(size);
    }
}

std::string NetWriter::unique(std::string name) {
    std::string result = name;
    for (int n = 1; !names_.insert(result).second; ++n) result = fmt::format("{}_{}", name, n);
    return result;
}

/// The link that has the operator's parameters, or the type.
std::string NetWriter::layer_name(const OnnxNode& node, const std::string& type) {
    for (size_t i = 1; i < node.inputs.size(); ++i)
        if (int id = node.inputs[i]; id >= 0 && constants_.contains(id)) {
            for (auto from = folded_from_.find(id); from != folded_from_.end();
                 from = folded_from_.find(id))
                id = from->second;
            if (const std::string link = link_of(graph_.name_of(id)); !link.empty())
                return unique(link);
        }
    return unique(ascii::to_lower(type));
}

/// Operators on constants that the forms of ops add.
bool NetWriter::fold(const OnnxNode& node) {
    const auto constant = [&](size_t i) { return constants_.find(node.inputs[i]); };
    if (node.inputs.empty() || constant(0) == constants_.end()) return false;
    const Array& x = constant(0)->second;
    Array y;
    if (node.type == "Identity") {
        y = x;
    } else if (node.type == "Cast") {
        y = x.astype(std::get<Dtype>(*find(node, "to")));
    } else if (node.type == "Transpose") {
        const OnnxAttribute* axes = find(node, "perm");
        y = transpose(x, axes ? Axes(std::get<std::vector<int64_t>>(*axes)) : Axes()).array();
    } else if (node.type == "Reshape" && constant(1) != constants_.end()) {
        y = reshape(x, Shape(constant(1)->second.to_vector<int64_t>())).array();
    } else {
        return false;
    }
    constants_[node.outputs[0]] = y.as_contiguous();
    folded_from_[node.outputs[0]] = node.inputs[0];
    return true;
}

void NetWriter::add_operator(size_t n) {
    const OnnxNode& node = graph_.graph().nodes()[n];
    if (fold(node)) return;
    Operator op(*this, node, graph_.location(n));
    const auto writer = writers().find(node.type);
    if (writer == writers().end()) op.unsupported("this operator");
    writer->second.write(op);
}

}  // namespace catena::caffe
