#pragma once

#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/onnx/errors.h"
#include "runtime/core/memory/function_ref.h"
#include "runtime/graph/op/op.h"

namespace onnx {
class AttributeProto;
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace catena::onnx {

struct ModelFiles;
using Sequence = std::shared_ptr<const std::vector<Variable>>;

/// The value of a name in a model: an array, or a sequence of arrays. If it is neither, it is an
/// optional value that is absent.
struct Item {
    Variable variable;
    Sequence sequence;
    /// True for an optional value that the model itself makes without content.
    bool is_absent = false;

    Item() = default;
    static Item absent() {
        Item item;
        item.is_absent = true;
        return item;
    }
    Item(Variable variable) : variable(std::move(variable)) {}
    explicit Item(std::vector<Variable> list)
        : sequence(std::make_shared<const std::vector<Variable>>(std::move(list))) {}
    bool is_present() const { return variable.defined() || sequence; }
};
using Items = std::vector<Item>;

/// Runs a subgraph (a branch, a loop's body) on values for its inputs.
using RunGraph = FunctionRef<Items(const ::onnx::GraphProto&, std::span<const Item>)>;

/// The range of numbers that is valid in a place of the file.
struct Within {
    int64_t least = std::numeric_limits<int64_t>::min(), most = std::numeric_limits<int64_t>::max();

    bool contains(int64_t value) const { return value >= least && value <= most; }
};
/// The largest size accepted: sums and products of two such sizes stay far below 2^63.
inline constexpr int64_t most_size = std::numeric_limits<int32_t>::max();
inline constexpr Within any_number{}, any_size{0, most_size}, positive{1, most_size},
    size_or_less{-most_size, most_size};

/// The range and length that are valid for a list of integers in the file.
struct Expected {
    Within each;
    std::optional<size_t> length = {};  ///< The required length; nothing: any.
};

/// One node of a model with its input values, as passed to an importer. Every number is read from
/// the file together with the range that is valid: FileError naming node, value and range if it is
/// not in it, and where an attribute is of another type.
class NodeCall {
public:
    /// `known`: for each input, whether it follows from the model alone.
    NodeCall(const ::onnx::NodeProto& node, int opset, Items items, std::vector<bool> known,
             const ModelFiles& files, RunGraph run_graph);

    int opset() const { return opset_; }
    const std::string& op() const;
    int count() const { return int(items_.size()); }
    int output_count() const;
    /// Whether output i is used: it has a name.
    bool wants_output(int i) const;
    bool has(int i) const {
        return size_t(i) < items_.size() && items_[size_t(i)].variable.defined();
    }
    /// Input i; FileError when it is missing.
    const Variable& operator[](int i) const;
    /// All inputs of the node.
    std::vector<Variable> inputs() const;
    const Items& items() const { return items_; }
    /// Input i as a sequence; FileError when it is none.
    const std::vector<Variable>& sequence(int i) const;
    /// A copy of this node with other inputs.
    NodeCall with_inputs(std::vector<Variable> inputs) const;
    /// The result of ONNX's operator `op` for other inputs, with the attributes of this node.
    Variable as(std::string_view op, std::vector<Variable> inputs) const;

    bool has_attribute(std::string_view name) const { return find(name) != nullptr; }
    bool has_attributes() const;
    int64_t integer(std::string_view name, int64_t otherwise, const Within& within) const;
    /// An integer attribute; FileError when it is missing.
    int64_t integer(std::string_view name, const Within& within) const;
    bool flag(std::string_view name, bool otherwise = false) const;
    double number(std::string_view name, double otherwise) const;
    std::string text(std::string_view name, std::string otherwise) const;
    /// A text attribute that must be one of `all`; the first of these where it is missing.
    std::string choice(std::string_view name, std::initializer_list<std::string_view> all) const;
    /// A list attribute of integers; nothing where it is missing.
    std::optional<std::vector<int64_t>> integers(std::string_view name,
                                                 const Expected& expected) const;
    /// A list attribute of `length` integers; all are `otherwise` where it is missing.
    std::vector<int64_t> integers(std::string_view name, size_t length, const Within& within,
                                  int64_t otherwise) const;
    /// A list attribute of numbers; empty where it is missing.
    std::vector<double> numbers(std::string_view name) const;
    std::vector<std::string> texts(std::string_view name) const;
    Array tensor(std::string_view name) const;
    /// An attribute with the number of an element type; `otherwise` where it is missing.
    Dtype dtype(std::string_view name, Dtype otherwise) const;
    /// An attribute with the number of an element type; FileError when it is missing.
    Dtype dtype(std::string_view name) const;
    Items run_graph(std::string_view attribute, std::span<const Item> inputs) const;
    /// The type that a subgraph declares for its output; sizes that it leaves open are 0. Nothing
    /// where it does not declare dtype and rank.
    std::optional<Type> graph_output_type(std::string_view attribute, int output) const;

    /// Whether input i follows from the model alone, whatever the caller passes.
    bool is_known(int i) const { return has(i) && known_[size_t(i)]; }
    /// Input i, which must have that many axes.
    const Variable& ranked(int i, int least, int most = max_rank) const;
    /// Elements of an input, read on the host: a static region that computes them is cut there.
    std::vector<int64_t> values(int i, const Expected& expected) const;
    /// The only element of input i, as an integer.
    int64_t value(int i, const Within& within) const;
    /// The only element of input i, as a number.
    double number_at(int i) const;
    std::vector<double> numbers_at(int i, size_t length) const;
    /// An axis in [-rank, rank) as a non-negative one.
    int axis(int64_t axis, int rank) const;
    /// An axis attribute as a non-negative axis.
    int axis(std::string_view name, int64_t otherwise, int rank) const;
    /// Axes as non-negative ones, none of them twice.
    Axes axes(std::span<const int64_t> given, int rank) const;
    /// `value` rounded to zero; `what` names it in errors.
    int64_t whole(double value, const Within& within, std::string_view what) const;

    /// The node's name in errors: "Conv node 'conv_1' (opset 13)".
    std::string describe() const;
    [[noreturn]] void unsupported(const std::string& what) const;
    /// Throws a FileError about this node.
    [[noreturn]] void wrong(const std::string& what) const;

private:
    const ::onnx::AttributeProto* find(std::string_view name) const;
    /// The attribute of that name, which must have the protobuf type `type`; null where it is
    /// missing.
    const ::onnx::AttributeProto* find(std::string_view name, int type) const;
    /// The subgraph in an attribute; FileError when it is missing.
    const ::onnx::GraphProto& graph(std::string_view attribute) const;
    void check(const std::string& what, std::span<const int64_t> values,
               const Expected& expected) const;

    const ::onnx::NodeProto& node_;
    int opset_;
    Items items_;
    std::vector<bool> known_;
    const ModelFiles& files_;
    const RunGraph run_graph_;
};

/// The ONNX domain of the operators that ONNX Runtime's optimizer and quantizer put into models.
inline constexpr const char* microsoft = "com.microsoft";

/// The part that an input plays when a model is trained further (ImportOptions::trainable).
enum class Role {
    constant,  ///< Never learned: a running statistic, a size, the scale of a grid.
    weight,    ///< A weight, which training changes.
    /// An operand of arithmetic: learned if another operand is computed, unless it is a single
    /// number without axes; among constants as `carried`.
    operand,
    /// Becomes the node's output, its elements moved or selected: it is learned if that output is.
    carried,
};

/// Converts an operator to calls of Catena's functions. Every family has a file in
/// frontend/onnx/importers.
struct Importer {
    /// An importer whose `run` takes a NodeCall and returns Variables or Items.
    template <class F>
    Importer(std::string op, F run, std::string domain = "")
        : op(std::move(op)),
          domain(std::move(domain)),
          run([run](const NodeCall& n) { return to_items(run(n)); }) {}

    std::string op, domain;
    std::function<Items(const NodeCall&)> run;
    /// True for an operator that computes nothing: if it reads only the model's own numbers, it
    /// runs once, when the model is read.
    bool only_names = false;

    Importer only_naming() && {
        only_names = true;
        return std::move(*this);
    }
    /// Declares the inputs that are weights, bias or tables of embeddings.
    Importer with_weights(std::initializer_list<int> inputs) && {
        for (const int i : inputs) roles[i] = Role::weight;
        return std::move(*this);
    }
    /// Declares that the first input is carried to the output.
    Importer moving() && {
        roles[0] = Role::carried;
        return std::move(*this);
    }
    /// Declares that all inputs play this role.
    Importer of(Role role) && {
        others = role;
        return std::move(*this);
    }
    Role role(int input) const {
        const auto found = roles.find(input);
        return found == roles.end() ? others : found->second;
    }

private:
    std::map<int, Role> roles;
    Role others = Role::constant;  ///< The role of the inputs that `roles` does not name.

    static Items to_items(Items items) { return items; }
    static Items to_items(const Variables& variables) {
        return {variables.begin(), variables.end()};
    }
};

/// Registers importers; for static initialisers.
int add_importers(std::vector<Importer> importers);
/// The importer of an operator; null when there is none. Operators that map one to one to an op of
/// Catena need no importer: it follows from OpDef::onnx.
const Importer* find_importer(std::string_view domain, std::string_view op);
std::vector<std::string> importer_names();
/// Runs the node as the op of Catena that maps one to one to its operator, for importers that only
/// add information to it.
Items directly(const NodeCall& node);

/// A number of the file as a Scalar of `dtype`'s kind, so that it does not promote an integer
/// array.
inline Scalar number_of(Dtype dtype, double value) {
    return is_float(dtype)         ? Scalar(value)
           : dtype == Dtype::bool_ ? Scalar(value != 0)
                                   : Scalar(int64_t(value));
}

}  // namespace catena::onnx
