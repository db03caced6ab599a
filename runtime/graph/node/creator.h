#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/graph/variable/variable.h"

namespace catena {

struct CreatorInput;

/// The operation that made a Variable, as Chainer's Variable.creator: a handle that keeps the graph
/// behind it.
///
///     for (auto f = ct::creator(loss); f; f = f->inputs()[0].creator) std::cout << f->label() <<
///     '\n';
class Creator {
public:
    explicit Creator(Ref<Node> node);
    Creator(const Creator& other);
    Creator& operator=(const Creator& other);
    ~Creator();

    const std::string& label() const;  ///< The operation's name, "exp".
    /// The depth in the graph: larger than the rank of every operation that the inputs were
    /// computed by.
    int64_t rank() const;
    const SourceLoc& location() const;  ///< The user's line that called the operation.
    std::vector<CreatorInput> inputs() const;
    std::vector<Type> output_types() const;
    /// The operation's results; undefined where nobody holds one any more.
    std::vector<Variable> outputs() const;
    friend bool operator==(const Creator& a, const Creator& b) {
        return a.node_.get() == b.node_.get();
    }

private:
    Ref<Node> node_;
};

/// One input of an operation.
struct CreatorInput {
    Type type;
    /// The input's variable, if it is a leaf that requires a gradient or a result that somebody
    /// still holds; else undefined.
    Variable variable;
    Array array;  ///< The input's elements, where the variable or the graph still has them.
    /// The operation that made the input; none for leaves and for inputs that need no gradient.
    std::optional<Creator> creator;
};

/// The operation that made x; none for leaves and for variables that need no gradient.
std::optional<Creator> creator(const Variable& x);

}  // namespace catena
