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
    /// The parameter's name, or its path: "/l1/W".
    std::string name;
    /// The parameter.
    Parameter& param;
};

/// How Link::copy_from takes over the parameters of another link of the same structure.
enum class CopyMode {
    share,  ///< The other link's own variables: both links see every update, gradients included.
    copy,   ///< The content of the other link's parameters; the two links are independent.
    init,   ///< No content: parameters are initialised again.
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
    /// Moves a link, as a growing std::vector does; optimizers and regions that use it go on with
    /// the new object.
    Link(Link&& other) noexcept;

    /// A pointer to the present place of this link, which follows its moves; the place is null once
    /// the link is destroyed.
    const std::shared_ptr<Link*>& place() const;

    /// The link's name in its parent; "" at the root.
    const std::string& name() const { return name_; }
    /// Name of the class without namespaces, "Linear".
    virtual std::string type_name() const;
    /// Names and values of settings that to_string() shows.
    virtual std::vector<std::pair<std::string, std::string>> printable_specs() const;

    /// Own parameters by name, then those of the children, in the children's order (sorted by name
    /// in a Chain, by index in a list). Without `include_uninit`, uninitialised ones are skipped.
    std::vector<Parameter*> params(bool include_uninit = true) const;
    /// All parameters with their paths, "/l1/W".
    std::vector<std::pair<std::string, Parameter*>> namedparams(bool include_uninit = true) const;
    /// PyTorch's name of params().
    std::vector<Parameter*> parameters() const;
    /// PyTorch's name of namedparams().
    std::vector<std::pair<std::string, Parameter*>> named_parameters() const;
    /// All persistent states with their paths, "/bn/avg_mean".
    std::vector<std::pair<std::string, State*>> namedpersistents() const;
    /// This link and all below it, parents first; with `skipself` those below alone.
    std::vector<Link*> links(bool skipself = false) const;
    /// This link and all links below it with their paths; the root's is "/".
    std::vector<std::pair<std::string, Link*>> namedlinks(bool skipself = false) const;
    /// The links listed directly in this one, in order.
    std::vector<Link*> children() const;

    /// Number of elements of all initialised parameters.
    int64_t count_params() const;
    /// Drops the gradients of all parameters.
    void cleargrads() const;
    /// PyTorch's name of cleargrads().
    void zero_grad() const { cleargrads(); }
    /// Fills the gradients of all parameters with zeros.
    void zerograds() const;
    /// Copies the parameters (and persistents) from a link of the same structure. ValueError naming
    /// the first path that only one of the two has.
    void copyparams(const Link& other, bool copy_persistent = true) const;
    /// Adds the gradients of a link with equal parameters; ValueError when the two differ in
    /// structure.
    void addgrads(const Link& other) const;
    /// Takes the content of a link with equal parameters: see CopyMode.
    void copy_from(const Link& other, CopyMode mode);
    /// Initialises all parameters again.
    void reinitialize() const;
    /// Saves or loads parameters and persistents by path, "l1/W".
    void serialize(const Serializer& s) const;
    /// Descriptions of member links and initialised member parameters that the constructor did not
    /// list. A base class cannot see the members of a derived one; they are found by their
    /// addresses, up to the end of the object if its size is known (know_size), else up to the last
    /// listed member.
    std::vector<std::string> unlisted_parts() const;
    /// ValueError when this link or one below has an unlisted part, which would be neither trained
    /// nor saved. Parts on the heap to which a member leads (std::unique_ptr, containers of links
    /// or of pointers to them) may be unlisted on purpose: they are named in a notice, once.
    void check_all_listed() const;
    /// Tells the size of the object's class, or of one of its bases.
    void know_size(size_t bytes) const {
        if (size_ < bytes) size_ = bytes;
    }
    /// Moves all parameters and states to a device, in place, and returns the link.
    Link& to_device(Device& device);
    Link& to_device(std::string_view device);
    /// PyTorch's name of to_device().
    Link& to(Device& device) { return to_device(device); }
    Link& to(std::string_view device) { return to_device(device); }
    /// Deleted: training and test mode are a setting of the thread, not of a link. Training is the
    /// default.
    void train(bool mode_is_a_setting_see_using_config = true) const = delete;
    /// Deleted: test mode is a setting of the thread, not of a link: `const auto test =
    /// ct::using_config(&ct::Config::train, false);` holds to the end of the block.
    void eval(bool mode_is_a_setting_see_using_config = true) const = delete;
    /// Lets optimizers update all parameters of the link again.
    void enable_update() const;
    /// Keeps optimizers from updating the parameters of the link.
    void disable_update() const;
    /// True when some parameter of the link is updated by optimizers.
    bool update_enabled() const;
    /// The device of the link's first parameter or persistent; without any, the current one.
    Device& device() const;

    /// A hook of the link, under its name.
    struct NamedHook {
        /// The hook's name.
        std::string name;
        /// The hook.
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
    /// Removes the hook of that name. ValueError, with the existing names, when there is none.
    void delete_hook(std::string_view name);
    /// The link's hooks in the order of their addition.
    std::span<const NamedHook> hooks() const;

protected:
    Link();
    /// Assigns another link; for derived classes. The members take the content of the other's and
    /// keep their identity, whether the other is copied or moved. ValueError when the other lists
    /// other parts. Assigning through a Link& would change nothing: see ChainList::replace and
    /// copyparams. This link keeps its own hooks, which take the content of the other's; a link
    /// that was moved from has none left and gets the other's (copied or moved, as in
    /// construction).
    Link& operator=(const Link& other);
    Link& operator=(Link&& other);

    /// Runs forward(), the computation of one call, with link hooks around it. Every operator() of
    /// a link runs its computation through here, after it has initialised what depends on the first
    /// call; `inputs` are its arrays.
    template <class Forward>
    auto called(std::initializer_list<const Variable*> inputs, const Forward& forward) const {
        if (hooks_.empty() && !link_hooks_in_scope()) return forward();
        return called_by_hooks(inputs, forward);
    }
    template <class Forward>
    auto called(const Variable& x, const Forward& forward) const {
        return called({&x}, forward);
    }
    /// Runs one call, as called(), with arguments of any kind: the arrays among them are the
    /// inputs.
    template <class Forward, class... Arguments>
    auto called_with(const Forward& forward, const Arguments&... arguments) const {
        if (hooks_.empty() && !link_hooks_in_scope()) return forward();
        std::vector<const Variable*> inputs;
        (gather_input(inputs, arguments), ...);
        return called_by_hooks(std::move(inputs), forward);
    }

    /// Lists a member parameter under a name. ValueError for a duplicate name.
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
    /// Moves the states that are not saved to a device.
    virtual void move_states(Device&) {}
    /// Whether both links have the same parameters, states and links by name, so that one can take
    /// the content of the other.
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
    /// The parts on the heap to which members lead.
    std::vector<Part*> parts_behind_pointers() const;
    /// The addresses of this Link and of its listed members in the object, in order.
    std::vector<std::pair<const char*, const char*>> known_members() const;
    bool is_lost(const Part& part) const;
    std::vector<NamedHook> copied_hooks() const;
    void take_hooks(std::vector<NamedHook> hooks);
    void take_content_of_hooks(const Link& other);
    std::vector<std::pair<std::string, Parameter*>> hook_params() const;
    std::vector<std::pair<std::string, State*>> hook_persistents() const;
    /// Gives every variable of this link and its children its path as a name.
    void rename_below(const std::string& prefix) const;
    enum class PartKind : uint8_t { param, persistent, child };
    struct Entry {
        std::string name;
        PartKind kind;
        Part* part;  ///< The part; null in a copy until that member was copied, too.
        std::ptrdiff_t distance;
        size_t bytes;  ///< The part's size, as far as it is known.
    };
    void list(std::string name, PartKind kind, Part& part, size_t bytes);
    void expect_parts() noexcept;
    void stop_awaiting() noexcept;
    void list_as_before(const Link& moved) noexcept;
    bool claim(Part* part, std::ptrdiff_t distance);
    /// The listed parts, sorted by name, after a check that all were copied.
    const std::vector<Entry>& entries() const;
    /// Visits this link and all below it, with their paths.
    void visit_links(const std::string& path, LinkVisitor visit) const;
    /// Appends what params() returns to a list, whose memory is reused.
    void find_params(std::vector<Parameter*>& found, bool include_uninit) const;

    std::string name_;
    std::vector<Entry> entries_;
    std::vector<NamedHook> hooks_;
    size_t missing_ = 0;
    Link* next_awaiting_ = nullptr;  ///< The next link of this thread that is being copied.
    /// The object behind place(), made when it is asked for.
    mutable std::shared_ptr<Link*> place_;
    /// True after the link was moved from: it then takes the identity of what is moved to it.
    bool was_moved_from_ = false;
    mutable size_t size_ = sizeof(Part);
};

/// True for a class of functions that remember something between calls.
template <std::derived_from<Link> L>
inline constexpr bool is_stateful_callable<L> = true;

/// A copy of a link of the same class, as Chainer's link.copy(mode): `auto b = ct::copy(a,
/// ct::CopyMode::init)`.
template <std::derived_from<Link> L>
L copy(const L& link, CopyMode mode = CopyMode::share) {
    L made = link;
    if (mode != CopyMode::copy) made.copy_from(link, mode);
    return made;
}

/// The structure as text, one link per line, nested by indentation, and its unlisted members.
std::string to_string(const Link& link);
template <std::derived_from<Link> L>
    requires(!std::same_as<L, Link>)
std::string to_string(const L& link) {
    link.know_size(sizeof(L));
    return to_string(static_cast<const Link&>(link));
}
/// Writes the link as its repr(): a tree with its options.
template <std::derived_from<Link> L>
std::ostream& operator<<(std::ostream& out, const L& link) {
    return out << to_string(link);
}

}  // namespace catena
