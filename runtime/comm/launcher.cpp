#include "runtime/comm/launcher.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>

#include <fmt/ranges.h>

#include "runtime/core/system/environment.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

/// What a launcher tells the processes that it starts.
struct Launcher {
    const char* name;
    const char* title;
    /// Set by this launcher only; null: its rank is.
    const char* mark;
    const char *rank, *size;  ///< No size: only MPI knows.
    const char *local_rank = nullptr, *local_size = nullptr;
    /// The place where ranks of that number meet; null: none is told.
    std::string (*place)(int size) = nullptr;
    /// The variable that is set when MPI's start is served; "": always. Null: never.
    const char* mpi_mark = nullptr;
    /// A program, which may itself have been started by another launcher: then this one counts.
    bool is_program = true;
};

bool is_set(const char* name) { return environment::text(name).has_value(); }

int number_of(const char* name, int least) {
    const auto number = environment::whole_number(name, least, std::numeric_limits<int>::max());
    if (!number)
        fail<ValueError>(
            "create_communicator: {} is not set; a whole number of at least {} is "
            "needed",
            name, least);
    return int(*number);
}

std::string place_at(std::string host, int port) {
    if (host.find(':') != host.npos && host[0] != '[') host = "[" + host + "]";
    return fmt::format("tcp://{}:{}", host, port);
}

/// The agent of torchrun itself may listen at MASTER_PORT: then the next port is taken.
std::string place_of_torch(int size) {
    if (size == 1 && !is_set("MASTER_ADDR")) return "";
    const auto host = environment::text("MASTER_ADDR");
    if (!host)
        fail<ValueError>(
            "create_communicator: RANK and WORLD_SIZE are set, MASTER_ADDR is not; set MASTER_ADDR "
            "and MASTER_PORT, where rank 0 listens, or CATENA_LAUNCHER=none for one process");
    int port = number_of("MASTER_PORT", 1);
    if (environment::text("TORCHELASTIC_USE_AGENT_STORE") == "True") port += port < 65535 ? 1 : -1;
    return place_at(*host, port);
}

/// Rank 0 runs on the first node of a step, and a port of the step's own is free there unless
/// another program has it.
std::string place_of_slurm(int) {
    const auto nodes = environment::text("SLURM_STEP_NODELIST");
    // Ranks of an arbitrary distribution begin on any node.
    if (!nodes || environment::text("SLURM_DISTRIBUTION") == "arbitrary") return "";
    const int64_t job = number_of("SLURM_JOB_ID", 0), step = number_of("SLURM_STEP_ID", 0);
    const bool is_local = environment::text("SLURM_STEP_NUM_NODES") == "1";
    return place_at(is_local ? "127.0.0.1" : first_host(*nodes),
                    int(15000 + (job * 7 + step) % 15000));
}

std::string own_place(int) { return environment::text("CATENA_RENDEZVOUS").value_or(""); }

constexpr const char* always = "";

/// The known launchers. One that another may have been started by stands before it.
constexpr Launcher launchers[] = {
    {.name = "catena",
     .title = "Catena's own variables",
     .mark = nullptr,
     .rank = "CATENA_RANK",
     .size = "CATENA_SIZE",
     .place = own_place,
     .is_program = false},
    {.name = "torchrun",
     .title = "torchrun",
     .mark = "TORCHELASTIC_RUN_ID",
     .rank = "RANK",
     .size = "WORLD_SIZE",
     .local_rank = "LOCAL_RANK",
     .local_size = "LOCAL_WORLD_SIZE",
     .place = place_of_torch},
    {.name = "mpirun",
     .title = "mpirun of Open MPI",
     .mark = nullptr,
     .rank = "OMPI_COMM_WORLD_RANK",
     .size = "OMPI_COMM_WORLD_SIZE",
     .local_rank = "OMPI_COMM_WORLD_LOCAL_RANK",
     .local_size = "OMPI_COMM_WORLD_LOCAL_SIZE",
     .mpi_mark = always},
    {.name = "mpiexec",
     .title = "mpiexec of MPICH, or another that speaks PMI",
     .mark = nullptr,
     .rank = "PMI_RANK",
     .size = "PMI_SIZE",
     .local_rank = "MPI_LOCALRANKID",
     .local_size = "MPI_LOCALNRANKS",
     .mpi_mark = always},
    {.name = "environment",
     .title = "PyTorch's variables, set by hand or by an operator of Kubernetes",
     .mark = nullptr,
     .rank = "RANK",
     .size = "WORLD_SIZE",
     .local_rank = "LOCAL_RANK",
     .local_size = "LOCAL_WORLD_SIZE",
     .place = place_of_torch,
     .is_program = false},
    {.name = "srun",
     .title = "srun of Slurm",
     .mark = "SLURM_STEP_ID",  // A batch script has the others of the job, and is no rank.
     .rank = "SLURM_PROCID",
     .size = "SLURM_STEP_NUM_TASKS",
     .local_rank = "SLURM_LOCALID",
     .place = place_of_slurm,
     .mpi_mark = "PMIX_RANK"},
    {.name = "pmix",
     .title = "a launcher that speaks PMIx",
     .mark = nullptr,
     .rank = "PMIX_RANK",
     .size = nullptr,
     .mpi_mark = always},
};

bool is_by_hand_with_torch(const Launcher& l) { return l.place == place_of_torch && !l.mark; }

/// RANK and WORLD_SIZE are common words: each by itself means nothing.
bool is_there(const Launcher& l) {
    if (is_by_hand_with_torch(l))
        return is_set(l.rank) && (is_set(l.size) || is_set("MASTER_ADDR"));
    return is_set(l.mark ? l.mark : l.rank) || (!l.mark && l.size && is_set(l.size));
}

/// The variables that were read, as "A=1, B=2".
std::string values_of(std::span<const char* const> names) {
    std::vector<std::string> texts;
    for (const char* name : names)
        if (const auto value = name ? environment::text(name) : std::nullopt)
            texts.push_back(fmt::format("{}={}", name, *value));
    return fmt::format("{}", fmt::join(texts, ", "));
}

std::string ranks_said_by(const Launcher& l) {
    const char* names[] = {l.rank, l.size};
    return values_of(names);
}

Launched told_by(const Launcher& l) {
    for (const char* name : {l.rank, l.size})
        if (name && !is_set(name))
            fail<ValueError>(
                "create_communicator: {} is set, {} is not; both belong to {}. Set it, or "
                "CATENA_LAUNCHER=none for one process",
                name == l.rank ? (l.mark ? l.mark : l.size) : l.rank, name, l.title);
    Launched found{.launcher = l.name,
                   .rank = number_of(l.rank, 0),
                   .size = l.size ? number_of(l.size, 1) : 0};
    if (found.size > 0 && found.rank >= found.size)
        fail<ValueError>("create_communicator: {}: ranks count from 0 to {}", ranks_said_by(l),
                         found.size - 1);
    if (l.local_rank && is_set(l.local_rank)) found.local_rank = number_of(l.local_rank, 0);
    if (l.local_size && is_set(l.local_size)) found.local_size = number_of(l.local_size, 1);
    found.serves_mpi = l.mpi_mark && (!*l.mpi_mark || is_set(l.mpi_mark));
    found.is_place_given = is_set("CATENA_RENDEZVOUS");
    if (found.is_place_given)
        found.rendezvous = own_place(found.size);
    else if (l.place)
        found.rendezvous = l.place(found.size);
    const char* names[] = {l.mark, l.rank, l.size, l.local_rank, l.local_size, "CATENA_RENDEZVOUS"};
    found.why = fmt::format("{} ({})", l.title, values_of(names));
    return found;
}

/// Two that tell different numbers, and neither started the other: nobody can know which is right.
void check_against(const Launcher& first, const Launched& found) {
    for (const Launcher& other : launchers) {
        if (&other <= &first || !is_there(other) || !other.size) continue;
        if (first.is_program && other.is_program) continue;
        // torchrun's are the same variables.
        if (first.mark && std::string_view(other.rank) == first.rank) continue;
        const Launched theirs = told_by(other);
        if (theirs.rank == found.rank && theirs.size == found.size) continue;
        fail<ValueError>(
            "create_communicator: {} contradicts {}; unset one of them, or set CATENA_LAUNCHER to "
            "'{}' or '{}'",
            ranks_said_by(first), ranks_said_by(other), first.name, other.name);
    }
}

Launched alone(std::string why) { return {.why = std::move(why)}; }

Launched chosen_by_name(const std::string& name) {
    if (name == "none") return alone("CATENA_LAUNCHER is none");
    const Launcher& l =
        *std::ranges::find_if(launchers, [&](const Launcher& each) { return name == each.name; });
    if (!is_there(l) && !is_set(l.rank))
        fail<ValueError>("create_communicator: CATENA_LAUNCHER is {}, but {} is not set", name,
                         l.mark ? l.mark : l.rank);
    return told_by(l);
}

/// Variables that would be a launcher's if there were more of them.
void check_half_set() {
    if (is_set("CATENA_RENDEZVOUS"))
        fail<ValueError>(
            "create_communicator: CATENA_RENDEZVOUS is set, CATENA_RANK and CATENA_SIZE are not; "
            "set them, or start the ranks by a launcher that sets its own");
    if (is_set("WORLD_SIZE") && environment::text("WORLD_SIZE") != "1" && is_set("MASTER_ADDR"))
        fail<ValueError>(
            "create_communicator: WORLD_SIZE and MASTER_ADDR are set, RANK is not; set it, or "
            "CATENA_LAUNCHER=none for one process");
}

}  // namespace

std::vector<std::string> launcher_names() {
    std::vector<std::string> names;
    for (const Launcher& l : launchers) names.push_back(l.name);
    names.push_back("none");
    return names;
}

Launched find_launched() {
    if (const auto name = environment::choice("CATENA_LAUNCHER", launcher_names()))
        return chosen_by_name(*name);
    for (const Launcher& l : launchers) {
        if (!is_there(l)) continue;
        Launched found = told_by(l);
        if (l.place == own_place && found.rendezvous.empty() && found.size > 1)
            fail<ValueError>(
                "create_communicator: CATENA_RANK and CATENA_SIZE are set, CATENA_RENDEZVOUS is "
                "not; set it to tcp://HOST:PORT or file:///FOLDER/NAME");
        check_against(l, found);
        return found;
    }
    check_half_set();
    return alone("no variable of a launcher is set");
}

std::string first_host(const std::string& list) {
    std::string host;
    for (size_t at = 0; at < list.size() && list[at] != ',';) {
        if (list[at] != '[') {
            host += list[at++];
            continue;
        }
        const size_t end = list.find(']', at), first_end = list.find_first_of(",-]", at);
        if (end == list.npos || first_end == at + 1)
            fail<ValueError>("'{}' is not a list of hosts as Slurm writes it, such as a[1-3],b7",
                             list);
        host += list.substr(at + 1, first_end - at - 1);
        at = end + 1;
    }
    if (host.empty())
        fail<ValueError>("'{}' is not a list of hosts as Slurm writes it, such as a[1-3],b7", list);
    return host;
}

}  // namespace catena
