#pragma once

#include <optional>
#include <string>
#include <vector>

namespace catena {

/// How this process was started, as far as its environment tells.
struct Launched {
    /// The name by which CATENA_LAUNCHER chooses it; "none": by nothing that starts ranks.
    std::string launcher = "none";
    int rank = 0;
    /// How many ranks there are; 0: only MPI knows.
    int size = 1;
    /// This rank's place among those of its machine, and their number, where the launcher says so.
    std::optional<int> local_rank = {}, local_size = {};
    /// Where ranks meet by TCP (Rendezvous::place); empty: the launcher names no place.
    std::string rendezvous = {};
    /// Whether CATENA_RENDEZVOUS names that place.
    bool is_place_given = false;
    /// Whether the launcher serves MPI's start, so that MPI knows these ranks.
    bool serves_mpi = false;
    /// Why it was chosen, in words, with the variables and their values.
    std::string why = {};
};

/// Reads the environment. The first of these that is there counts: Catena's own variables,
/// torchrun, mpirun, the variables of PyTorch, srun. ValueError, which names the variables, if some
/// are missing or if two launchers contradict each other (runtime/comm/launcher.cpp).
Launched find_launched();

/// The names of all launchers, and "none".
std::vector<std::string> launcher_names();

/// The first host of a list as Slurm writes it: "a07" of "a[07-12,20],b3". ValueError for a list
/// that is not one.
std::string first_host(const std::string& list);

}  // namespace catena
