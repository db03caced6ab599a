#pragma once

#include <map>
#include <string>

#include "frontend/trainer/reporter.h"

namespace catena {

class Serializer;

/// Running weighted mean and standard deviation, in float64.
class Summary {
public:
    /// Adds a value.
    void add(double value, double weight = 1);
    /// The mean; NaN of no values.
    double mean() const { return x_ / n_; }
    /// The population deviation sqrt(E[x^2] - E[x]^2).
    double deviation() const;
    /// Saves or loads the sums.
    void serialize(const Serializer& s);

private:
    double x_ = 0, x2_ = 0, n_ = 0;
};

/// A Summary per name; values that are not numbers are skipped.
class DictSummary {
public:
    /// Adds all values that are numbers.
    void add(const Observation& observation);
    /// Forgets all values.
    void clear();
    /// The means by name.
    std::map<std::string, double> compute_mean() const;
    /// The means by name, and deviations as "NAME.std".
    std::map<std::string, double> make_statistics() const;
    /// Saves or loads the sums.
    void serialize(const Serializer& s);

private:
    std::map<std::string, Summary> summaries_;
};

}  // namespace catena
