#include "runtime/core/memory/small_vector.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace catena {
namespace {

/// Counts those that live; the making of a negative one fails.
struct Fragile {
    explicit Fragile(int number) : number(number) {
        if (number < 0) throw std::runtime_error("negative");
        ++alive;
    }
    Fragile(const Fragile& other) : Fragile(other.number) {}
    Fragile(Fragile&& other) noexcept : number(other.number) { ++alive; }
    Fragile& operator=(const Fragile&) = default;
    ~Fragile() { --alive; }
    int number;
    static inline int alive = 0;
};

TEST(SmallVector, an_element_that_could_not_be_made_is_none) {
    {
        SmallVector<Fragile, 2> list;
        for (int number : {1, 2, 3}) {  // Within it, and on the heap.
            EXPECT_THROW(list.emplace_back(-1), std::runtime_error);
            EXPECT_EQ(list.size(), size_t(number - 1));
            list.emplace_back(number);
            EXPECT_EQ(Fragile::alive, number);
        }
        EXPECT_EQ(list.back().number, 3);
    }
    EXPECT_EQ(Fragile::alive, 0);
}

TEST(SmallVector, a_copy_that_fails_leaves_nothing) {
    SmallVector<Fragile, 2> list;
    for (int number : {1, 2, 3}) list.emplace_back(number);
    list[2].number = -3;
    EXPECT_THROW((SmallVector<Fragile, 2>(list)), std::runtime_error);
    EXPECT_EQ(Fragile::alive, 3);
}

}  // namespace
}  // namespace catena
