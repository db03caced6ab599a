#include "frontend/capture/call/made_nodes.h"

namespace catena::capture {

void MadeNodes::add(const MadeNode& made) {
    Node& node = *made.node;
    node.made_by = this;
    node.number = int(all_.size());
    all_.push_back(made);
    if (node.location.line == 0 && made.step) node.location = made.step->call->location;
    for (const Edge& edge : node.edges) follow_others_ |= edge.node && edge.node->made_by != this;
}

void MadeNodes::clear() {
    for (const MadeNode& made : all_)
        if (made.node) made.node->made_by = nullptr;
    all_.clear();
    follow_others_ = false;
}

}  // namespace catena::capture
