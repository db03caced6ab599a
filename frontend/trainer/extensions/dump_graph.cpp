#include "frontend/trainer/extensions/dump_graph.h"

#include "runtime/file/file.h"
#include "frontend/serializer/serializer.h"
#include "frontend/trainer/reporter.h"
#include "frontend/trainer/trainer.h"
#include "runtime/core/error.h"
#include "runtime/graph/config.h"
#include "runtime/graph/variable_dot.h"

namespace catena::extensions {

DumpGraph::DumpGraph(std::string root_name, std::string filename)
    : root_name_(std::move(root_name)), filename_(std::move(filename)) {}

void DumpGraph::initialize(Trainer&) {
    if (called_) return;
    original_flag_ = config().keep_graph_on_report;
    mutable_config().keep_graph_on_report = true;
}

void DumpGraph::operator()(Trainer& trainer) {
    if (called_) return;
    called_ = true;
    mutable_config().keep_graph_on_report = original_flag_;
    auto found = trainer.observation().find(root_name_);
    if (found == trainer.observation().end() || !found->second.variable().defined())
        fail<ValueError>("DumpGraph: no Variable is reported as '{}'", root_name_);
    std::string path = trainer.out() + "/" + filename_, text = to_dot({&found->second.variable(), 1});
    AtomicFile file(path);
    file.write(text.data(), text.size());
    file.commit();
}

void DumpGraph::serialize(const Serializer& s) {
    s("_original_flag", original_flag_);
    s("_flag_called", called_);
}

}  // namespace catena::extensions
