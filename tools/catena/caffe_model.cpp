// `catena run` and `catena show` of Caffe models.
#include "tools/catena/caffe_model.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include <fmt/ranges.h>

#include "runtime/core/system/error.h"
#ifdef CATENA_HAS_CAFFE
#include "frontend/caffe/caffe_function.h"
#endif

namespace catena::tool {
#ifdef CATENA_HAS_CAFFE
namespace {

/// The blobs that were given and their arrays: by name from one .npz or --input, else in the order
/// of the network's inputs.
std::pair<std::vector<std::string>, std::vector<Array>> blobs_for(const caffe::CaffeFunction& net,
                                                                  const RunOptions& options) {
    const std::optional<NpzFile> file =
        options.inputs.size() == 1 && options.inputs[0].ends_with(".npz")
            ? std::optional<NpzFile>(std::in_place, options.inputs[0])
            : std::nullopt;
    const auto is_given = [&](const std::string& name) {
        if (file && file->contains(name)) return true;
        return std::any_of(options.made_inputs.begin(), options.made_inputs.end(),
                           [&](const std::string& text) { return text.starts_with(name + "="); });
    };
    const std::vector<std::string> all = net.inputs();
    std::vector<std::string> given;
    std::copy_if(all.begin(), all.end(), std::back_inserter(given), is_given);
    std::vector<std::string> names = given.empty() ? all : given;
    std::vector<Array> arrays = arrays_for(names, options);
    if (arrays.size() > names.size())
        fail<ValueError>("run: {} takes {} arrays, {} are given", options.model, names.size(),
                         arrays.size());
    names.resize(arrays.size());
    return {std::move(names), std::move(arrays)};
}

ModelFile function_of(std::shared_ptr<const caffe::CaffeFunction> net,
                      const std::vector<std::string>& given) {
    ModelFile file;
    for (const std::string& name : given) file.inputs.push_back({.name = name});
    file.outputs = net->results(given);
    file.call = [net, given, outputs = file.outputs](const std::vector<Variable>& xs) {
        caffe::CaffeFunction::Blobs blobs;
        for (size_t i = 0; i < given.size(); ++i) blobs[given[i]] = xs[i];
        return (*net)(blobs, outputs);
    };
    return file;
}

}  // namespace

ModelFile open_caffe(const std::string& path, const std::vector<std::string>& given) {
    return function_of(std::make_shared<const caffe::CaffeFunction>(path), given);
}

NamedArrays run_caffe(const RunOptions& options) {
    const auto net = std::make_shared<const caffe::CaffeFunction>(options.model);
    const auto [names, arrays] = blobs_for(*net, options);
    return run_model(function_of(net, names), arrays, options.eager);
}

void check_caffe(const std::string& path) { caffe::CaffeFunction{path}; }

void show_caffe(const std::string& path) {
    const caffe::CaffeFunction net(path);
    fmt::print("{:<8} {}\n", "network", net.net_name());
    for (const std::string& name : net.inputs()) fmt::print("{:<8} {}\n", "input", name);
    for (const std::string& name : net.results(net.inputs()))
        fmt::print("{:<8} {}\n", "output", name);
    for (const caffe::Layer& layer : net.layers())
        fmt::print("{:<8} {} {}: {} -> {}\n", "layer", layer.type, layer.name,
                   fmt::join(layer.bottom, " "), fmt::join(layer.top, " "));
    for (const caffe::Layer& layer : net.skipped())
        fmt::print("{:<8} {} {}\n", "skipped", layer.type, layer.name);
    for (const auto& [name, parameter] : net.namedparams())
        fmt::print("{:<8} {} {}\n", "array", name, to_string(parameter->type()));
}

#else

void check_caffe(const std::string& path) {
    fail<ValueError>(
        "{} cannot be read, this Catena was built without Caffe (libprotobuf-dev "
        "protobuf-compiler)",
        path);
}
void show_caffe(const std::string& path) { check_caffe(path); }
ModelFile open_caffe(const std::string& path, const std::vector<std::string>&) {
    check_caffe(path);
    return {};
}
NamedArrays run_caffe(const RunOptions& options) {
    check_caffe(options.model);
    return {};
}

#endif

}  // namespace catena::tool
