#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/static_graph/sizes/open_size.h"
#include "frontend/static_graph/sizes/size_polynomial.h"
#include "runtime/graph/trace/trace.h"
#include "runtime/ops/onnx/onnx.h"

// Programs in files accept arrays of sizes that were not recorded: the functions of these sizes are
// fitted to recordings at several sizes.

namespace catena {

/// The open sizes of a program, by name, and the recordings that their functions are fitted to.
class OpenSizes {
public:
    struct Name {
        std::string name;
        int64_t base = 0;
        std::vector<OpenSize> places;
    };

    /// The form of fitted functions: one open size in each term, or products of up to three.
    enum class Functions : uint8_t { affine, products };

    /// How much larger than the given sizes those of the recordings are, for all open sizes or the
    /// first one. Code may differ between sizes near the given ones, and be the same for all larger
    /// ones.
    struct Farther {
        int64_t by;
        bool first_only;
    };

    /// Defines the open sizes; `who` is for messages. ValueError for an input or axis that does not
    /// exist.
    OpenSizes(std::string who, std::vector<Type> types, const std::vector<OpenSize>& open,
              Functions functions = Functions::affine, Farther farther = {0, false});

    const std::vector<Name>& names() const { return names_; }
    /// The sizes of each recording: as given or farther, with each open size one larger (for
    /// products, some two larger), and two more to check the fit; the given ones last if the others
    /// are farther. One run when nothing is open.
    const std::vector<std::vector<int64_t>>& runs() const { return runs_; }
    /// The number of first runs at which the code must be the same: not the given sizes if the
    /// others are farther.
    size_t code_runs() const { return runs_.size() - (is_farther_ ? 1 : 0); }
    std::vector<Type> types_at(const std::vector<int64_t>& sizes) const;

    /// The affine function of the open sizes whose values at the runs are `seen`, if one exists.
    std::optional<OnnxSize> affine(const std::vector<int64_t>& seen) const;
    /// The polynomial, with terms of the chosen form, whose values at the runs are `seen`, if one
    /// exists.
    std::optional<SizePolynomial> polynomial(const std::vector<int64_t>& seen) const;

    /// A function that records a program once more at the same sizes. By it, numbers that depend on
    /// sizes are told from those that change at every run of the code.
    using Again = std::function<Trace()>;
    /// Throws a ValueError that says what differs first between two sizes, or changes between `is`
    /// and `again`.
    void check_same(const Trace& was, const Trace& is, const Again& again) const;
    /// Throws a ValueError if the array from outside `value` has another type or other elements at
    /// a run, because a file holds it once. `again` records the second run once more.
    void check_constant(std::span<const Trace* const> runs, int value, const Again& again) const;
    /// Throws a ValueError if the number in `step` changes at every run of the code. `again`
    /// records `is` once more.
    void check_repeats(const Trace& is, const Trace::Step& step, int scalar,
                       const Again& again) const;

private:
    void choose_runs(Functions functions, Farther farther);

    std::string who_;
    std::vector<Type> types_;
    std::vector<Name> names_;
    std::vector<std::vector<int>>
        exponents_;  ///< Exponents, one list per run except the last runs, which only check.
    std::vector<std::vector<int64_t>> runs_;
    bool is_farther_ = false;
};

}  // namespace catena
