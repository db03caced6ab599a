#include "frontend/caffe/export.h"

#include <filesystem>

#include <google/protobuf/text_format.h>

#include "frontend/caffe/caffe.pb.h"
#include "frontend/caffe/net_writer.h"
#include "runtime/file/write_file.h"

namespace catena::caffe {
namespace {

void check(const std::vector<Variable>& inputs, const ExportOptions& options) {
    if (inputs.empty())
        fail<ValueError>("caffe: export_model: no inputs are given; give at least one");
    if (!options.input_names.empty() && options.input_names.size() != inputs.size())
        fail<ValueError>(
            "caffe: {} input names are given, the model has {} inputs; give one for each",
            options.input_names.size(), inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i)
        if (!inputs[i].defined() || !inputs[i].array().defined())
            fail<ValueError>("caffe: input {} is undefined; give an array of the input's shape", i);
}

RecordingOptions recording_options(size_t inputs, const ExportOptions& options) {
    RecordingOptions how{.who = "caffe",
                         .opset = 18,
                         .input_names = options.input_names,
                         .output_names = options.output_names};
    how.fold_constants = true;
    for (size_t i = 0; i < inputs && options.input_names.empty(); ++i)
        how.input_names.push_back(inputs == 1 ? "data" : "data" + std::to_string(i));
    return how;
}

}  // namespace

void export_function(const std::function<Variables(std::span<const Variable>)>& body,
                     const std::vector<Variable>& inputs, const std::string& directory,
                     const ExportOptions& options) {
    check(inputs, options);
    const RecordingOptions how = recording_options(inputs.size(), options);
    const Recording recording = record(body, inputs, how);
    const RecordedGraph graph(recording, how);
    format::NetParameter net;
    net.set_name(options.graph_name);
    NetWriter writer(graph, net);
    const std::string path = (std::filesystem::path(directory) / options.file_name).string();
    if (options.export_params) {
        std::string bytes;
        if (!net.SerializeToString(&bytes))
            fail<FileError>("caffe: {}.caffemodel would be larger than the format allows", path);
        write_file(path + ".caffemodel", bytes);
    }
    for (format::LayerParameter& layer : *net.mutable_layer()) {
        layer.clear_blobs();
        layer.clear_phase();
    }
    std::string text;
    google::protobuf::TextFormat::PrintToString(net, &text);
    write_file(path + ".prototxt", text);
}

}  // namespace catena::caffe
