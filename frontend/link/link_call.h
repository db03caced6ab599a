#pragma once

#include <concepts>
#include <iterator>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/graph/variable/variable.h"

namespace catena {

class Link;
class LinkHook;

/// True for types with a begin and an end. (The header of std::ranges::range costs every user 0.05
/// s of compile time.)
template <class T>
concept ListLike = requires(T& list) {
    std::begin(list);
    std::end(list);
};

/// A value that converts to any type, by which the members of a struct are counted.
struct AnyMember {
    template <class T>
    operator T() const;
};

/// One call of a link, as its hooks see it (link_hook.h). It ends with finish(), or when an
/// exception leaves it.
class LinkCall {
public:
    /// Calls forward_preprocess of the thread's hooks, then of the link's.
    LinkCall(Link& link, std::vector<const Variable*> inputs);
    LinkCall(const LinkCall&) = delete;
    /// Ends the call. Without finish() the hooks are called, too, with failed(). Replaced
    /// parameters are restored in any case.
    ~LinkCall();

    Link& link() const { return link_; }
    std::span<const Variable* const> inputs() const;  ///< The arrays among the arguments.
    std::span<const Variable> outputs() const;  ///< The results; known in forward_postprocess.
    /// Whether an exception ended the call; known in forward_postprocess.
    bool failed() const { return failed_; }
    /// Replaces a parameter by `value`, which may have a graph, during this call. Not while another
    /// thread calls the same link.
    void replace(Variable& parameter, const Variable& value);

    /// Calls forward_postprocess with the variables in a result: one, or a list, a tuple or a
    /// struct of up to three of them.
    template <class Result>
    void finish(const Result& result) {
        gather(result);
        end();
    }

private:
    template <class Result>
    void gather(const Result& result) {
        if constexpr (std::convertible_to<const Result&, const Variable&>) {
            add_output(result);
        } else if constexpr (ListLike<const Result>) {
            for (const auto& part : result) gather(part);
        } else if constexpr (requires { std::tuple_size<Result>::value; }) {
            std::apply([this](const auto&... parts) { (gather(parts), ...); }, result);
        } else if constexpr (std::is_aggregate_v<Result>) {
            gather_members(result);
        }
    }
    template <class Result>
    void gather_members(const Result& result) {
        constexpr AnyMember any;
        if constexpr (requires { Result{any, any, any, any}; }) {
            return;
        } else if constexpr (requires { Result{any, any, any}; }) {
            const auto& [a, b, c] = result;
            gather(a), gather(b), gather(c);
        } else if constexpr (requires { Result{any, any}; }) {
            const auto& [a, b] = result;
            gather(a), gather(b);
        }
    }
    void add_output(const Variable& y);  ///< Adds y to the results unless it is undefined.
    void end();
    void restore() noexcept;

    struct Replaced {
        Variable* place;
        Variable original;
    };
    Link& link_;
    std::vector<LinkHook*> hooks_;
    std::vector<const Variable*> inputs_;
    std::vector<Variable> outputs_;
    std::vector<Replaced> replaced_;
    bool failed_ = false, ended_ = false;
};

/// Whether a LinkHookScope is open on this thread.
bool link_hooks_in_scope();

}  // namespace catena
