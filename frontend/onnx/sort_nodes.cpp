#include "frontend/onnx/sort_nodes.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include <onnx/onnx_pb.h>

#include "frontend/onnx/errors.h"

namespace catena::onnx {
namespace {

using Graph = ::onnx::GraphProto;
using Node = ::onnx::NodeProto;

std::set<std::string> names_from_outside(const Graph& graph);

/// The inputs of a node and of its subgraphs.
std::set<std::string> names_read(const Node& node) {
    std::set<std::string> names(node.input().begin(), node.input().end());
    for (const auto& attribute : node.attribute())
        if (attribute.has_g()) names.merge(names_from_outside(attribute.g()));
    names.erase("");
    return names;
}

std::set<std::string> names_from_outside(const Graph& graph) {
    std::set<std::string> names;
    for (const Node& node : graph.node()) names.merge(names_read(node));
    for (const auto& output : graph.output()) names.insert(output.name());
    for (const Node& node : graph.node())
        for (const std::string& own : node.output()) names.erase(own);
    for (const auto& input : graph.input()) names.erase(input.name());
    for (const auto& tensor : graph.initializer()) names.erase(tensor.name());
    return names;
}

std::string text_of(const Node& node) {
    return node.op_type() + " '" +
           (node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name()) + "'";
}

class Sorter {
public:
    Sorter(const Graph& graph, const std::string& path) : graph_(graph), path_(path) {
        std::unordered_map<std::string, int> giver;
        for (int n = 0; n < graph.node_size(); ++n)
            for (const std::string& name : graph.node(n).output()) giver.emplace(name, n);
        for (int n = 0; n < graph.node_size(); ++n) {
            std::vector<int>& before = before_.emplace_back();
            for (const std::string& name : names_read(graph.node(n)))
                if (const auto found = giver.find(name); found != giver.end())
                    before.push_back(found->second);
        }
    }

    bool is_sorted() const {
        for (size_t n = 0; n < before_.size(); ++n)
            if (std::ranges::any_of(before_[n], [&](int b) { return b >= int(n); })) return false;
        return true;
    }

    /// Depth first and without recursion: graphs may be deep.
    std::vector<int> order() {
        std::vector<size_t> done(before_.size(),
                                 0);  // The number of its `before` visited; one more: it is placed.
        std::vector<int> placed, path;
        for (int n = 0; n < int(before_.size()); ++n) {
            if (done[size_t(n)] == 0) path.push_back(n);
            while (!path.empty()) {
                const size_t top = size_t(path.back());
                if (done[top] > before_[top].size()) {
                    path.pop_back();
                } else if (done[top] == before_[top].size()) {
                    ++done[top];
                    placed.push_back(int(top));
                    path.pop_back();
                } else {
                    const int next = before_[top][done[top]++];
                    if (done[size_t(next)] > before_[size_t(next)].size()) continue;
                    if (const auto circle = std::ranges::find(path, next); circle != path.end())
                        refuse({circle, path.end()});
                    path.push_back(next);
                }
            }
        }
        return placed;
    }

private:
    /// Refuses a graph with a circle: each node reads an output of the next one, and the last one
    /// of the first.
    [[noreturn]] void refuse(const std::vector<int>& circle) const {
        constexpr size_t most_named = 8;
        std::string names;
        for (size_t i = 0; i < circle.size() && i < most_named; ++i)
            names += text_of(graph_.node(circle[i])) + ", ";
        if (circle.size() > most_named) names += "..., ";
        fail<FileError>("onnx: {}: nodes form a cycle: {}{}", path_, names,
                        text_of(graph_.node(circle[0])));
    }

    const Graph& graph_;
    const std::string& path_;
    std::vector<std::vector<int>> before_;  ///< For each node, the nodes that give what it reads.
};

}  // namespace

void sort_nodes(Graph& graph, const std::string& path) {
    for (Node& node : *graph.mutable_node())
        for (auto& attribute : *node.mutable_attribute())
            if (attribute.has_g()) sort_nodes(*attribute.mutable_g(), path);
    Sorter sorter(graph, path);
    if (sorter.is_sorted()) return;
    google::protobuf::RepeatedPtrField<Node> sorted;
    for (int n : sorter.order()) *sorted.Add() = std::move(*graph.mutable_node(n));
    graph.mutable_node()->Swap(&sorted);
}

}  // namespace catena::onnx
