// Calls of all ranks in the background, for which a ticket stands.
#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <utility>

#include "runtime/comm/collectives/reduce.h"
#include "runtime/comm/communicator_turns.h"

namespace catena {
namespace {

using BackgroundClock = CommunicatorBackground::Clock;

double seconds_since(BackgroundClock::time_point start) {
    return std::chrono::duration<double>(BackgroundClock::now() - start).count();
}

/// A buffer of blocks for or of all ranks.
void check_blocks(const char* call, const Array& buffer, int ranks) {
    CATENA_ASSERT(buffer.contiguous() && buffer.rank() == 1 && buffer.device().is_host(),
                  "blocks of all ranks need a plain 1-d array on the host");
    if (buffer.size() % ranks != 0)
        fail<ValueError>("{}: {} elements cannot be divided into equal blocks for {} ranks", call,
                         buffer.size(), ranks);
}

}  // namespace

int64_t Communicator::in_background(const char* call, Array buffer,
                                    std::function<Array(const Array&)> work) {
    Background& b = *background_;
    if (!b.thread) b.thread = std::make_unique<BackgroundThread>();
    if (!b.completions && !buffer.device().is_host())
        b.completions = std::make_unique<BackgroundThread>();
    int64_t ticket;
    {
        std::lock_guard lock(b.mutex);
        ticket = ++b.tickets;
        b.requests[ticket].buffer = std::move(buffer);
    }
    b.thread->post(
        [this, ticket, call, work = std::move(work)] { run_in_background(ticket, call, work); });
    return ticket;
}

void Communicator::run_in_background(int64_t ticket, const char* call,
                                     const std::function<Array(const Array&)>& work) {
    Background& b = *background_;
    Array data;
    {
        std::lock_guard lock(b.mutex);
        Background::Request& request = b.requests[ticket];
        request.begun = BackgroundClock::now();
        data = std::move(request.buffer);
    }
    Collectives::Completion wait;
    std::exception_ptr error;
    try {
        check_usable(call);  // Work ahead of it may have failed.
        data = work(data);
        wait = near_collectives().take_completion();
    } catch (...) {
        error = std::current_exception();
    }
    {
        std::lock_guard lock(b.mutex);
        b.requests[ticket].buffer = std::move(data);  // The caller then has the only reference.
    }
    if (error || !wait) return finish_ticket(ticket, std::move(error));
    b.completions->post([this, ticket, call, wait = std::move(wait)] {
        finish_ticket(ticket, error_of_completion(call, wait));
    });
}

std::exception_ptr Communicator::error_of_completion(
    const char* call, const std::function<void(const std::function<int()>&)>& wait) {
    try {
        check_usable(call);
        wait([this] { return lost_rank_by_turn(); });
        return nullptr;
    } catch (const std::exception& reason) {
        std::exception_ptr error = std::current_exception();
        try {
            check_usable(call);
        } catch (...) {  // An earlier error has ended this, too.
            error = std::current_exception();
        }
        give_up_by_turn(reason.what());
        return error;
    }
}

void Communicator::finish_ticket(int64_t ticket, std::exception_ptr error) {
    Background& b = *background_;
    std::lock_guard lock(b.mutex);
    Background::Request& request = b.requests[ticket];
    request.done = true;
    request.error = std::move(error);
    b.statistics.background_seconds += seconds_since(std::max(request.begun, b.last_done));
    b.last_done = BackgroundClock::now();
    b.done.notify_all();
}

int Communicator::lost_rank_by_turn() {
    Background& b = *background_;
    std::lock_guard lock(b.mutex);
    if (!std::exchange(b.asks_for_lost_rank, true))
        b.thread->post([this, &b] {
            int lost = -1;
            try {
                lost = lost_rank();
            } catch (const std::exception&) {  // The next call meets it, too.
            }
            std::lock_guard answers(b.mutex);
            b.lost_rank = lost;
            b.asks_for_lost_rank = false;
        });
    return b.lost_rank;
}

void Communicator::give_up_by_turn(const std::string& reason) {
    Background& b = *background_;
    {
        std::lock_guard lock(b.mutex);
        if (b.failure.empty()) b.failure = reason;
    }
    b.thread->post([this, reason] { give_up(reason, nullptr); });
}

int64_t Communicator::start_allreduce(Array buffer, Reduction reduction, int64_t label) {
    constexpr const char* call = "allreduce";
    check_usable(call);
    check_reducible(call, defined(call, buffer, rank_).dtype(), reduction);
    CATENA_ASSERT(buffer.contiguous() && reaches(buffer.device()),
                  "an all-reduce in place needs a plain array on the host or of transfer_buffer()");
    filled(buffer);
    return in_background(call, std::move(buffer), [=, this](const Array& data) {
        reduce_bucket(call, data, reduction, label);
        return data;
    });
}

int64_t Communicator::start_reduce_scatter(Array buffer, Reduction reduction, int64_t label) {
    constexpr const char* call = "reduce_scatter";
    check_usable(call);
    check_reducible(call, defined(call, buffer, rank_).dtype(), reduction);
    check_blocks(call, buffer, size_);
    return in_background(call, std::move(buffer), [=, this](const Array& data) {
        return scatter_bucket(call, data, reduction, label);
    });
}

int64_t Communicator::start_allgather(Array buffer, int64_t label) {
    constexpr const char* call = "allgather";
    check_usable(call);
    check_blocks(call, defined(call, buffer, rank_), size_);
    return in_background(call, std::move(buffer), [=, this](const Array& data) {
        gather_bucket(call, data, label);
        return data;
    });
}

Array Communicator::wait_started(int64_t ticket) {
    const WithoutHostLock others_may_run;
    Background& b = *background_;
    std::unique_lock lock(b.mutex);
    auto found = b.requests.find(ticket);
    if (found == b.requests.end())
        fail<CommunicationError>("no background transfer has the ticket {}", ticket);
    const BackgroundClock::time_point start = BackgroundClock::now();
    b.done.wait(lock, [&] { return found->second.done; });
    b.statistics.waited_seconds += seconds_since(start);
    auto request = std::move(found->second);
    b.requests.erase(found);
    if (request.error) std::rethrow_exception(request.error);
    return std::move(request.buffer);
}

//---- what is done there

void Communicator::reduce_bucket(const char* call, const Array& buffer, Reduction reduction,
                                 int64_t label) {
    reduce_in_place(
        {.call = call, .gives = Gives::equal, .reduction = reduction, .gradients = label}, buffer);
}

std::vector<Block> Communicator::blocks_of(const Array& buffer) const {
    const size_t bytes = size_t(byte_count(buffer.type())) / size_t(size_);
    std::vector<Block> blocks;
    for (int r = 0; r < size_; ++r)
        blocks.push_back({static_cast<char*>(buffer.raw_data()) + bytes * size_t(r), bytes});
    return blocks;
}

Array Communicator::scatter_bucket(const char* call, const Array& buffer, Reduction reduction,
                                   int64_t label) {
    meet({.call = call, .gives = Gives::equal, .reduction = reduction, .gradients = label},
         {&buffer, 1});
    const std::vector<Block> parts = blocks_of(buffer);
    Array result = Array::empty({buffer.dtype(), {buffer.size() / size_}}, cpu_device()),
          kept = buffer, kept_result = result;
    or_break_off(
        [&] {
            count(collectives().reduce_scatter(call, buffer.dtype(), parts,
                                               {result.raw_data(), parts[0].bytes}, reduction,
                                               sums()));
        },
        kept, kept_result);
    return result;
}

void Communicator::gather_bucket(const char* call, const Array& buffer, int64_t label) {
    meet({.call = call, .gives = Gives::equal, .gradients = label}, {&buffer, 1});
    const std::vector<Block> blocks = blocks_of(buffer);
    Array kept = buffer;
    or_break_off([&] { count(collectives().all_gather(call, blocks)); }, kept);
}

}  // namespace catena
