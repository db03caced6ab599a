#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/program/schedule/schedule.h"

namespace catena::program {

/// A schedule as JSON, without derived members (size_kernel, place_buffers) and without code.
nlohmann::json to_json(const Schedule& schedule);

/// The inverse: computes the derived members and checks the schedule. FileError if it is invalid.
Schedule schedule_from(const nlohmann::json& document);

/// A float in a document; infinities and NaN, which JSON lacks, are the texts "inf", "-inf" and
/// "nan".
nlohmann::json number_json(double number);
double number_from(const nlohmann::json& document);

/// FileError unless it is an exponent that a polynomial may have: 0 to 16.
void check_exponent(int64_t exponent);

/// The document at these sizes: a number that depends on open sizes s is {"affine": [c, f0, f1,
/// ...]} for c + f0 s0 + f1 s1 + ..., {"polynomial": [[f, e0, e1, ...], ...]} for the sum of f
/// s0^e0 s1^e1 ..., and {"ratio": [k, a, b]} for k times a over b, of which each is one of these or
/// a number. {"ratio": [k, a, b, 1]} is k a / max(b, 1): n / max(n - 1, 1).
nlohmann::json with_sizes(const nlohmann::json& document, std::span<const int64_t> sizes);

}  // namespace catena::program
