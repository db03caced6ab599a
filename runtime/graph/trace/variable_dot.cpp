#include "runtime/graph/trace/variable_dot.h"

#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "runtime/core/system/error.h"
#include "runtime/graph/node/node.h"
#include "runtime/graph/trace/dot.h"

namespace catena {
namespace {

class DotWriter {
public:
    explicit DotWriter(const DotOptions& options) : options_(options) {}

    std::string write(std::span<const Variable> outputs) {
        for (const Variable& y : outputs) {
            Node* creator = y.body()->creator.get();
            if (!creator) {
                leaf(y.body());
                continue;
            }
            visit(creator);
            output(creator, y.body()->output_index, y.type(), y.name());
        }
        while (!waiting_.empty()) {
            Node* node = waiting_.back();
            waiting_.pop_back();
            expand(node);
        }
        return "digraph graphname{rankdir=" + options_.rankdir + ";\n" + text_ + "}\n";
    }

private:
    std::string visit(Node* node) {
        auto [found, is_new] = functions_.try_emplace(node, fmt::format("f{}", functions_.size()));
        if (is_new) {
            text_ += fmt::format("{} [label=\"{}\",{}];\n", found->second,
                                 dot_escaped(node->op->name), options_.function_style);
            waiting_.push_back(node);
        }
        return found->second;
    }

    std::string variable(const std::string& key, const Type& type, const std::string& name) {
        auto [found, is_new] = variables_.try_emplace(key, fmt::format("v{}", variables_.size()));
        if (is_new && !options_.remove_variable) {
            std::string label = options_.show_name && !name.empty() ? name + ": " : "";
            text_ +=
                fmt::format("{} [label=\"{}{}, {}\",{}];\n", found->second, dot_escaped(label),
                            to_string(type.shape), name_of(type.dtype), options_.variable_style);
        }
        return found->second;
    }

    /// Output `index` of a function, with the edge to it.
    std::string output(Node* node, int index, const Type& type, const std::string& name) {
        size_t before = variables_.size();
        std::string id = variable(fmt::format("{} {}", fmt::ptr(node), index), type, name);
        if (variables_.size() > before && !options_.remove_variable) arrow(functions_.at(node), id);
        return id;
    }

    std::string leaf(VariableBody* body) {
        static const std::string& unnamed = *new std::string;
        return variable(fmt::format("{}", fmt::ptr(body)), body->array.type(),
                        body->name ? *body->name : unnamed);
    }

    void arrow(const std::string& from, const std::string& to) {
        text_ += from + " -> " + to + ";\n";
    }

    void expand(Node* node) {
        std::string own = functions_.at(node);
        for (size_t i = 0; i < node->edges.size(); ++i) {
            const Edge& edge = node->edges[i];
            if (edge.node) {
                std::string maker = visit(edge.node.get());
                VariableBody* made = edge.node->outputs[size_t(edge.index)];
                std::string id = output(edge.node.get(), edge.index, node->input_types[i],
                                        made && made->name ? *made->name : "");
                arrow(options_.remove_variable ? maker : id, own);
            } else if (edge.leaf && !options_.remove_variable) {
                arrow(leaf(edge.leaf.get()), own);
            } else if (!options_.remove_variable && i < node->input_types.size()) {
                // Data that needs no gradient: the graph keeps only its type.
                arrow(variable(fmt::format("{} data {}", fmt::ptr(node), i), node->input_types[i],
                               ""),
                      own);
            }
        }
    }

    DotOptions options_;
    std::string text_;
    std::unordered_map<Node*, std::string> functions_;
    std::unordered_map<std::string, std::string> variables_;
    std::vector<Node*> waiting_;
};

}  // namespace

std::string to_dot(std::span<const Variable> outputs, const DotOptions& options) {
    for (const char* known : {"TB", "BT", "LR", "RL"})
        if (options.rankdir == known) return DotWriter(options).write(outputs);
    fail<ValueError>("to_dot: rankdir is 'TB', 'BT', 'LR' or 'RL', not '{}'", options.rankdir);
}

}  // namespace catena
