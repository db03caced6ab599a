#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/graph/trace/trace.h"
#include "runtime/program/stream/schedule_stream.h"

namespace catena::capture {

/// A description, by hashes, of how a kernel, a library call or a result of a schedule follows from
/// the recording: which steps it computes, and for each array that it reads, which of these steps
/// needs which other step's result there. Programs of several sizes of the same code have equal
/// relations if each launch computes the corresponding part of its own recording.
struct Relation {
    struct Operand {
        /// A hash of who reads what there. Even: no step of the recording needs what is read there.
        uint64_t source = 0;
        /// A bit set of the ways in which the recording determines where the operand begins; 0: it
        /// does not.
        uint64_t begins = 0;
        /// For each size and stride, a bit set of the recording's sizes that it equals.
        std::vector<uint64_t> numbers;
    };
    uint64_t steps = 0;  ///< A hash of the steps that are computed.
    /// For each array that a step needs, a hash of it and of whether all of it is read.
    std::vector<uint64_t> wanted;
    /// The inputs, then the outputs; for a result of the program, the array that is returned.
    std::vector<Operand> operands;
    std::vector<uint64_t> scalars;  ///< Hashes of the scalars, as Operand::source.
    /// Bit sets as Operand::numbers: for the domain of a kernel or the attributes of a call.
    std::vector<uint64_t> numbers;
    /// A hash of all sizes of the recording that matter for the numbers. Where it is equal, `exact`
    /// is, too.
    uint64_t sizes = 0;
    std::vector<int64_t> exact;  ///< All numbers of the launch.

    /// Whether every source is odd and the recording determines where each operand begins.
    bool is_explained() const;
};

struct Relations {
    /// The relations of the schedule's kernels, library calls and results, in its order.
    std::vector<Relation> kernels, calls, results;

    /// The number of kernels, calls and results that are not explained.
    int unexplained() const;
    /// Keeps only what is true for `other` as well. False if the two are related to their
    /// recordings in different ways.
    bool restrict_to(const Relations& other);
};

Relations relations(const program::Schedule& schedule, const Trace& trace);

/// What is true for `compiled` and not for `planned`, in words; empty: nothing. Both may be the
/// same call on lists of different lengths.
std::string difference(const Relation& compiled, const Relation& planned);
/// The first difference of two programs with as many launches, in words; empty: none.
std::string difference(const Relations& compiled, const Relations& planned);
/// Whether the copied schedule is related to its recording `trace` as the program with the
/// relations `compiled` is to its own.
bool follows(const Relations& compiled, const program::Copied& copied, const Trace& trace);

}  // namespace catena::capture
