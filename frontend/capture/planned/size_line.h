#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/capture/planned/launch_relations.h"
#include "runtime/graph/trace/trace.h"
#include "runtime/ops/declare/channels_last.h"
#include "runtime/program/schedule/schedule.h"

namespace catena::capture {

/// Recordings of the same code whose numbers (trace_numbers.h) lie on a line, origin + position *
/// step, as when a batch is shorter or a sequence longer by one. For some positions programs were
/// compiled. Between these, where they have the same form, the numbers of a schedule are
/// polynomials in the position, since they are sums of products of sizes.
class SizeLine {
public:
    /// The line through two recordings that differ in numbers only. Null if they do not differ, or
    /// if one of them is no ordinary position of it.
    static std::unique_ptr<SizeLine> through(const Trace& trace, std::span<const int64_t> a,
                                             std::span<const int64_t> b);

    /// One of the recordings of the line.
    const Trace& trace() const { return trace_; }
    /// The position of a recording with these numbers; nothing if they are not on the line.
    std::optional<int64_t> position_of(std::span<const int64_t> numbers) const;
    std::vector<int64_t> numbers_at(int64_t position) const;

    /// Whether a position is ordinary: no changing size is 0, 1, or by chance equal to another
    /// size. At others the passes may make a different program.
    bool is_ordinary(int64_t position) const;

    /// Adds the program compiled for the recording at an ordinary position.
    void add(int64_t position, const Trace& recording,
             std::shared_ptr<const program::Schedule> schedule);
    /// The planned schedule for the recording at an ordinary position between compiled ones of one
    /// form. Nothing if it is not certain, as when its launches are not related to the recording as
    /// those of the compiled programs are to theirs.
    std::optional<program::Schedule> schedule_at(int64_t position, const Trace& recording) const;

    /// The difference of `schedule` from every compiled form, in words; empty: it has one of these
    /// forms.
    std::string difference_to(const program::Schedule& schedule) const;

    /// The least compiled position.
    std::optional<int64_t> first() const;
    /// The largest compiled position.
    std::optional<int64_t> last() const;

private:
    struct Point {
        int64_t position = 0;
        std::vector<int64_t> numbers;  ///< The numbers of the schedule at that position.
    };
    /// Compiled positions whose schedules differ in numbers only.
    struct Form {
        /// The schedule of one of the recordings.
        std::shared_ptr<const program::Schedule> schedule;
        /// A copy of the schedule without the parts that only compiling needs.
        program::Schedule blank;
        /// The relations that are true for all compiled schedules of the form.
        Relations relations;
        std::vector<Point> points;
        /// What the library calls wanted (program::orders_wanted) in compiled schedules of the
        /// form, each list once. Where they want something else, the passes may choose another
        /// form.
        std::vector<std::vector<ChannelsLast>> orders;
        bool is_fitting = true;  ///< True while all points lie on polynomials of the degree.
        int64_t first = 0, last = 0;
    };
    explicit SizeLine(const Trace& trace);
    bool is_determined(const Form& form) const {
        return form.is_fitting && int(form.points.size()) >= degree_ + 2;
    }
    std::optional<std::vector<int64_t>> interpolate(const Form& form, int64_t position) const;

    Trace trace_;
    std::vector<int64_t> origin_, step_;
    std::vector<size_t> moving_;  ///< Indices of the recording's numbers that change.
    /// Origin and step of the numbers that change, each pair once.
    std::vector<std::pair<int64_t, int64_t>> changing_;
    std::vector<int64_t> constants_;  ///< The sizes that do not change, sorted, each once.
    int degree_ = 1;
    std::vector<Form> forms_;
};

}  // namespace catena::capture
