#pragma once

#include <concepts>
#include <functional>
#include <type_traits>

#include "frontend/link/owned_link.h"

namespace catena {

/// Links and functions called one after the other:
///
///     ct::Sequential net{ct::Linear{784, 100}, ct::relu, ct::dropout, ct::Linear{100, 10}};
///
/// Functions with options have their defaults; others are given by a lambda of one Variable.
/// Only links are children; they are named "0", "1", ... among themselves, as in Chainer.
class Sequential : public Link {
public:
    using Function = std::function<Variable(const Variable&)>;

    Sequential() = default;
    template <class First, class... Rest>
        requires(!std::derived_from<std::remove_cvref_t<First>, Sequential> || sizeof...(Rest) > 0)
    explicit Sequential(First&& first, Rest&&... rest) {
        append(std::forward<First>(first));
        (append(std::forward<Rest>(rest)), ...);
    }

    /// Calls every layer; ValueError when there is none.
    Variable operator()(const Operand& x) const;

    template <class Layer>
    Sequential& append(Layer&& layer) {
        return insert(size(), std::forward<Layer>(layer));
    }
    template <class L>
    Sequential& insert(size_t index, L&& layer) {
        using Class = std::decay_t<L>;
        constexpr bool is_function = std::is_invocable_r_v<Variable, Class&, const Variable&>;
        static_assert(std::derived_from<Class, Link> || is_function,
                      "Sequential takes links and functions of one Variable. A plain function loses its default arguments where it "
                      "is passed on; pass a lambda: [](const ct::Variable& x) { return my_function(x); }");
        if constexpr (std::derived_from<Class, Link>)
            place(index, {OwnedLink(Class(std::forward<L>(layer))),
                          [](Link& link, const Variable& x) -> Variable { return static_cast<Class&>(link)(x); }, {}});
        else if constexpr (is_function)
            place(index, {{}, nullptr, Function(std::forward<L>(layer))});
        return *this;
    }
    Sequential& extend(const Sequential& other);  ///< Appends copies of the other's layers.
    void erase(size_t index);
    void clear();
    /// The layers of `a`, then those of `b`; copies, as everything that a Sequential takes.
    friend Sequential operator+(Sequential a, const Sequential& b) { return std::move(a.extend(b)); }
    Sequential& operator+=(const Sequential& other) { return extend(other); }
    size_t size() const { return layers_.size(); }
    bool empty() const { return layers_.empty(); }
    /// The link at an index; ValueError for a function.
    Link& operator[](size_t index) const;
    /// The place of a link of this Sequential; ValueError when it is none of its.
    size_t index(const Link& link) const;
    bool contains(const Link& link) const;
    int count_by_layer_type(std::string_view type_name) const;
    int remove_by_layer_type(std::string_view type_name);  ///< Returns the number of removed layers.
    /// A copy with nested Sequentials replaced by their layers.
    Sequential flatten() const;

protected:
    std::vector<std::pair<std::string, Link*>> named_children() const override;

private:
    struct Layer {
        OwnedLink link;
        Variable (*call)(Link&, const Variable&);
        Function function;  ///< Used when `link` is empty.
    };
    void place(size_t index, Layer layer);
    void check_index(size_t index, size_t limit) const;
    void renumber();
    std::vector<Layer> layers_;
};

/// n copies of a link in a row, each with parameters of its own, as Chainer's link.repeat(n, mode).
template <std::derived_from<Link> L>
Sequential repeat(const L& link, int n, CopyMode mode = CopyMode::init) {
    Sequential made;
    for (int i = 0; i < n; ++i) made.append(copy(link, mode));
    return made;
}

}  // namespace catena
