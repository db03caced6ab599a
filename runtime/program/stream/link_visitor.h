#pragma once

#include <vector>

#include "runtime/program/schedule/schedule_fields.h"

// The indices and counts of a part of a schedule, in the order in which they stand in a stream:
// what writes it and what reads it are both given to these visitors.

namespace catena::program {

/// Calls stream.count(list) for the lists whose lengths stand before all their elements.
template <class Stream>
class CountVisitor {
public:
    explicit CountVisitor(Stream& stream) : stream_(stream) {}

    template <class Field, class T>
    void operator()(Field, T& value) {
        if constexpr (Field::role == Role::list ||
                      (Field::role == Role::link && Field::is_in_files && requires { value[0]; }))
            stream_.count(value);
    }

private:
    Stream& stream_;
};

/// Calls stream.number(index) for the links, and stream.buffer(index) where it is that of a buffer.
template <class Stream>
class LinkVisitor {
public:
    explicit LinkVisitor(Stream& stream) : stream_(stream) {}

    template <class Field, class T>
    void operator()(Field, T& value) {
        if constexpr (Field::role == Role::buffer) {
            stream_.buffer(value);
        } else if constexpr (Field::role == Role::maybe) {
            if (value >= 0) stream_.number(value);
        } else if constexpr (Field::role == Role::link && requires { value[0]; }) {
            if constexpr (!Field::is_in_files) stream_.count(value);
            for (auto& each : value) stream_.number(each);
        } else if constexpr (Field::role == Role::link || Field::role == Role::report) {
            stream_.number(value);
        } else if constexpr (Field::role == Role::parts) {
            visit(value);
        }
    }

private:
    template <HasFields T>
    void visit(T& part) {
        visit_fields(*this, part);
    }
    template <class List>
        requires requires(List& list) { list[0]; }
    void visit(List& parts) {
        for (auto& part : parts) visit(part);
    }

    Stream& stream_;
};

}  // namespace catena::program
