#include "frontend/onnx/import.h"

#include <filesystem>
#include <new>
#include <set>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <onnx/onnx_pb.h>

#include "frontend/onnx/functions.h"
#include "frontend/onnx/learned.h"
#include "frontend/onnx/loaded_model.h"
#include "frontend/onnx/sort_nodes.h"
#include "frontend/onnx/tensor.h"
#include "frontend/onnx/unsigned_types.h"
#include "runtime/core/memory/memory_allowance.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/file/file.h"
#include "runtime/file/limits.h"

namespace catena::onnx {
namespace {

template <class Proto>
void parse(const std::string& path, Proto& proto, const char* what) {
    std::string problem;
    const int descriptor = open_regular_file(path.c_str(), problem);
    if (descriptor < 0) fail<FileError>("onnx: {}: {}", path, problem);
    google::protobuf::io::FileInputStream input(descriptor);
    input.SetCloseOnDelete(true);
    google::protobuf::io::CodedInputStream coded(&input);
    try {
        if (!proto.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage() ||
            coded.CurrentPosition() == 0)
            fail<FileError>("onnx: {} is no {}, or is truncated", path, what);
    } catch (const std::bad_alloc&) {
        fail<FileError>("onnx: {}: not enough memory for its content", path);
    }
}

/// Holds one initializer, so that a link can own any number of them.
struct WeightLink : Link {
    Parameter value;
    WeightLink(const std::string& name, const Array& array) : value(array) {
        add_param(name, value);
    }
};

/// "l1/W" as link and parameter: {"l1", "W"}.
std::pair<std::string, std::string> place_of(const std::string& name) {
    for (const char separator : {'/', '.'})
        if (const size_t at = name.rfind(separator);
            at != name.npos && at > 0 && at + 1 < name.size())
            return {name.substr(0, at), name.substr(at + 1)};
    return {name, "value"};
}

}  // namespace

Model::Model(std::shared_ptr<const LoadedModel> loaded) : loaded_(std::move(loaded)) {
    std::set<std::pair<std::string, std::string>> taken;
    for (const auto& [name, array] : loaded_->initializers) {
        if (!loaded_->learned.contains(name)) continue;
        auto place = place_of(name);
        while (!taken.insert(place).second) place.second += "_";
        weights_.push_back({name, OwnedLink(WeightLink(place.second, array))});
        name_child(*weights_.back().link, place.first);
    }
}

void Model::visit_children(ChildVisitor visit) const {
    Link::visit_children(visit);
    for (const Weight& weight : weights_) visit(weight.link->name(), *weight.link);
}

const std::vector<Port>& Model::inputs() const { return loaded_->inputs; }
const std::vector<Port>& Model::outputs() const { return loaded_->outputs; }

std::vector<std::pair<std::string, Variable>> Model::initializers() const {
    std::vector<std::pair<std::string, Variable>> found;
    size_t learned = 0;
    for (const auto& [name, array] : loaded_->initializers)
        if (loaded_->learned.contains(name))
            found.emplace_back(name, weights_[learned++].parameter());
        else
            found.emplace_back(name, loaded_->constants.at(name).item.variable);
    return found;
}

Items Model::run_items(std::span<const Item> inputs) const try {
    loaded_->check_ports(inputs);
    const MemoryAllowance allowed(memory_limit());
    int64_t steps = file_limits().steps;
    const PreparedGraph& graph = loaded_->prepared;
    Scope scope = graph.scope(nullptr, &steps);
    auto place = graph.inputs.begin();
    for (const Item& input : inputs) scope.values[size_t(*place++)].item = input;
    for (const Weight& weight : weights_) scope.values[size_t(*place++)].item = weight.parameter();
    return loaded_->run_graph(graph, scope);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("onnx", loaded_->path);
}

Variables Model::run(std::span<const Variable> inputs) const try {
    Variables found;
    for (const Item& item : run_items(Items(inputs.begin(), inputs.end()))) {
        if (!item.variable.defined())
            fail<UnsupportedError>("onnx: {}: output '{}' is {}; call run_items()", loaded_->path,
                                   outputs()[found.size()].name,
                                   item.sequence ? "a sequence" : "an absent optional value");
        found.push_back(item.variable);
    }
    return found;
} catch (const std::bad_alloc&) {
    throw_out_of_memory("onnx", loaded_->path);
}

Variable Model::operator()(const Variable& x) const {
    Variables outputs = called({&x}, [&] { return run(std::span(&x, 1)); });
    if (outputs.size() != 1)
        fail<ValueError>("onnx: {} has {} outputs; pass a list of inputs to get a list",
                         loaded_->path, outputs.size());
    return outputs[0];
}

std::vector<Variable> Model::operator()(const std::vector<Variable>& inputs) const {
    Variables outputs = called_with([&] { return run(inputs); }, inputs);
    return {outputs.begin(), outputs.end()};
}

Model import_model(const std::string& path, const ImportOptions& options) try {
    auto model = std::make_shared<LoadedModel>();
    const MemoryAllowance allowed(memory_limit());  // For what is computed of constants.
    model->path = path;
    model->files.folder = std::filesystem::path(path).parent_path().string();
    model->proto = std::make_shared<::onnx::ModelProto>();
    parse(path, *model->proto, "ONNX model");
    FileBudget budget(path, model->proto->ByteSizeLong());
    model->files.budget = &budget;
    if (!model->proto->has_graph()) fail<FileError>("onnx: {} holds no graph", path);
    read_opset(*model);
    inline_functions(*model->proto, path);
    check_outputs(model->proto->graph(), path);
    sort_nodes(*model->proto->mutable_graph(), path);
    prepare_unsigned(*model->proto->mutable_graph(), path);
    check_model(*model);
    if (options.trainable) model->learned = learned_initializers(model->proto->graph());
    read_model(*model);
    model->proto->mutable_graph()->clear_initializer();
    fold_constants(*model);
    prepare_model(*model);
    model->files.budget = nullptr;
    return Model(std::move(model));
} catch (const std::bad_alloc&) {
    throw_out_of_memory("onnx", path);
}

Array load_tensor(const std::string& path) try {
    ::onnx::TensorProto tensor;
    parse(path, tensor, "ONNX tensor");
    return read_tensor(tensor, {std::filesystem::path(path).parent_path().string()});
} catch (const std::bad_alloc&) {
    throw_out_of_memory("onnx", path);
}

}  // namespace catena::onnx
