#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/link/link_call.h"
#include "frontend/link/parameter.h"
#include "runtime/core/memory/function_ref.h"
#include "runtime/core/memory/kept_function.h"

namespace catena {

class Serializer;

/// A parameter and its name.
struct NamedParameter {
    std::string name;
    Parameter& param;
};

/// What Link::copy_from takes from another link of the same structure.
enum class CopyMode {
    share,  ///< The other link's variables: both see every update, gradients included.
    copy,   ///< Its content; the two are independent.
    init,   ///< Nothing: parameters are initialised again.
};

/// A function with parameters. Derive from it, hold parameters as members and list them in the
/// constructor:
///
///     struct Scaled : ct::Link {
///         ct::Parameter a{1.0, ct::Shape{}};
///         Scaled() { add_param("a", a); }
///         ct::Variable operator()(const ct::Variable& x) { return x * a; }
///     };
///
/// Links are values: `Scaled b = a;` is an independent link with equal parameters, and so it is for
/// any Chain of them (see Chainer's copy(mode="copy"); the other modes are copy()).
class Link : public Part {
public:
    virtual ~Link();
    Link(const Link& other);
    Link(Link&& other) noexcept;  ///< So that a growing std::vector moves its links: optimizers and
                                  ///< regions go on with them.

    /// Where this link is, wherever it is moved; null once it is destroyed.
    const std::shared_ptr<Link*>& place() const;

    const std::string& name() const { return name_; }  ///< In its parent; "" at the root.
    /// Class name without namespaces, "Linear".
    virtual std::string type_name() const;
    /// Key and value pairs that to_string shows.
    virtual std::vector<std::pair<std::string, std::string>> printable_specs() const;

    /// Own parameters by name, then those of the children, in the children's order (sorted by name
    /// in a Chain, by index in a list). Without `include_uninit`, uninitialised ones are skipped.
    std::vector<Parameter*> params(bool include_uninit = true) const;
    std::vector<std::pair<std::string, Parameter*>> namedparams(
        bool include_uninit = true) const;                                 ///< "/l1/W"
    std::vector<std::pair<std::string, State*>> namedpersistents() const;  ///< "/bn/avg_mean"
    std::vector<Link*> links(bool skipself = false) const;
    std::vector<std::pair<std::string, Link*>> namedlinks(
        bool skipself = false) const;  ///< Root: "/"
    std::vector<Link*> children() const;

    int64_t count_params() const;  ///< Number of elements of all initialised parameters.
    void cleargrads() const;
    void zerograds() const;
    /// Copies the parameters (and persistents) of a link of the same structure; ValueError naming
    /// the first path that only one of the two has.
    void copyparams(const Link& other, bool copy_persistent = true) const;
    void addgrads(const Link& other) const;
    void copy_from(const Link& other, CopyMode mode);
    void reinitialize() const;  ///< Initialises all parameters again.
    /// Parameters and persistents by path, "l1/W".
    void serialize(const Serializer& s) const;
    /// Descriptions of member links and initialised member parameters that were not listed. A base
    /// class cannot see the members of a derived one; they are found by their addresses, up to the
    /// end of the object if its size is known (know_size), else up to the last listed member.
    std::vector<std::string> unlisted_parts() const;
    /// ValueError when there is an unlisted one, here or below: it would be neither trained nor
    /// saved. Links and parameters on the heap to which a member leads (std::unique_ptr, containers
    /// of links or of pointers to them) may be others' on purpose: they are named once.
    void check_all_listed() const;
    void know_size(size_t bytes) const {
        if (size_ < bytes) size_ = bytes;
    }  ///< sizeof the object, or of one of its bases.
    Link& to_device(Device& device);
    Link& to_device(std::string_view device);
    void enable_update() const;
    void disable_update() const;
    bool update_enabled() const;  ///< True when some parameter is updated.
    Device& device()
        const;  ///< Of its first parameter or persistent; of a link without any, the current one.

    struct NamedHook {
        std::string name;
        std::shared_ptr<LinkHook> hook;
    };
    /// The hook is called around the calls of this link (link_hook.h), under its own name unless
    /// one is given; ValueError when there is one of that name.
    Link& add_hook(std::shared_ptr<LinkHook> hook, std::string name = "");
    template <class Hook>
        requires std::derived_from<Hook, LinkHook>
    Link& add_hook(Hook&& hook, std::string name = "") {
        return add_hook(
            std::shared_ptr<LinkHook>(std::make_shared<std::remove_const_t<Hook>>(std::move(hook))),
            std::move(name));
    }
    template <std::derived_from<LinkHook> Hook>
    Link& add_hook(Hook& kept, std::string name = "") =
        delete;  // A copy would hear the calls: give a std::shared_ptr, or std::move(kept).
    void delete_hook(
        std::string_view name);  ///< ValueError, with the names there are, when there is none.
    std::span<const NamedHook> hooks() const;  ///< In the order of their addition.

protected:
    Link();
    /// For derived classes, whose members take the content of the others and keep their identity,
    /// whether the other is copied or moved. ValueError when the other lists other parts. Through a
    /// Link& nothing would change: see ChainList::replace and copyparams. Hooks belong to the
    /// identity: this link keeps its own, which take the content of what the other's hooks own; one
    /// that was moved from has none left and gets the other's (copied or moved, as in
    /// construction).
    Link& operator=(const Link& other);
    Link& operator=(Link&& other);

    /// forward(), the computation of one call, with link hooks around it. Every operator() of a
    /// link calls its computation through here, after what the first call initialises; `inputs` are
    /// its arrays.
    template <class Forward>
    auto called(std::initializer_list<const Variable*> inputs, const Forward& forward) const {
        if (hooks_.empty() && !link_hooks_in_scope()) return forward();
        return called_by_hooks(inputs, forward);
    }
    template <class Forward>
    auto called(const Variable& x, const Forward& forward) const {
        return called({&x}, forward);
    }
    /// The same for arguments of any kind: the arrays among them are the inputs.
    template <class Forward, class... Arguments>
    auto called_with(const Forward& forward, const Arguments&... arguments) const {
        if (hooks_.empty() && !link_hooks_in_scope()) return forward();
        std::vector<const Variable*> inputs;
        (gather_input(inputs, arguments), ...);
        return called_by_hooks(std::move(inputs), forward);
    }

    /// Lists a member. ValueError for a duplicate name.
    void add_param(std::string name, Parameter& param);
    void add_params(std::initializer_list<NamedParameter> params);
    void add_persistent(std::string name, State& state);
    template <std::derived_from<Link> L>
    void list_child(std::string name, L& child) {
        list_child_of_size(std::move(name), child, sizeof(L));
    }
    void list_child_of_size(std::string name, Link& child, size_t bytes);
    /// Declares that a member is on purpose neither trained nor saved with this link.
    void leave_out(Part& part) { part.left_out_ = true; }
    using ChildVisitor = FunctionRef<void(const std::string& name, Link& child)>;
    using LinkVisitor = FunctionRef<void(const std::string& path, Link& link)>;
    /// Visits the children in their order; links that own their children override it.
    virtual void visit_children(ChildVisitor visit) const;
    /// Moves states to a device that are not saved.
    virtual void move_states(Device&) {}
    /// Whether both have the same parameters, states and links by name: one can take the content of
    /// the other.
    static bool are_alike(const Link& a, const Link& b);
    /// Sets the name of a child that is owned, not listed.
    static void name_child(Link& child, std::string name);

private:
    friend class Part;
    friend class OwnedLink;
    template <class Forward>
    auto called_by_hooks(std::vector<const Variable*> inputs, const Forward& forward) const {
        LinkCall call(const_cast<Link&>(*this), std::move(inputs));
        auto result = forward();
        call.finish(result);
        return result;
    }
    static void add_input(std::vector<const Variable*>& inputs, const Variable& x);
    template <class Argument>
    static void gather_input(std::vector<const Variable*>& inputs, const Argument& argument) {
        if constexpr (std::derived_from<Argument, Variable> || std::same_as<Argument, Operand>) {
            add_input(inputs, argument);
        } else if constexpr (ListLike<const Argument>) {
            for (const auto& part : argument) gather_input(inputs, part);
        }
    }
    /// What members lead to on the heap.
    std::vector<Part*> parts_behind_pointers() const;
    /// Where this Link and its listed members lie in the object, in order.
    std::vector<std::pair<const char*, const char*>> known_members() const;
    bool is_lost(const Part& part) const;
    std::vector<NamedHook> copied_hooks() const;
    void take_hooks(std::vector<NamedHook> hooks);
    void take_content_of_hooks(const Link& other);
    std::vector<std::pair<std::string, Parameter*>> hook_params() const;
    std::vector<std::pair<std::string, State*>> hook_persistents() const;
    /// Names every variable of this link and its children after its path.
    void rename_below(const std::string& prefix) const;
    enum class PartKind : uint8_t { param, persistent, child };
    struct Entry {
        std::string name;
        PartKind kind;
        Part* part;  ///< Null in a copy until the member was copied too.
        std::ptrdiff_t distance;
        size_t bytes;  ///< The part's size as far as known.
    };
    void list(std::string name, PartKind kind, Part& part, size_t bytes);
    void expect_parts() noexcept;
    void stop_awaiting() noexcept;
    void list_as_before(const Link& moved) noexcept;
    bool claim(Part* part, std::ptrdiff_t distance);
    const std::vector<Entry>& entries() const;  ///< Checked to be complete, sorted by name.
    /// This link and all below, with their paths.
    void visit_links(const std::string& path, LinkVisitor visit) const;
    void find_params(std::vector<Parameter*>& found,
                     bool include_uninit) const;  ///< params(), into a list that has memory.

    std::string name_;
    std::vector<Entry> entries_;
    std::vector<NamedHook> hooks_;
    size_t missing_ = 0;
    Link* next_awaiting_ = nullptr;         ///< Of those that this thread copies.
    mutable std::shared_ptr<Link*> place_;  ///< Made when it is asked for.
    bool was_moved_from_ = false;           ///< It takes the place of what is moved to it.
    mutable size_t size_ = sizeof(Part);
};

template <std::derived_from<Link> L>
inline constexpr bool is_stateful_callable<L> = true;

/// Another link of the same class, as Chainer's link.copy(mode): `auto b = ct::copy(a,
/// ct::CopyMode::init)`.
template <std::derived_from<Link> L>
L copy(const L& link, CopyMode mode = CopyMode::share) {
    L made = link;
    if (mode != CopyMode::copy) made.copy_from(link, mode);
    return made;
}

/// The structure, one link per line, nested by indentation; and unlisted members.
std::string to_string(const Link& link);
template <std::derived_from<Link> L>
    requires(!std::same_as<L, Link>)
std::string to_string(const L& link) {
    link.know_size(sizeof(L));
    return to_string(static_cast<const Link&>(link));
}
template <std::derived_from<Link> L>
std::ostream& operator<<(std::ostream& out, const L& link) {
    return out << to_string(link);
}

}  // namespace catena
