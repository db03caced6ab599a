#pragma once

#include <vector>

#include "runtime/graph/trace.h"
#include "runtime/program/schedule/views.h"

namespace catena::capture {

/// Where the values of a recording lie, if only some of its steps are computed by launches: all
/// other steps are views of what those make, are the same as one of those, or have become part of
/// them.
class TracePlaces {
public:
    /// `is_computed`: by step.
    TracePlaces(const Trace& trace, const std::vector<char>& is_computed);

    struct Place {
        program::View view;  ///< Of value `view.buffer`: an input, or made by a computed step. -1:
                             ///< it comes from several.
        bool is_exact = true;  ///< Else what becomes of it there is no view, and has become a part
                               ///< of what reads it.
        int value() const { return view.buffer; }
    };
    const Place& of(int value) const { return places_[size_t(value)]; }
    int maker_of(int value) const { return makers_[size_t(value)]; }  ///< The step; -1: an input.

    /// All inputs and values of computed steps that a value comes from, into `sources`.
    void find_sources(int value, std::vector<int>& sources);

private:
    void find_same_steps(const std::vector<char>& is_computed);
    bool has_become_nothing(size_t s) const;
    void place(size_t s);
    Place viewed(const Trace::Step& step) const;

    const Trace& trace_;
    std::vector<Place> places_;
    std::vector<int> makers_;
    std::vector<int>
        computed_as_;  ///< By step: itself, or a step that gives the same; -1: it is not computed.
    bool knows_computed_ = false;      ///< computed_as_ has been found.
    std::vector<int> visited_, open_;  ///< By value: the search that came there last.
    int search_ = 0;
};

}  // namespace catena::capture
