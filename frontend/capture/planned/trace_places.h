#pragma once

#include <vector>

#include "runtime/graph/trace/trace.h"
#include "runtime/program/schedule/views.h"

namespace catena::capture {

/// Where the values of a recording lie in memory when launches compute only some of its steps.
/// Every other step is a view of what those make, equals one of those, or was absorbed by them.
class TracePlaces {
public:
    /// `is_computed`: for each step, whether a launch computes it.
    TracePlaces(const Trace& trace, const std::vector<char>& is_computed);

    struct Place {
        /// The place as a view of value `view.buffer`, which is an input or made by a computed
        /// step. -1: the value is put together from several.
        program::View view;
        /// False if the value is no such view but has become a part of what reads it.
        bool is_exact = true;
        int value() const { return view.buffer; }
    };
    const Place& of(int value) const { return places_[size_t(value)]; }
    /// The step that makes a value; -1: the value is an input.
    int maker_of(int value) const { return makers_[size_t(value)]; }

    /// Collects in `sources` all inputs and values of computed steps that a value comes from.
    void find_sources(int value, std::vector<int>& sources);

private:
    void find_same_steps(const std::vector<char>& is_computed);
    bool has_become_nothing(size_t s) const;
    void place(size_t s);
    Place viewed(const Trace::Step& step) const;

    const Trace& trace_;
    std::vector<Place> places_;
    std::vector<int> makers_;
    /// For each step: itself if it is computed, or a computed step that gives the same; -1:
    /// neither.
    std::vector<int> computed_as_;
    bool knows_computed_ = false;  ///< True once computed_as_ has been filled.
    /// For each value, the number of the search that visited it last; and the values still to
    /// visit.
    std::vector<int> visited_, open_;
    int search_ = 0;
};

}  // namespace catena::capture
