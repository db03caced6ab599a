#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/graph/trace.h"
#include "runtime/program/stream/schedule_stream.h"

namespace catena::capture {

/// How a kernel, a library call or a result of a schedule follows from the recording: which steps
/// it computes, and of each array that it reads, which of these steps wants which other step's
/// result there. Two programs of the same code have equal relations if each launch computes the
/// same of its own recording; the recording says whose results those are.
struct Relation {
    struct Operand {
        uint64_t source = 0;  ///< Even: no step of the recording wants what is read there.
        uint64_t begins =
            0;  ///< In which ways the recording says where it begins, a bit each; 0: it does not.
        std::vector<uint64_t> numbers;  ///< Of each size and stride: a bit for each size of the
                                        ///< recording that it equals.
    };
    uint64_t steps = 0;  ///< A hash of what is computed,
    std::vector<uint64_t>
        wanted;  ///< and for each array that a step wants: whether all of it is read.
    std::vector<Operand> operands;  ///< Inputs, then outputs; of a result: what it is.
    std::vector<uint64_t> scalars;  ///< As sources.
    std::vector<uint64_t>
        numbers;  ///< As those of operands: the domain of a kernel, the attributes of a call.
    uint64_t sizes =
        0;  ///< A hash of all sizes of the recording that matter there. Where it is the same,
    std::vector<int64_t> exact;  ///< so are all numbers.

    bool is_explained()
        const;  ///< Every source is odd, and the recording says where each operand begins.
};

struct Relations {
    std::vector<Relation> kernels, calls, results;  ///< As in the schedule.

    /// How many kernels, calls and results are not explained.
    int unexplained() const;
    /// Keeps what holds of `other` as well. False if they are related in other ways.
    bool restrict_to(const Relations& other);
};

Relations relations(const program::Schedule& schedule, const Trace& trace);

/// What holds of `compiled` and not of `planned`; empty: nothing. Both may be the same call on
/// lists of other lengths.
std::string difference(const Relation& compiled, const Relation& planned);
/// The same for programs of as many launches.
std::string difference(const Relations& compiled, const Relations& planned);
/// Whether this is related to its recording as the program with the relations `compiled`, of which
/// it is a copy, is to its own.
bool follows(const Relations& compiled, const program::Copied& copied, const Trace& trace);

}  // namespace catena::capture
