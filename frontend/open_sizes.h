#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/open_size.h"
#include "frontend/size_polynomial.h"
#include "runtime/graph/trace.h"
#include "runtime/ops/onnx.h"

// Programs in files take arrays of sizes that were not recorded: what is a function of those sizes is found from
// recordings at several of them.

namespace catena {

/// The open sizes of a program, by name, and the recordings that their functions are fitted to.
class OpenSizes {
public:
    struct Name {
        std::string name;
        int64_t base = 0;
        std::vector<OpenSize> places;
    };

    /// What is looked for: functions with one open size in each term, or with products of up to three in it.
    enum class Functions : uint8_t { affine, products };

    /// `who` is for messages. ValueError when a place is not there.
    OpenSizes(std::string who, std::vector<Type> types, const std::vector<OpenSize>& open,
              Functions functions = Functions::affine);

    const std::vector<Name>& names() const { return names_; }
    /// As given, with each open size one larger (and, for products, with some two larger), and two more to be sure. One run
    /// when nothing is open.
    const std::vector<std::vector<int64_t>>& runs() const { return runs_; }
    std::vector<Type> types_at(const std::vector<int64_t>& sizes) const;

    /// The affine function of the open sizes that gives `seen` at the runs, if there is one.
    std::optional<OnnxSize> affine(const std::vector<int64_t>& seen) const;
    /// The same for all functions that are looked for.
    std::optional<SizePolynomial> polynomial(const std::vector<int64_t>& seen) const;

    /// ValueError naming the first step in which the program is another at other sizes.
    void check_same(const Trace& was, const Trace& is) const;

private:
    void choose_runs(Functions functions);

    std::string who_;
    std::vector<Type> types_;
    std::vector<Name> names_;
    std::vector<std::vector<int>> exponents_;  ///< One per run but the last ones, which only check.
    std::vector<std::vector<int64_t>> runs_;
};

}  // namespace catena
