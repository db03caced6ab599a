#include "frontend/link/chain_list.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/call/code_changes.h"

namespace catena {

ChainList& ChainList::operator=(const ChainList& other) { return *this = ChainList(other); }

ChainList& ChainList::operator=(ChainList&& other) {
    if (this == &other) return *this;
    Link::operator=(other);
    if (links_.size() > other.size()) links_.resize(other.size());
    for (size_t i = 0; i < other.size(); ++i) {
        if (i == size())
            links_.push_back(std::move(other.links_[i]));
        else
            links_[i].assign(std::move(other.links_[i]));
    }
    other.links_.clear();
    renumber();
    return *this;
}

void ChainList::check_index(size_t index, size_t limit) const {
    if (index >= limit)
        fail<ValueError>("{}: there is no link {}, it has {}", type_name(), index, size());
}

void ChainList::insert(size_t index, OwnedLink link) {
    check_index(index, size() + 1);
    links_.insert(links_.begin() + std::ptrdiff_t(index), std::move(link));
    renumber();
}

void ChainList::erase(size_t index) {
    check_index(index, size());
    links_.erase(links_.begin() + std::ptrdiff_t(index));
    renumber();
}

void ChainList::replace(size_t index, OwnedLink link) {
    check_index(index, size());
    links_[index].assign(std::move(link));
    renumber();
}

void ChainList::renumber() {
    note_code_change();
    for (size_t i = 0; i < links_.size(); ++i) name_child(*links_[i], std::to_string(i));
}

Link& ChainList::operator[](size_t index) const {
    check_index(index, size());
    return *links_[index];
}

std::vector<Link*> ChainList::slice(size_t begin, size_t end) const {
    if (begin > end || end > size())
        fail<ValueError>("{}: slice({}, {}) is not within its {} links", type_name(), begin, end,
                         size());
    std::vector<Link*> part;
    for (size_t i = begin; i < end; ++i) part.push_back(links_[i].get());
    return part;
}

void ChainList::wrong_class(size_t index) const {
    fail<ValueError>("{}: link {} is a {}, not of the requested class", type_name(), index,
                     (*this)[index].type_name());
}

void ChainList::visit_children(ChildVisitor visit) const {
    Link::visit_children(visit);
    for (const OwnedLink& link : links_) visit(link->name(), *link);
}

}  // namespace catena
