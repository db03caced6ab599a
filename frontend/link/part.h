#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace catena {

class Link;

/// A member that a Link lists by name: a parameter, a persistent state, a child link. A copied or
/// moved link lists the parts of the new object, not those of the old one: a part stores its offset
/// from its link, so it finds the new link when it is copied itself.
class Part {
public:
    Part() = default;
    Part(const Part& other) noexcept : kind_(other.kind_), left_out_(other.left_out_) {
        enroll();
        follow(other);
    }
    /// Assignment changes the content of a part, not the link it belongs to.
    Part& operator=(const Part&) noexcept { return *this; }
    /// Whether the part's link lists it.
    bool listed() const { return distance_ != 0; }
    /// A counter of parameters and links being made, destroyed, listed, or replaced: what an
    /// optimizer knows of its target holds as long as it is unchanged.
    static uint64_t changes() noexcept;

protected:
    static void note_change() noexcept;
    enum class Kind : uint8_t { state, parameter, link };
    explicit Part(Kind kind) : kind_(kind) { enroll(); }
    ~Part() { withdraw(); }
    Kind part_kind() const { return kind_; }

private:
    friend class Link;
    void follow(const Part& other) noexcept;
    /// Registers the address of a parameter or link during its lifetime, so that a link can find
    /// unlisted members: C++ has no reflection of members.
    void enroll() noexcept;
    void withdraw() noexcept;
    /// All parts whose addresses are in [begin, end), by address.
    static std::vector<Part*> within(const void* begin, const void* end);

    std::ptrdiff_t distance_ = 0;  ///< Offset from the link that lists this part; 0: not listed.
    Kind kind_ = Kind::state;
    bool left_out_ = false;  ///< True if the part is left out of its link's list on purpose.
    bool is_owned_ = false;  ///< True for a child that its parent holds on the heap.
};

}  // namespace catena
