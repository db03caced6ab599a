#include "frontend/caffe/caffe_function.h"

#include <algorithm>
#include <new>
#include <set>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/text_format.h>

#include "frontend/caffe/caffe.pb.h"
#include "frontend/caffe/layer_reader.h"
#include "frontend/caffe/upgrade.h"
#include "runtime/core/memory/memory_allowance.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/log.h"
#include "runtime/core/system/printable.h"
#include "runtime/file/file.h"
#include "runtime/file/limits.h"
#include "runtime/graph/call/recorder.h"

namespace catena::caffe {
namespace {

format::NetParameter parsed(const std::string& path) {
    std::string problem;
    const int descriptor = open_regular_file(path.c_str(), problem);
    if (descriptor < 0) fail<FileError>("caffe: {}: {}", path, problem);
    google::protobuf::io::FileInputStream input(descriptor);
    input.SetCloseOnDelete(true);
    google::protobuf::io::CodedInputStream coded(&input);
    format::NetParameter net;
    try {
        if (!net.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage() ||
            coded.CurrentPosition() == 0)
            fail<FileError>("caffe: {} is not a .caffemodel, or is truncated", path);
    } catch (const std::bad_alloc&) {
        fail<FileError>("caffe: {}: not enough memory for its content", path);
    }
    net.DiscardUnknownFields();  // Data layers, and the gradients that solvers save.
    return net;
}

/// What a file of text says of its mistakes; notes on fields that are not read are left out.
class FirstMistake : public google::protobuf::io::ErrorCollector {
public:
    void AddError(int line, google::protobuf::io::ColumnNumber, const std::string& text) override {
        if (message.empty()) message = fmt::format("line {}: {}", line + 1, text);
    }
    void AddWarning(int, google::protobuf::io::ColumnNumber, const std::string&) override {}

    std::string message;
};

/// Whether the layer is there in the phase of tests.
bool is_for_tests(const format::LayerParameter& layer) {
    const auto is_test = [](const format::NetStateRule& rule) {
        return !rule.has_phase() || rule.phase() == format::TEST;
    };
    if (layer.include_size() > 0) return std::ranges::any_of(layer.include(), is_test);
    return layer.exclude_size() == 0 || std::ranges::none_of(layer.exclude(), is_test);
}

/// The layers of a file of text.
format::NetParameter parsed_text(const std::string& path) {
    const FileReader file(path);
    FileBudget(path, 0).ask(file.size(), "its text");
    format::NetParameter net;
    FirstMistake mistake;
    google::protobuf::TextFormat::Parser parser;
    parser.AllowUnknownField(true);
    parser.RecordErrorsTo(&mistake);
    parser.SetRecursionLimit(file_limits().depth);
    if (!parser.ParseFromString(file.read_all(), &net))
        fail<FileError>("caffe: {}: {}", path,
                        mistake.message.empty() ? "it is no .prototxt" : mistake.message);
    upgrade_layers(net);
    auto& layers = *net.mutable_layer();
    int kept = 0;
    for (int i = 0; i < layers.size(); ++i)
        if (is_for_tests(layers[i])) layers.SwapElements(i, kept++);
    layers.DeleteSubrange(kept, layers.size() - kept);
    return net;
}

/// `net` with the blobs of the layers of the same names in `weights`.
void take_blobs(format::NetParameter& net, format::NetParameter& weights) {
    std::map<std::string, format::LayerParameter*> known;
    for (auto& layer : *weights.mutable_layer())
        if (layer.blobs_size() > 0) known.emplace(layer.name(), &layer);
    for (auto& layer : *net.mutable_layer())
        if (const auto found = known.find(layer.name()); found != known.end())
            *layer.mutable_blobs() = found->second->blobs();
}

Layer layer_of(const format::LayerParameter& layer) {
    return {layer.name(),
            layer.type(),
            {layer.bottom().begin(), layer.bottom().end()},
            {layer.top().begin(), layer.top().end()}};
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string names_of(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
    return text;
}

}  // namespace

struct CaffeFunction::Network {
    std::string path, name;
    std::vector<Layer> layers, skipped;
    std::vector<std::function<Variables(std::span<const Variable>, Link*)>> runs;

    Variables run(size_t i, std::span<const Variable> bottom, Link* link) const;
};

CaffeFunction::CaffeFunction(const std::string& path) try {
    format::NetParameter net = parsed(path);
    upgrade_layers(net);
    read(net, path);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("caffe", path);
}

CaffeFunction::CaffeFunction(const std::string& path, const std::string& prototxt) try {
    format::NetParameter net = parsed_text(prototxt), weights = parsed(path);
    upgrade_layers(weights);
    take_blobs(net, weights);
    read(net, prototxt);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("caffe", path);
}

Variables CaffeFunction::Network::run(size_t i, std::span<const Variable> bottom,
                                      Link* link) const {
    const Layer& layer = layers[i];
    Variables top;
    try {
        top = runs[i](bottom, link);
    } catch (const FileError& error) {
        fail<FileError>("caffe: {}: {} layer '{}': {}", path, layer.type, layer.name, error.what());
    }
    if (top.size() < layer.top.size())
        fail<FileError>("caffe: {}: {} layer '{}' has {} tops, it computes {}", path, layer.type,
                        layer.name, layer.top.size(), top.size());
    return top;
}

void CaffeFunction::read(format::NetParameter& net, const std::string& path) {
    RecorderScope aside(nullptr);
    auto network = std::make_shared<Network>();
    network->path = path;
    network->name = net.name();
    std::set<std::string> taken;
    for (format::LayerParameter& parameters : *net.mutable_layer()) {
        const LayerReader* reader = find_layer_reader(parameters.type());
        if (!reader || parameters.bottom_size() == 0) {
            network->skipped.push_back(layer_of(parameters));
            if (parameters.bottom_size() > 0)
                say(LogLevel::warning,
                    fmt::format("caffe: {}: skips layer '{}': there are no layers of type '{}'",
                                printable(path), printable(parameters.name()),
                                printable(parameters.type())));
            continue;
        }
        const LayerInFile layer(parameters, path);
        layer.check_bottoms(1, reader->most_bottoms);
        LayerFunction made = reader->read(layer);
        network->layers.push_back(layer_of(parameters));
        network->runs.push_back(std::move(made.run));
        links_.push_back(std::move(made.link));
        if (links_.back()) {
            std::string name = parameters.name();
            while (!taken.insert(name).second) name += "_";
            name_child(*links_.back(), name);
        }
        parameters.Clear();  // The content is held once.
    }
    if (network->layers.empty())
        fail<FileError>("caffe: {} has no layer that computes anything", path);
    network_ = std::move(network);
}

bool CaffeFunction::runs(size_t layer, const std::vector<std::string>& disable) const {
    return !contains(disable, network_->layers[layer].name);
}

CaffeFunction::Blobs CaffeFunction::blobs(const Blobs& inputs,
                                          const std::vector<std::string>& disable) const {
    const MemoryAllowance allowed(memory_limit());
    Blobs known = inputs;
    for (size_t i = 0; i < network_->layers.size(); ++i) {
        const Layer& layer = network_->layers[i];
        std::vector<Variable> bottom;
        for (const std::string& name : layer.bottom)
            if (const auto found = known.find(name);
                found != known.end() && found->second.defined())
                bottom.push_back(found->second);
        if (bottom.size() < layer.bottom.size() || !runs(i, disable)) continue;
        const Variables top = network_->run(i, bottom, links_[i].get());
        for (size_t k = 0; k < layer.top.size(); ++k) known[layer.top[k]] = top[k];
    }
    return known;
}

/// Follows the first missing bottom of each layer to where it begins.
std::string CaffeFunction::why_not_computed(const std::string& blob, const Blobs& known) const {
    std::string missing = blob;
    for (size_t i = network_->layers.size(); i-- > 0;) {
        const Layer& layer = network_->layers[i];
        if (!contains(layer.top, missing)) continue;
        const auto first =
            std::find_if(layer.bottom.begin(), layer.bottom.end(),
                         [&](const std::string& name) { return !known.contains(name); });
        if (first == layer.bottom.end()) return fmt::format("layer '{}' was left out", layer.name);
        missing = *first;
    }
    if (missing == blob)
        return "no layer writes it; the inputs of the network are " + names_of(inputs());
    return fmt::format("'{}' was not given and is not computed", missing);
}

std::vector<Variable> CaffeFunction::operator()(const Blobs& inputs,
                                                const std::vector<std::string>& outputs,
                                                const std::vector<std::string>& disable) const {
    const Blobs known = blobs(inputs, disable);
    std::vector<Variable> found;
    for (const std::string& name : outputs) {
        const auto blob = known.find(name);
        if (blob == known.end())
            fail<ValueError>("caffe: {}: there is no blob '{}': {}", network_->path, name,
                             why_not_computed(name, known));
        found.push_back(blob->second);
    }
    return found;
}

std::vector<Variable> CaffeFunction::forward(const std::string& name,
                                             const std::vector<Variable>& bottom) const {
    for (size_t i = 0; i < network_->layers.size(); ++i) {
        const Layer& layer = network_->layers[i];
        if (layer.name != name) continue;
        if (bottom.size() != layer.bottom.size())
            fail<ValueError>("caffe: layer '{}' takes {} arrays, {} are given", name,
                             layer.bottom.size(), bottom.size());
        const MemoryAllowance allowed(memory_limit());
        const Variables top = network_->run(i, bottom, links_[i].get());
        return {top.begin(), top.end()};
    }
    fail<ValueError>("caffe: {} has no layer '{}'", network_->path, name);
}

const std::vector<Layer>& CaffeFunction::layers() const { return network_->layers; }
const std::vector<Layer>& CaffeFunction::skipped() const { return network_->skipped; }
const std::string& CaffeFunction::net_name() const { return network_->name; }

std::vector<std::string> CaffeFunction::inputs() const {
    std::vector<std::string> found, written;
    for (const Layer& layer : network_->layers) {
        for (const std::string& name : layer.bottom)
            if (!contains(written, name) && !contains(found, name)) found.push_back(name);
        written.insert(written.end(), layer.top.begin(), layer.top.end());
    }
    return found;
}

std::vector<std::string> CaffeFunction::results(const std::vector<std::string>& inputs) const {
    std::set<std::string> known(inputs.begin(), inputs.end());
    std::vector<std::string> unread;
    for (const Layer& layer : network_->layers) {
        if (!std::all_of(layer.bottom.begin(), layer.bottom.end(),
                         [&](const std::string& name) { return known.contains(name); }))
            continue;
        for (const std::string& name : layer.bottom) std::erase(unread, name);
        for (const std::string& name : layer.top) {
            known.insert(name);
            unread.push_back(name);
        }
    }
    return unread;
}

void CaffeFunction::visit_children(ChildVisitor visit) const {
    Link::visit_children(visit);
    for (const OwnedLink& link : links_)
        if (link) visit(link->name(), *link);
}

Link& CaffeFunction::operator[](const std::string& layer) const {
    std::vector<std::string> names;
    for (const OwnedLink& link : links_) {
        if (!link) continue;
        if (link->name() == layer) return *link;
        names.push_back(link->name());
    }
    fail<ValueError>("caffe: {} has no link '{}'; it has {}", network_->path, layer,
                     names_of(names));
}

}  // namespace catena::caffe
