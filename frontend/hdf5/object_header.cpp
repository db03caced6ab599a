#include "frontend/hdf5/object_header.h"

#include <set>
#include <utility>

#include "runtime/core/system/error.h"
#include "runtime/file/limits.h"

namespace catena::hdf5 {
namespace {

constexpr uint64_t has_times = 0x20, has_phases = 0x10, has_creation_order = 4, shared_flag = 2;

class HeaderReader {
public:
    HeaderReader(const FileNumbers& file, uint64_t address) : file_(file), address_(address) {}

    std::vector<Message> run() {
        Numbers begin = file_.read(address_, 4);
        if (begin.all() == "OHDR")
            read_new();
        else
            read_old();
        for (size_t i = 0; i < continuations_.size(); ++i) {  // More are found on the way.
            const auto [at, bytes] = continuations_[i];
            if (!seen_.insert(at).second) file_.damaged(at, "a header that refers to itself");
            constexpr uint64_t checksum = 4;
            if (!is_new_) {
                add_messages(file_.read(at, bytes));
            } else {
                if (bytes < 8) file_.damaged(at, "a part of a header without messages");
                add_messages(file_.read_checked(at, bytes - checksum, "OCHK"));
            }
        }
        return std::move(messages_);
    }

private:
    void read_old() {
        Numbers prefix = file_.read(address_, 16);
        if (prefix.next(1) != 1) file_.damaged(address_, "no header of an object");
        prefix.skip(7);
        const uint64_t bytes = prefix.next(4);
        add_messages(file_.read(address_ + 16, bytes));
    }

    void read_new() {
        is_new_ = true;
        flags_ = file_.read(address_ + 5, 1).next(1);
        const uint64_t before = 6 + (flags_ & has_times ? 16 : 0) + (flags_ & has_phases ? 4 : 0),
                       size_bytes = uint64_t(1) << (flags_ & 3);
        const uint64_t bytes = file_.read(address_ + before, size_bytes).next(size_t(size_bytes));
        file_.require_inside(address_ + before + size_bytes, bytes);
        Numbers whole = file_.read_checked(address_, before + size_bytes + bytes, "OHDR");
        if (whole.next(1) != 2) file_.damaged(address_, "a header of an unknown version");
        whole.skip(before - 5 + size_bytes);
        add_messages(std::move(whole));
    }

    void add_messages(Numbers numbers) {
        const size_t prefix = is_new_ ? (flags_ & has_creation_order ? 6 : 4) : 8;
        while (numbers.left() >= prefix) {
            const uint64_t kind = numbers.next(is_new_ ? 1 : 2), bytes = numbers.next(2),
                           flags = numbers.next(1);
            numbers.skip(prefix - (is_new_ ? 4 : 5));
            Numbers content = file_.part(numbers, bytes);
            if (kind == Message::continuation) {
                const uint64_t at = file_.address(content), size = file_.length(content);
                file_.require_inside(at, size);
                continuations_.emplace_back(at, size);
            } else if (kind != 0) {
                messages_.push_back({kind, (flags & shared_flag) != 0, std::move(content)});
            }
        }
    }

    const FileNumbers& file_;
    const uint64_t address_;
    bool is_new_ = false;
    uint64_t flags_ = 0;
    /// Address and size of each continuation of the header, in bytes.
    std::vector<std::pair<uint64_t, uint64_t>> continuations_;
    std::set<uint64_t> seen_;
    std::vector<Message> messages_;
};

}  // namespace

std::vector<Message> messages_at(const FileNumbers& file, uint64_t address) {
    return HeaderReader(file, address).run();
}

const Message* find_message(const std::vector<Message>& messages, uint64_t kind) {
    for (const Message& message : messages)
        if (message.kind == kind) return &message;
    return nullptr;
}

ObjectKind kind_of(const std::vector<Message>& messages) {
    if (find_message(messages, Message::symbol_table) || find_message(messages, Message::link_info))
        return ObjectKind::group;
    return find_message(messages, Message::dataspace) && find_message(messages, Message::datatype)
               ? ObjectKind::dataset
               : ObjectKind::other;
}

}  // namespace catena::hdf5
