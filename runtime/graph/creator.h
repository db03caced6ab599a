#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/graph/variable.h"

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

    const std::string& label() const;  ///< "exp"
    int64_t rank()
        const;  ///< Larger than that of every operation that its inputs were computed by.
    const SourceLoc& location() const;  ///< The user's line.
    std::vector<CreatorInput> inputs() const;
    std::vector<Type> output_types() const;
    std::vector<Variable> outputs() const;  ///< Undefined where nobody has it any more.
    friend bool operator==(const Creator& a, const Creator& b) {
        return a.node_.get() == b.node_.get();
    }

private:
    Ref<Node> node_;
};

/// What an operation was given.
struct CreatorInput {
    Type type;
    Variable variable;  ///< A leaf that wants a gradient, or a result that somebody still has; else
                        ///< undefined.
    Array array;        ///< Its elements, where the variable or the graph has them.
    std::optional<Creator> creator;  ///< None of leaves and of what needs no gradient.
};

/// None of leaves, and of what needs no gradient.
std::optional<Creator> creator(const Variable& x);

}  // namespace catena
