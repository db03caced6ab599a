#pragma once

#include <concepts>
#include <span>
#include <tuple>
#include <type_traits>

#include "frontend/link/owned_link.h"
#include "runtime/graph/op/op.h"

namespace catena {

/// The results that a layer may return: a Variable, or a list, a pair or a tuple of them.
template <class T>
concept GivesVariables = std::convertible_to<T, Variable> || ListLike<std::remove_reference_t<T>> ||
                         requires { std::tuple_size<T>::value; };

/// Whether F can be called with `count` Variables and returns Variables.
template <class F, int count>
concept TakesVariables = (count == 1 && requires(F& f, const Variable& x) {
                             { f(x) } -> GivesVariables;
                         }) || (count == 2 && requires(F& f, const Variable& x) {
                             { f(x, x) } -> GivesVariables;
                         }) || (count == 3 && requires(F& f, const Variable& x) {
                             { f(x, x, x) } -> GivesVariables;
                         });

/// Links and functions called one after the other:
///
///     ct::Sequential net{ct::Linear{784, 100}, ct::relu, ct::dropout, ct::Linear{100, 10}};
///
/// Functions with options have their defaults; others are given by a lambda of one Variable. A
/// layer may also take several Variables, up to three, which are the arguments of the call or what
/// the layer before it gives: a list, a pair or a tuple. Only links are children; they are named
/// "0", "1", ... among themselves, as in Chainer.
class Sequential : public Link {
public:
    /// A list without layers.
    Sequential();
    Sequential(const Sequential&);
    Sequential(Sequential&&) noexcept;
    /// Assigns a Sequential. A layer that is like its counterpart in `other` keeps its identity and
    /// takes the content of the other.
    Sequential& operator=(const Sequential& other);
    Sequential& operator=(Sequential&& other);
    ~Sequential() override;
    /// A list of these layers, in order.
    template <class First, class... Rest>
        requires(!std::derived_from<std::remove_cvref_t<First>, Sequential> || sizeof...(Rest) > 0)
    explicit Sequential(First&& first, Rest&&... rest) : Sequential() {
        append(std::forward<First>(first));
        (append(std::forward<Rest>(rest)), ...);
    }

    /// Calls every layer; ValueError when there is none, when a layer does not take as many
    /// Variables as come to it, or when the last does not give one.
    Variable operator()(const Operand& x) const;
    Variable operator()(const Operand& x0, const Operand& x1) const;
    Variable operator()(const Operand& x0, const Operand& x1, const Operand& x2) const;
    /// Calls every layer, as operator(), and returns everything that the last layer gives.
    Variables forward(std::span<const Variable> xs) const;

    /// Adds a layer at the end.
    template <class Layer>
    Sequential& append(Layer&& layer) {
        return insert(size(), std::forward<Layer>(layer));
    }
    /// Adds a layer before that of this index, or at the end.
    template <class L>
    Sequential& insert(size_t index, L&& layer) {
        using Class = std::decay_t<L>;
        constexpr unsigned counts = TakesVariables<Class, 1> << 1 | TakesVariables<Class, 2> << 2 |
                                    TakesVariables<Class, 3> << 3;
        static_assert(counts != 0,
                      "Sequential takes links and functions of one Variable, or up to three. A "
                      "plain function loses its default "
                      "arguments where it is passed on; pass a lambda: [](const ct::Variable& x) { "
                      "return my_function(x); }");
        if constexpr (std::derived_from<Class, Link>)
            place(index, OwnedLink(Class(std::forward<L>(layer))), counts, call_link<Class>);
        else
            place(
                index,
                Function(
                    new Class(std::forward<L>(layer)),
                    [](const void* f) -> void* { return new Class(*static_cast<const Class*>(f)); },
                    [](void* f) { delete static_cast<Class*>(f); }),
                counts, call_function<Class>);
        return *this;
    }
    /// Appends copies of the other's layers.
    Sequential& extend(const Sequential& other);
    /// Replaces a layer, as Chainer's sequential[index] = layer. A link that is like the new one
    /// takes its content and stays in its optimizer; after any other replacement, call the
    /// optimizer's setup() again.
    template <class L>
    Sequential& replace(size_t index, L&& layer) {
        check_index(index, size());
        insert(index, std::forward<L>(layer));
        merge_into_next(index);
        return *this;
    }
    /// Removes the layer of this index; ValueError when there is none.
    void erase(size_t index);
    /// Removes this link; ValueError when it is none of the layers.
    void remove(const Link& link) { erase(index(link)); }
    /// Removes all layers.
    void clear();
    /// Copies of the layers [begin, end), or of all in the opposite order.
    Sequential slice(size_t begin, size_t end) const;
    /// The layers in reverse order.
    Sequential reversed() const;
    /// The layers of `a`, then those of `b`, all copied.
    friend Sequential operator+(Sequential a, const Sequential& b);
    /// Adds the layers of another one at the end, as extend().
    Sequential& operator+=(const Sequential& other) { return extend(other); }
    /// The number of layers.
    size_t size() const;
    /// Whether there is no layer.
    bool empty() const { return size() == 0; }
    /// The link at an index; ValueError for a function.
    Link& operator[](size_t index) const;
    /// The index of a link of this Sequential; ValueError when it is not one of its layers.
    size_t index(const Link& link) const;
    /// Whether the link is one of the layers.
    bool contains(const Link& link) const;
    /// The number of layers of the class with that name.
    int count_by_layer_type(std::string_view type_name) const;
    /// Removes the layers of that type and returns their number.
    int remove_by_layer_type(std::string_view type_name);
    /// A copy with nested Sequentials replaced by their layers.
    Sequential flatten() const;

protected:
    void visit_children(ChildVisitor visit) const override;

private:
    using Arguments = std::span<const Variable>;
    using Call = Variables(void* callee, Arguments);
    /// A function whose type is erased; copied with the Sequential.
    class Function {
    public:
        Function() = default;
        Function(void* owned, void* (*copy)(const void*), void (*destroy)(void*))
            : owned_(owned), copy_(copy), destroy_(destroy) {}
        Function(const Function& other);
        Function(Function&& other) noexcept;
        Function& operator=(Function other) noexcept;
        ~Function();
        void* get() const { return owned_; }

    private:
        void* owned_ = nullptr;
        void* (*copy_)(const void*) = nullptr;
        void (*destroy_)(void*) = nullptr;
    };
    struct Layer;
    template <class F>
    static Variables call_function(void* f, Arguments xs) {
        return call_layer(*static_cast<F*>(f), xs);
    }
    template <class L>
    static Variables call_link(void* link, Arguments xs) {
        return call_layer(static_cast<L&>(*static_cast<Link*>(link)), xs);
    }
    /// Calls a layer with as many Variables as it takes.
    template <class F>
    static Variables call_layer(F& f, Arguments xs) {
        if constexpr (std::derived_from<F, Sequential>) return f.forward(xs);
        if constexpr (TakesVariables<F, 1>)
            if (xs.size() == 1) return as_list(f(xs[0]));
        if constexpr (TakesVariables<F, 2>)
            if (xs.size() == 2) return as_list(f(xs[0], xs[1]));
        if constexpr (TakesVariables<F, 3>)
            if (xs.size() == 3) return as_list(f(xs[0], xs[1], xs[2]));
        return {};
    }
    static Variables as_list(const Variable& result);
    template <class Result>
    static Variables as_list(const Result& result) {
        Variables list;
        if constexpr (std::convertible_to<const Result&, Variable>)
            list.push_back(result);
        else if constexpr (std::ranges::range<Result>)
            list.append(std::ranges::begin(result), std::ranges::end(result));
        else
            std::apply([&](const auto&... values) { (list.push_back(values), ...); }, result);
        return list;
    }
    Variables computed(Arguments xs) const;
    Variable one_result(std::initializer_list<const Operand*> xs) const;
    void place(size_t index, OwnedLink link, unsigned counts, Call* call);
    void place(size_t index, Function function, unsigned counts, Call* call);
    void place(size_t index, Layer layer);
    /// Assigns the layer at `index` to the layer behind it.
    void merge_into_next(size_t index);
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
