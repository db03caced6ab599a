#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "frontend/capture/path/path.h"

namespace catena::capture {

/// Where a followed call is in the tree of paths.
class Cursor {
public:
    explicit Cursor(Tree& tree) : tree_(&tree) {}

    void serve(Tree& tree) { tree_ = &tree; }
    void begin();
    /// Goes on behind a host read, in the segment that `ending` leads to.
    void cut(const Ending& ending);

    Tree& tree() const { return *tree_; }
    const Segment& segment() const { return *segment_; }
    /// The latest of the segment; null: none yet.
    const Step* step() const { return step_; }
    /// The number of steps in the segment.
    int steps() const { return steps_; }
    int cuts() const { return cuts_; }
    const Place& place() const { return step_ ? step_->next : segment_->start; }
    Place& place() { return const_cast<Place&>(std::as_const(*this).place()); }
    /// The number of values that there were after step `before`; null: when the segment began.
    int values_after(const Step* before) const {
        return before ? before->end_value : segment_->first_value + segment_->arguments;
    }

    /// The step here that `is_it` accepts; null: no known path has it.
    template <class IsIt>
    const Step* find(IsIt is_it) const {
        const Step* step = place().steps.load(std::memory_order_acquire);
        while (step && !is_it(*step)) step = step->sibling.load(std::memory_order_acquire);
        return step;
    }
    /// The step that find() gives, or `made` where there is none: it is a part of the tree from now
    /// on.
    template <class IsIt>
    const Step& extend(std::unique_ptr<Step> made, IsIt is_it) {
        std::lock_guard lock(tree_->mutex);
        // Another thread may have added the same step in the meantime.
        const Step* known = find(is_it);
        return known ? *known : tree_->add(place(), std::move(made));
    }
    void take(const Step& step) {
        step_ = &step;
        ++steps_;
    }
    /// Takes all steps up to `last`.
    void take_up_to(const Step& last) {
        step_ = &last;
        steps_ = last.index + 1;
    }
    /// Changes the count of steps for the undo log, while something is done again that was done
    /// after so many steps.
    void pretend(int steps) { steps_ = steps; }
    void pretend_no_more() {
        if (step_) steps_ = step_->index + 1;
    }

    /// Whether the code has left the tree in this segment.
    bool is_leaving() const { return leaving_; }
    /// True for the first time that it leaves a place from which a path leads on.
    bool leaves_known_paths() {
        return !std::exchange(leaving_, true) &&
               (place().steps.load(std::memory_order_acquire) || place().endings());
    }
    /// The segment's ending after the latest step. `values`: how many values there are.
    Ending& ending(bool is_cut, const GraphEnd* graph, std::span<const int> alive, int values);
    /// Whether the latest ending() is one that no call has come to: once.
    bool has_new_ending() { return std::exchange(has_new_ending_, false); }
    /// Whether an ending is new, as has_new_ending(), where known paths lead on and this call has
    /// left them.
    bool ends_early() { return std::exchange(ends_early_, false) && !leaving_; }

private:
    Tree* tree_;
    const Segment* segment_ = nullptr;
    const Step* step_ = nullptr;
    int steps_ = 0, cuts_ = 0;
    bool leaving_ = false, has_new_ending_ = false, ends_early_ = false;
};

}  // namespace catena::capture
