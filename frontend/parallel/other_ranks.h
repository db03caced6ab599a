#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "frontend/serializer/archive.h"
#include "frontend/serializer/serializer.h"
#include "runtime/comm/communicator.h"

namespace catena {

/// Throws the ValueError that a training by `saved` ranks cannot go on by `ranks`, `why`, and what
/// can be done.
[[noreturn]] void wrong_number_of_ranks(const char* who, int64_t saved, int64_t ranks,
                                        const std::string& why);

/// How many ranks had the training in a trainer's file; none if it does not say so.
std::optional<int64_t> ranks_in(const ArchiveReader& file);

/// Saves the number of ranks, or compares it with the one in a file: ValueError, which says what
/// can be done, where it is another one, unless the file is loaded by load_of_any_ranks().
void serialize_ranks(const Serializer& s, const char* who, int64_t ranks);

/// Loads a trainer, also from a file of another number of ranks: what all ranks have in common goes
/// on, and each iterator as it can. A line of the log then says which ranks, and what goes on how.
/// ValueError if something of it does not fit, FileError if it is damaged. Call it on one rank.
void load_of_any_ranks(const ArchiveReader& file, const char* who, int64_t ranks,
                       const SerializeFunction& object);

/// Whether the ranks have begun with different seeds. Call it on all ranks.
bool have_own_seeds(Communicator& communicator);
/// Replaces this rank's random state, which is the same on all ranks, by one that follows from it
/// and from the rank's number. Rank 0 keeps its own.
void separate_random_state(int rank);

}  // namespace catena
