#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/capture/planned/launch_relations.h"
#include "runtime/graph/trace.h"
#include "runtime/program/schedule/schedule.h"

namespace catena::capture {

/// Recordings of the same code whose numbers (trace_numbers.h) lie on a line: origin + position *
/// step, as when a batch is shorter or a sequence longer by one. Programs at some positions were
/// compiled; between them, where they have the same form, the numbers of a schedule are polynomials
/// in the position: sums of products of sizes.
class SizeLine {
public:
    /// The line through two recordings that differ in numbers only. Null if they do not differ, or
    /// if one of them is no ordinary position of it.
    static std::unique_ptr<SizeLine> through(const Trace& trace, std::span<const int64_t> a,
                                             std::span<const int64_t> b);

    const Trace& trace() const { return trace_; }  ///< One of the recordings.
    /// Nothing if the numbers are not on the line.
    std::optional<int64_t> position_of(std::span<const int64_t> numbers) const;
    std::vector<int64_t> numbers_at(int64_t position) const;

    /// Positions are ordinary when no changing size is 0, 1, or by chance equal to another size:
    /// for those the passes may make another program.
    bool is_ordinary(int64_t position) const;

    /// The program compiled for the recording at an ordinary position.
    void add(int64_t position, const Trace& recording,
             std::shared_ptr<const program::Schedule> schedule);
    /// The schedule for the recording at an ordinary position between compiled ones of one form, to
    /// which its launches are related as theirs are to their recordings; nothing if it is not sure.
    std::optional<program::Schedule> schedule_at(int64_t position, const Trace& recording) const;

    /// What `schedule` differs in from every form that was compiled; empty: it has one of them.
    std::string difference_to(const program::Schedule& schedule) const;

    std::optional<int64_t> first() const;  ///< The least and
    std::optional<int64_t> last() const;   ///< the largest compiled position.

private:
    struct Point {
        int64_t position = 0;
        std::vector<int64_t> numbers;  ///< Of the schedule.
    };
    /// Compiled positions whose schedules differ in numbers only.
    struct Form {
        std::shared_ptr<const program::Schedule> schedule;  ///< One of them.
        program::Schedule blank;  ///< The same without what only compiling needs.
        Relations relations;      ///< What holds of all compiled ones.
        std::vector<Point> points;
        bool is_fitting = true;  ///< All points lie on polynomials of the degree.
        int64_t first = 0, last = 0;
    };
    explicit SizeLine(const Trace& trace);
    bool is_determined(const Form& form) const {
        return form.is_fitting && int(form.points.size()) >= degree_ + 2;
    }
    std::optional<std::vector<int64_t>> interpolate(const Form& form, int64_t position) const;

    Trace trace_;
    std::vector<int64_t> origin_, step_;
    std::vector<size_t> moving_;  ///< Indices of the numbers that change.
    std::vector<std::pair<int64_t, int64_t>>
        changing_;                    ///< Their origins and steps, each pair once.
    std::vector<int64_t> constants_;  ///< The sizes that do not change, sorted, each once.
    int degree_ = 1;
    std::vector<Form> forms_;
};

}  // namespace catena::capture
