#pragma once

#include <catena/catena.h>

/// What each of two ranks has of a perceptron: the first gives its result to the second.
struct First : catena::Chain {
    catena::Linear l1;
    explicit First(int64_t units) : l1(units) { add_child("l1", l1); }
    catena::Variable operator()(const catena::Variable& x) { return catena::relu(l1(x)); }
};
struct Second : catena::Chain {
    catena::Linear l2, l3;
    explicit Second(int64_t units) : l2(units, units), l3(units, 10) {
        add_children({{"l2", l2}, {"l3", l3}});
    }
    catena::Variable operator()(const catena::Variable& h) { return l3(catena::relu(l2(h))); }
};
