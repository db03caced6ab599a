#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/comm/collectives/communication_error.h"
#include "runtime/comm/collectives/message.h"
#include "runtime/comm/collectives/reduction.h"
#include "runtime/comm/communicator_statistics.h"
#include "runtime/core/array/array.h"
#include "runtime/core/memory/owned.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/variable/variable.h"

namespace catena {

struct Block;
class Collectives;
struct CommunicatorBackground;
struct CommunicatorEnvelope;
struct CommunicatorMeeting;
struct CommunicatorTerms;

/// A group of processes (or threads) that know each other by rank. Every rank makes the same calls
/// in the same order; call, root, reduction, label, dtype and shape are compared at every call
/// before data is sent; a mismatch is a CommunicationError, ShapeError or DtypeError that names the
/// ranks. See sums() for the order of additions.
///
/// Arrays may be on any device; they are sent through the host unless the implementation avoids it:
/// where all arrays given to a call are on the GPUs of pure_nccl, it moves them between these, and
/// its results are there. Else results are on the host, those of allreduce beside its argument.
/// A call that another rank does not join within CATENA_COMM_TIMEOUT seconds (600) fails and names
/// the rank for which it waits, which may itself be waiting. After a transfer that failed the ranks
/// do not agree any more on what has been sent: every later call of this communicator fails, too,
/// and quotes that error. Arguments that are refused before anything is sent, and calls that do not
/// match, leave it usable.
class Communicator {
public:
    virtual ~Communicator();
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;

    /// The communicator's kind: "local", "mpi", "nccl".
    virtual std::string name() const = 0;
    /// This process's number, from 0.
    int rank() const { return rank_; }
    /// The number of processes.
    int size() const { return size_; }
    /// This rank's number among the ranks of its machine.
    int intra_rank() const { return intra_rank_; }
    /// The number of ranks on this machine.
    int intra_size() const { return intra_size_; }
    /// The index of this rank's machine.
    int inter_rank() const { return inter_rank_; }
    /// The number of machines.
    int inter_size() const { return inter_size_; }

    /// A new group of the ranks that give the same color, ordered by key, then rank, with what
    /// set_sums() has set. Null for a negative color.
    std::shared_ptr<Communicator> split(int color, int key);

    /// The order of sums: what set_sums() has set, else rank_order up to 16 ranks and engine for
    /// more; with NCCL it is engine, NCCL's order, for any number.
    Sums sums() const;
    /// Sets the order of sums, on all ranks alike (it is compared at every sum) and while none is
    /// on its way; nullopt: as the number of ranks says.
    void set_sums(std::optional<Sums> sums);

    /// Sends x to rank `dest`; returns when it has been received.
    void send(const Array& x, int dest, int tag = 0);
    /// The array that rank `source` sends, on the host; waits for it.
    Array recv(int source, int tag = 0);
    /// The type of the array that the next recv(source, tag) returns; waits for the message.
    Type type_of_recv(int source, int tag = 0);

    /// Root's x, on every rank; only root's x is read.
    Array bcast(const Array& x, int root = 0);
    /// The type of the array of the next bcast or scatter; called on ranks other than its root.
    Type type_of_bcast(int root = 0);
    /// The type of the array of the next scatter; called on ranks other than its root.
    Type type_of_scatter(int root = 0);
    /// The x of every rank, at root; empty elsewhere. Shapes may differ, dtypes not.
    std::vector<Array> gather(const Array& x, int root = 0);
    /// The x of every rank, on every rank. All must have one type.
    std::vector<Array> allgather(const Array& x);
    /// Sends xs[i] to rank i; result[i] comes from rank i.
    std::vector<Array> alltoall(std::span<const Array> xs);
    /// Root's xs[i], on rank i.
    Array scatter(std::span<const Array> xs, int root = 0);
    /// The sum or mean of x over all ranks, on every rank. All must have one type.
    Array allreduce(const Array& x, Reduction reduction = Reduction::sum);
    /// The sum of xs[i] over all ranks, on rank i.
    Array reduce_scatter(std::span<const Array> xs, Reduction reduction = Reduction::sum);
    /// Returns when all ranks have called it.
    void barrier();

    /// `label` (up to 47 characters) says what the bytes are; it must be equal on all ranks.
    void send_bytes(std::string_view bytes, int dest, int tag = 0, std::string_view label = {});
    /// The bytes that rank `source` sends; waits for them.
    std::string recv_bytes(int source, int tag = 0, std::string_view label = {});
    /// Root's bytes, on every rank; only root's are read.
    std::string bcast_bytes(std::string_view bytes, int root = 0, std::string_view label = {});
    /// The bytes of every rank, on every rank, in the order of the ranks.
    std::vector<std::string> allgather_bytes(std::string_view bytes, std::string_view label = {});

    /// Host memory for start_allreduce that needs the fewest copies.
    virtual Array transfer_buffer(const Type& type);
    /// Memory on `device` for start_allreduce if the communicator can send from there, else host
    /// memory.
    Array transfer_buffer(const Type& type, Device& device);
    /// Begins an all-reduce of `buffer` (contiguous, on the host or where transfer_buffer() gave
    /// it) in place, in the background, and returns its ticket. Later calls have their turn behind
    /// it; on GPUs several all-reduces are on their way at a time.
    /// `label` identifies the content; it must be equal on all ranks.
    int64_t start_allreduce(Array buffer, Reduction reduction, int64_t label = 0);
    /// Begins a reduce-scatter in the background: `buffer` (contiguous, 1-d, on the host) has a
    /// block for every rank, all of one size, one after the other. The ticket stands for the sum or
    /// mean of this rank's block.
    int64_t start_reduce_scatter(Array buffer, Reduction reduction, int64_t label = 0);
    /// Begins an all-gather in place, in the background: `buffer` (contiguous, 1-d, on the host)
    /// has a block of every rank, all of one size, one after the other, of which this rank has
    /// filled its own.
    int64_t start_allgather(Array buffer, int64_t label = 0);
    /// Waits for what a ticket of start_allreduce(), start_reduce_scatter() or start_allgather()
    /// stands for. Call it once per ticket.
    Array wait_started(int64_t ticket);
    /// Counters since the communicator was made.
    CommunicatorStatistics statistics() const;

    /// Stores a setting that others look up by name, as ChainerMN's set_config.
    void set_config(const std::string& name, const std::string& value = "1");
    /// The setting of that name; "" when it was not set.
    const std::string& get_config(const std::string& name) const;

    /// Finishes background work and leaves the group. Later calls are errors.
    void finalize();
    /// Ends all ranks with this exit status (threads: fails their calls), naming this one.
    [[noreturn]] virtual void abort(int status, const std::string& reason) = 0;

    /// Identifies this communicator in traced operations; see communicator_of.
    int64_t id() const { return id_; }
    /// A state that every traced collective of this communicator reads and assigns: it orders
    /// them.
    const Variable& order() const { return order_; }

    using Message = CommunicatorMessage;

protected:
    Communicator(int rank, int size);
    /// Transfers all messages and returns when all are done. Messages between two ranks with one
    /// tag keep their order, and the sizes given by sender and receiver are equal. `tag` is at
    /// least 0, or -1 for collectives.
    virtual void transfer(const char* call, int tag, std::span<const Message> sends,
                          std::span<const Message> receives) = 0;
    /// Makes the group of split().
    virtual std::shared_ptr<Communicator> make_group(int color, int key) = 0;
    /// What moves and adds the data of calls that all ranks make, in the host's memory: by default
    /// Catena's own, over transfer().
    virtual Collectives& collectives();
    /// The device whose arrays collectives take where they are. The host: all go through it.
    virtual Device& near_device() const;
    /// As collectives(), for blocks on near_device(). There the blocks of all_gather, and the parts
    /// of reduce_scatter, lie one behind the other.
    virtual Collectives& near_collectives() { return collectives(); }
    /// Whether near_collectives() add such elements, in the order of sums(); else they are added on
    /// the host. Equal on all ranks.
    virtual bool adds_near([[maybe_unused]] Dtype dtype) const { return true; }
    /// The order of sums where set_sums() has set none.
    virtual Sums usual_sums() const;
    virtual void leave() {}
    /// Tells the other ranks that a transfer has failed; there will be no further one. `memory`
    /// owns what its messages point into; it is released after this call unless the implementation
    /// keeps it.
    virtual void break_off([[maybe_unused]] const std::string& reason,
                           [[maybe_unused]] const std::shared_ptr<void>& memory) {}
    /// The largest tag that messages may have.
    virtual int largest_tag() const;
    /// A rank that is known to have ended or left, else -1.
    virtual int lost_rank() { return -1; }
    /// Whether arrays of this device, the host or near_device(), need no copy to be sent.
    bool reaches(const Device& device) const;
    /// Called for every buffer that reduce_buffer() or reduce_scatter of near_collectives() will
    /// get (of these parts the first), by the thread that filled it.
    virtual void filled([[maybe_unused]] const Array& buffer) {}
    /// Sums the ranks' buffers (contiguous, of equal types) into all of them; by default by
    /// collectives() or near_collectives(), whose take_completion() then waits for the sums.
    virtual void reduce_buffer(const char* call, const Array& buffer, Reduction reduction);
    /// Waits for what near_collectives() have begun last.
    void complete();
    /// The background work of start_allreduce; by default compares the call on all ranks, then
    /// calls reduce_buffer.
    virtual void reduce_bucket(const char* call, const Array& buffer, Reduction reduction,
                               int64_t label);
    /// The background work of start_reduce_scatter, which returns this rank's block; by default
    /// compares the call on all ranks, then asks collectives().
    virtual Array scatter_bucket(const char* call, const Array& buffer, Reduction reduction,
                                 int64_t label);
    /// The background work of start_allgather; by default as scatter_bucket.
    virtual void gather_bucket(const char* call, const Array& buffer, int64_t label);
    /// The blocks of a buffer, one for each rank.
    std::vector<Block> blocks_of(const Array& buffer) const;
    /// Adds to the bytes that statistics() tells.
    void count(int64_t bytes);
    /// Counts the bytes of reduce_buffer when others read this rank's memory directly.
    void count_reduced(const Array& buffer);
    /// A transfer by another communicator, for implementations that wrap one.
    static void transfer_by(Communicator& other, const char* call, int tag,
                            std::span<const Message> sends, std::span<const Message> receives);
    /// The collectives of another communicator, for implementations that wrap one.
    static Collectives& collectives_of(Communicator& other) { return other.collectives(); }
    static int lost_rank_of(Communicator& other) { return other.lost_rank(); }
    static int largest_tag_of(const Communicator& other) { return other.largest_tag(); }
    static void break_off_by(Communicator& other, const std::string& reason,
                             const std::shared_ptr<void>& memory);
    /// The first error of a transfer; "" while there is none.
    std::string failure() const;
    void check_usable(const char* call) const;
    void find_neighbours_as(const Communicator& other);
    /// Finds the ranks on each machine; called once by every rank when transfer() works.
    void find_neighbours(const std::string& machine);
    /// Declares that all ranks are on one machine, without messages: for ranks of one process.
    void share_one_machine();
    /// Ends the background thread while transfer() still works; for destructors.
    void close();

private:
    /// The header of every message: the call and the type of the content.
    using Envelope = CommunicatorEnvelope;
    using Meeting = CommunicatorMeeting;
    /// Which arrays the ranks give to a call.
    enum class Gives : uint8_t {
        nothing,
        one,             ///< Each rank one, of any type.
        equal,           ///< Each rank one; all have one type.
        of_root,         ///< The root alone gives an array.
        of_root_to_all,  ///< Root one for each rank.
        all_to_all,      ///< Each rank one for each rank.
    };
    /// The facts about a call that must be equal on all ranks.
    struct Terms {
        const char* call;
        Gives gives = Gives::nothing;
        int root = -1;
        std::optional<Reduction> reduction = {};
        int64_t gradients = 0;  ///< The label of start_allreduce.
        std::string_view label = {};
    };
    using Background = CommunicatorBackground;
    Envelope envelope(const Terms& terms, const Type* type) const;

    template <class F>
    auto in_turn(const char* call, F&& f);
    /// x, contiguous and computed: where it is if collectives take it there, else on the host.
    Array within_reach(const Array& x) const;
    /// Where the arrays of a call are that all ranks have begun.
    Device& place_of(const Meeting& meeting) const;
    /// Calls f with the collectives for that place, counts the bytes that it returns and waits for
    /// its end. `memory` owns the blocks.
    template <class F, class... Memory>
    void collect(const Meeting& meeting, F&& f, Memory&... memory);
    /// Has `work` done in the background with `buffer`; its result is what the ticket stands for.
    int64_t in_background(const char* call, Array buffer,
                          std::function<Array(const Array& buffer)> work);
    /// What the background does for a ticket. Where the work has begun more than it has done,
    /// another thread waits for that (Collectives::take_completion()), and the next ticket has its
    /// turn.
    void run_in_background(int64_t ticket, const char* call,
                           const std::function<Array(const Array& buffer)>& work);
    /// Waits for what was begun; the error that it ended with, null if none.
    std::exception_ptr error_of_completion(
        const char* call, const std::function<void(const std::function<int()>&)>& wait);
    void finish_ticket(int64_t ticket, std::exception_ptr error);
    /// lost_rank() and give_up() on behalf of a thread that waits beside the calls, whose turn they
    /// take. The rank is that which was found the last time.
    int lost_rank_by_turn();
    void give_up_by_turn(const std::string& reason);
    /// Calls transfer(). If it fails, every later call fails, too. `memory` owns what the messages
    /// point into.
    template <class... Memory>
    void move(const char* call, int tag, std::span<const Message> sends,
              std::span<const Message> receives, Memory&... memory);
    template <class F, class... Memory>
    void or_break_off(F&& f, Memory&... memory);
    void give_up(const std::string& reason, const std::shared_ptr<void>& memory);
    void check_peer(const char* call, int rank) const;
    void check_message(const char* call, const char* verb, int peer, int tag) const;
    /// Compares the call on all ranks, to which this rank gives xs; says which arrays they give.
    Meeting meet(const Terms& terms, std::span<const Array> xs);
    /// Fails, on this rank as on all, because the ranks' envelopes differ: names the ranks.
    [[noreturn]] void name_difference(const Envelope& own, bool terms_differ);
    /// The types of the arrays that concern this rank, when they are not all equal.
    std::vector<Type> exchange_types(const Terms& terms, std::span<const Array> xs);
    void check_terms(const Envelope& own, const Envelope& theirs, int rank) const;
    Type type_from(const Terms& terms);
    /// ShapeError or DtypeError that names both ranks and types.
    [[noreturn]] void refuse_type(const char* call, const Type& own, int rank,
                                  const Type& theirs) const;
    void send_as(const Terms& terms, const Array& x, int dest, int tag);
    Array recv_as(const Terms& terms, int source, int tag);
    Array bcast_as(const Terms& terms, const Array& x);
    Envelope next_envelope(int source, int tag);
    std::vector<Array> all_gather_as(const Terms& terms, const Array& x);
    /// Sends xs[i] to rank i and returns what came from each rank.
    std::vector<Array> exchange(const Terms& terms, const Meeting& meeting,
                                std::span<const Array> xs);
    /// The parts of a reduce_scatter, one behind the other on near_device() if they are added
    /// there.
    std::vector<Array> parts_to_add(std::span<const Array> xs) const;
    Array reduce_scatter_equal(const Terms& terms, const Meeting& met, std::span<const Array> xs);
    Array reduce_scatter_others(const Terms& terms, const Meeting& met, std::span<const Array> xs);
    void reduce_in_place(const Terms& terms, const Array& buffer);
    void count(std::span<const Message> sends);

    int rank_, size_;
    int intra_rank_ = 0, intra_size_ = 1, inter_rank_ = 0, inter_size_ = 1;
    int64_t id_;
    Variable order_;
    int64_t sequence_ = 0;  ///< Number of collectives so far; equal on all ranks.
    bool finalized_ = false;
    std::map<std::string, std::string> config_;
    Owned<Background> background_;
};

/// The communicator of this process with that id; CommunicationError when it is gone.
Communicator& communicator_of(int64_t id);

/// The communicator that `who` was given; ValueError for null.
std::shared_ptr<Communicator> given(std::shared_ptr<Communicator> communicator,
                                    std::string_view who);

}  // namespace catena
