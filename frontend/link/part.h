#pragma once

#include <cstddef>

namespace catena {

class Link;

/// Something a Link lists by name and that is a member of it: a parameter, a persistent state, a child link.
/// A link copied or moved as a C++ value lists the parts of the new object, not those of the old one: a part
/// knows its distance from its link and finds the new link when it is itself copied into place.
class Part {
public:
    Part() = default;
    Part(const Part& other) noexcept { follow(other); }
    /// Assigning changes what a part holds, not whose part it is.
    Part& operator=(const Part&) noexcept { return *this; }
    bool listed() const { return distance_ != 0; }

protected:
    ~Part() = default;

private:
    friend class Link;
    void follow(const Part& other) noexcept;
    std::ptrdiff_t distance_ = 0;  ///< From the link that lists this part; 0: none does.
};

}  // namespace catena
