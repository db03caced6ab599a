#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/program/schedule.h"

namespace catena::program {

/// A schedule as a document, without what follows from its sizes (size_kernel, place_buffers) and without code.
nlohmann::json to_json(const Schedule& schedule);

/// The inverse: sized, placed and checked, see check_schedule. FileError saying what is wrong.
Schedule schedule_from(const nlohmann::json& document);

/// A float in a document; infinities and NaN, which JSON lacks, are the texts "inf", "-inf" and "nan".
nlohmann::json number_json(double number);
double number_from(const nlohmann::json& document);

/// In a document, a number that depends on open sizes s: {"affine": [c, f0, f1, ...]} is c + f0 s0 + f1 s1 + ...,
/// {"ratio": [k, [...], [...]]} is k times one such sum over another.
nlohmann::json with_sizes(const nlohmann::json& document, std::span<const int64_t> sizes);

}  // namespace catena::program
