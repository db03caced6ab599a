#include "frontend/hdf5/groups.h"

#include <fmt/format.h>

#include "frontend/hdf5/heap.h"
#include "frontend/hdf5/tree.h"

namespace catena::hdf5 {
namespace {

void add_link(const FileNumbers& file, Numbers content, Links& links) {
    constexpr uint64_t has_kind = 8, has_order = 4, has_charset = 16, hard = 0;
    content.skip(1);
    const uint64_t flags = content.next(1), kind = flags & has_kind ? content.next(1) : hard;
    if (flags & has_order) content.skip(8);
    if (flags & has_charset) content.skip(1);
    std::string name = content.take(content.next(size_t(1) << (flags & 3)));
    if (kind == hard) links.emplace_back(std::move(name), file.address(content));
}

/// A tree of nodes, whose entries have their names in a heap.
void add_old_links(const FileNumbers& file, Numbers content, Links& links) {
    const uint64_t tree = file.address(content), heap_address = file.address(content);
    const NameHeap heap(file, heap_address);
    walk_old_tree(file, tree, 0, file.length_bytes(), [&](Numbers, uint64_t node) {
        Numbers head = file.read(node, 8);
        if (head.take(4) != "SNOD") file.damaged(node, "not a symbol table node");
        head.skip(2);
        constexpr uint64_t cached_bytes = 24, soft_link = 2;
        const uint64_t count = head.next(2),
                       bytes = file.length_bytes() + file.address_bytes() + cached_bytes;
        Numbers entries = file.read(node + 8, count * bytes);
        for (uint64_t i = 0; i < count; ++i) {
            const uint64_t name = file.length(entries), object = file.address(entries),
                           cached = entries.next(4);
            entries.skip(cached_bytes - 4);
            if (cached != soft_link) links.emplace_back(heap.name_at(name), object);
        }
    });
}

/// A tree of identifiers of a heap, where the links are.
void add_many_links(const FileNumbers& file, Numbers content, Links& links) {
    constexpr uint64_t has_order = 1;
    content.skip(1);
    if (content.next(1) & has_order) content.skip(8);
    const uint64_t heap_address = file.address(content), names = file.address(content);
    if (file.is_undefined(heap_address) || file.is_undefined(names)) return;
    const FractalHeap heap(file, heap_address);
    constexpr uint64_t by_name = 5, hash_bytes = 4;
    walk_new_tree(file, names, by_name, [&](Numbers record) {
        record.skip(hash_bytes);
        add_link(file, heap.object(std::move(record)), links);
    });
}

}  // namespace

Links links_of(const FileNumbers& file, const std::vector<Message>& messages) {
    Links links;
    for (const Message& message : messages) {
        if (message.kind == Message::symbol_table) add_old_links(file, message.content, links);
        if (message.kind == Message::link) add_link(file, message.content, links);
        if (message.kind == Message::link_info) add_many_links(file, message.content, links);
    }
    return links;
}

}  // namespace catena::hdf5
