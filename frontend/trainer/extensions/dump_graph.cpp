#include "frontend/trainer/extensions/dump_graph.h"

#include <utility>

#include "frontend/serializer/serializer.h"
#include "frontend/trainer/extensions/report/run_program.h"
#include "frontend/trainer/reporter.h"
#include "frontend/trainer/trainer.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/log.h"
#include "runtime/graph/settings/config.h"

namespace catena::extensions {

DumpGraph::DumpGraph(std::string root_name, std::string filename, DotOptions options)
    : root_name_(std::move(root_name)),
      filename_(std::move(filename)),
      options_(std::move(options)) {}

bool DumpGraph::available() { return is_on_path("dot"); }

void DumpGraph::initialize(Trainer&) {
    if (called_) return;
    original_flag_ = config().keep_graph_on_report;
    mutable_config().keep_graph_on_report = true;
    is_flag_set_ = true;
}

void DumpGraph::finalize() {
    if (std::exchange(is_flag_set_, false)) mutable_config().keep_graph_on_report = original_flag_;
}

void DumpGraph::operator()(Trainer& trainer) {
    if (called_) return;
    called_ = true;
    finalize();
    auto found = trainer.observation().find(root_name_);
    if (found == trainer.observation().end() || !found->second.variable().defined())
        fail<ValueError>("DumpGraph: no Variable is reported as '{}'", root_name_);
    const std::string path = trainer.out() + "/" + filename_,
                      image = trainer.out() + "/" + stem_of(filename_) + ".png";
    write_file(path, to_dot({&found->second.variable(), 1}, options_));
    if (!run_program({"dot", "-Tpng", "-o", image, path}))
        say(LogLevel::warning,
            fmt::format("DumpGraph: {}, so there is no {}; `dot -Tpng -o {} {}` draws it",
                        available() ? "Graphviz's dot fails" : "Graphviz's dot is not installed",
                        image, image, path));
}

void DumpGraph::serialize(const Serializer& s) {
    s("_original_flag", original_flag_);
    s("_flag_called", called_);
}

}  // namespace catena::extensions
