#pragma once

#include "frontend/link/owned_link.h"

namespace catena {

/// A link that owns any number of links, named "0", "1", ...:
///
///     ct::ChainList layers;
///     for (int i = 0; i < depth; ++i) layers.append(ct::Linear{100, 100});
///     for (size_t i = 0; i < layers.size(); ++i) x = layers.get<ct::Linear>(i)(x);
class ChainList : public Link {
public:
    ChainList() = default;
    ChainList(const ChainList&) = default;
    ChainList(ChainList&&) = default;
    /// Assigns a list of links. A link that is like its counterpart in `other` keeps its identity
    /// and takes the content of the other.
    ChainList& operator=(const ChainList& other);
    ChainList& operator=(ChainList&& other);
    /// A list that owns these links, "0", "1", ...
    template <std::derived_from<Link> First, std::derived_from<Link>... Rest>
        requires(!std::derived_from<First, ChainList> || sizeof...(Rest) > 0)
    explicit ChainList(First first, Rest... rest) {
        append(std::move(first));
        (append(std::move(rest)), ...);
    }

    /// Adds a link at the end and returns it, as the list has it.
    template <std::derived_from<Link> L>
    L& append(L link) {
        insert(size(), OwnedLink(std::move(link)));
        return get<L>(size() - 1);
    }
    /// Adds a link before that of this index, or at the end; the ones behind it are renamed.
    /// ValueError beyond the end.
    void insert(size_t index, OwnedLink link);
    /// Removes a link; the ones behind it are renamed. ValueError when there is none.
    void erase(size_t index);
    /// Replaces a link, as Chainer's list[index] = link. A link that is like the new one takes its
    /// content and stays in its optimizer; after any other replacement, call the optimizer's
    /// setup() again.
    template <std::derived_from<Link> L>
    L& replace(size_t index, L link) {
        replace(index, OwnedLink(std::move(link)));
        return get<L>(index);
    }
    void replace(size_t index, OwnedLink link);

    /// An iterator over the links: `for (ct::Link& link : layers)`.
    class Iterator {
    public:
        /// An iterator at a place of the list.
        explicit Iterator(std::vector<OwnedLink>::const_iterator at) : at_(at) {}
        /// The link at this place.
        Link& operator*() const { return **at_; }
        /// Goes on to the next link.
        Iterator& operator++() { return ++at_, *this; }
        bool operator==(const Iterator&) const = default;

    private:
        std::vector<OwnedLink>::const_iterator at_;
    };
    /// An iterator at the first link.
    Iterator begin() const { return Iterator(links_.begin()); }
    /// An iterator behind the last link.
    Iterator end() const { return Iterator(links_.end()); }
    /// References to the links [begin, end), not copies.
    std::vector<Link*> slice(size_t begin, size_t end) const;
    /// The number of links.
    size_t size() const { return links_.size(); }
    /// The link of this index; ValueError when there is none.
    Link& operator[](size_t index) const;
    /// The link at `index`, as an L; ValueError when it is of another class.
    template <std::derived_from<Link> L>
    L& get(size_t index) const {
        if (L* link = dynamic_cast<L*>(&(*this)[index])) return *link;
        wrong_class(index);
    }

protected:
    void visit_children(ChildVisitor visit) const override;

private:
    void check_index(size_t index, size_t limit) const;
    void renumber();
    [[noreturn]] void wrong_class(size_t index) const;
    std::vector<OwnedLink> links_;
};

}  // namespace catena
