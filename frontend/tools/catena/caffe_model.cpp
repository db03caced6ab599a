// `catena run` and `catena show` of Caffe models.
#include "frontend/tools/catena/caffe_model.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/ranges.h>

#include "frontend/static_graph/static_graph.h"
#include "runtime/core/error.h"
#include "runtime/graph/config.h"
#ifdef CATENA_HAS_CAFFE
#include "frontend/caffe/caffe_function.h"
#endif

namespace catena::tool {
#ifdef CATENA_HAS_CAFFE
namespace {

/// The arrays of the blobs that were given: by name from one .npz or --input, else in the order of
/// the network's inputs.
caffe::CaffeFunction::Blobs blobs_for(const caffe::CaffeFunction& net, const RunOptions& options) {
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
    const std::vector<std::string>& names = given.empty() ? all : given;
    const std::vector<Array> arrays = arrays_for(names, options);
    if (arrays.size() > names.size())
        fail<ValueError>("run: {} takes {} arrays, {} are given", options.model, names.size(),
                         arrays.size());
    caffe::CaffeFunction::Blobs blobs;
    for (size_t i = 0; i < arrays.size(); ++i) blobs[names[i]] = Variable(arrays[i], false);
    return blobs;
}

}  // namespace

NamedArrays run_caffe(const RunOptions& options) {
    const auto test_mode = using_config(&Config::train, false);
    const auto no_graph = no_backprop_mode();
    const caffe::CaffeFunction net(options.model);
    const caffe::CaffeFunction::Blobs blobs = blobs_for(net, options);
    std::vector<std::string> names;
    for (const auto& [name, x] : blobs) names.push_back(name);
    const std::vector<std::string> results = net.results(names);
    const auto run = [&](const std::vector<Variable>& xs) {
        caffe::CaffeFunction::Blobs inputs;
        for (size_t i = 0; i < names.size(); ++i) inputs[names[i]] = xs[i];
        return net(inputs, results);
    };
    std::vector<Variable> xs;
    for (const std::string& name : names) xs.push_back(blobs.at(name));
    std::vector<Variable> ys;
    if (options.eager) {
        ys = run(xs);
    } else {
        auto region = static_graph(run, {.name = "model"});
        region(xs);  // records
        ys = region(xs);
    }
    NamedArrays found;
    for (size_t i = 0; i < ys.size(); ++i) found.emplace_back(results[i], ys[i].array());
    return found;
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
NamedArrays run_caffe(const RunOptions& options) {
    check_caffe(options.model);
    return {};
}

#endif

}  // namespace catena::tool
