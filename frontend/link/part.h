#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace catena {

class Link;

/// Something a Link lists by name and that is a member of it: a parameter, a persistent state, a child link.
/// A link copied or moved as a C++ value lists the parts of the new object, not those of the old one: a part
/// knows its distance from its link and finds the new link when it is itself copied into place.
class Part {
public:
    Part() = default;
    Part(const Part& other) noexcept : kind_(other.kind_), left_out_(other.left_out_) {
        enroll();
        follow(other);
    }
    /// Assigning changes what a part holds, not whose part it is.
    Part& operator=(const Part&) noexcept { return *this; }
    bool listed() const { return distance_ != 0; }

protected:
    enum class Kind : uint8_t { state, parameter, link };
    explicit Part(Kind kind) : kind_(kind) { enroll(); }
    ~Part() { withdraw(); }
    Kind part_kind() const { return kind_; }

private:
    friend class Link;
    void follow(const Part& other) noexcept;
    /// Parameters and links are known by their addresses while they live, so that a link finds a member that nobody
    /// listed: C++ does not tell a class what members it has.
    void enroll() noexcept;
    void withdraw() noexcept;
    static std::vector<Part*> within(const void* begin, const void* end);  ///< By address.

    std::ptrdiff_t distance_ = 0;  ///< From the link that lists this part; 0: none does.
    Kind kind_ = Kind::state;
    bool left_out_ = false;  ///< Unlisted on purpose.
};

}  // namespace catena
