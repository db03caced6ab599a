// Sums over the ranks, in the caller's turn and in the background.
#include <chrono>
#include <mutex>

#include "runtime/comm/communicator_turns.h"
#include "runtime/comm/collectives/reduce.h"

namespace catena {
namespace {

using SumClock = std::chrono::steady_clock;
double seconds_since(SumClock::time_point start) {
    return std::chrono::duration<double>(SumClock::now() - start).count();
}

}  // namespace

Array Communicator::allreduce(const Array& x, Reduction reduction) {
    check_reducible("allreduce", defined("allreduce", x, rank_).dtype(), reduction);
    check_usable("allreduce");
    Device& place = reaches(x.device()) ? x.device() : cpu_device();
    Array y = Array::empty(x.type(), place);
    copy_elements(x.to(place), y);
    filled(y);
    in_turn("allreduce", [&] {
        reduce_in_place({.call = "allreduce", .gives = Gives::equal, .reduction = reduction}, y);
    });
    return y.to(x.device());
}

void Communicator::reduce_in_place(const Terms& terms, const Array& buffer) {
    meet(terms, {&buffer, 1});
    or_break_off([&] { reduce_buffer(terms.call, buffer, *terms.reduction); });
}

void Communicator::reduce_bucket(const char* call, const Array& buffer, Reduction reduction,
                                 int64_t label) {
    reduce_in_place(
        {.call = call, .gives = Gives::equal, .reduction = reduction, .gradients = label}, buffer);
}

void Communicator::reduce_buffer(const char* call, const Array& buffer, Reduction reduction) {
    Array kept = buffer;
    or_break_off(
        [&] {
            count(collectives().all_reduce(call, buffer.dtype(), buffer.raw_data(), buffer.size(),
                                           reduction, sums()));
        },
        kept);
}

void Communicator::count_reduced(const Array& buffer) {
    const int64_t all = buffer.size(), width = int64_t(size_of(buffer.dtype()));
    const int64_t own = all * (rank_ + 1) / size_ - all * rank_ / size_;
    count((all - own + own * (size_ - 1)) * width);
}

bool Communicator::reaches(const Device& device) const { return device.is_host(); }

Array Communicator::transfer_buffer(const Type& type) { return Array::empty(type, cpu_device()); }

Array Communicator::transfer_buffer(const Type& type, Device& device) {
    return reaches(device) && !device.is_host() ? Array::empty(type, device)
                                                : transfer_buffer(type);
}

Array Communicator::reduce_scatter(std::span<const Array> xs, Reduction reduction) {
    if (int(xs.size()) != size_)
        fail<ValueError>("reduce_scatter: {} arrays for {} ranks", xs.size(), size_);
    std::vector<Array> data;
    for (const Array& x : xs) {
        check_reducible("reduce_scatter", defined("reduce_scatter", x, rank_).dtype(), reduction);
        data.push_back(on_host(x));
    }
    const Terms terms{.call = "reduce_scatter", .gives = Gives::all_to_all, .reduction = reduction};
    return in_turn("reduce_scatter", [&] {
        const Meeting met = meet(terms, data);
        return met.types.empty() ? reduce_scatter_equal(terms, data)
                                 : reduce_scatter_others(terms, met, data);
    });
}

/// Arrays that have one type, on all ranks.
Array Communicator::reduce_scatter_equal(const Terms& terms, std::span<const Array> xs) {
    Array y = Array::empty(xs[0].type(), cpu_device());
    std::vector<Block> parts;
    for (const Array& x : xs)
        parts.push_back({const_cast<void*>(x.elements()), byte_count(x.type())});
    std::vector<Array> kept(xs.begin(), xs.end());
    kept.push_back(y);
    or_break_off(
        [&] {
            count(collectives().reduce_scatter(terms.call, y.dtype(), parts,
                                               {y.raw_data(), parts[0].bytes}, *terms.reduction,
                                               sums()));
        },
        kept);
    return y;
}

/// Arrays of several types. Those for one rank may differ, which is an error on that rank alone: so
/// all send theirs first.
Array Communicator::reduce_scatter_others(const Terms& terms, const Meeting& met,
                                          std::span<const Array> xs) {
    const std::vector<Array> pieces = exchange(terms, met, xs);
    std::vector<const void*> parts;
    for (int r = 0; r < size_; ++r) {
        const Array &p = pieces[size_t(r)], &own = pieces[size_t(rank_)];
        if (!(p.type() == own.type()))
            fail<ShapeError>("reduce_scatter: rank {} gives {}, rank {} gives {}", rank_,
                             to_string(own.type()), r, to_string(p.type()));
        parts.push_back(p.elements());
    }
    Array y = Array::empty(pieces[0].type(), cpu_device());
    reduce_parts(terms.call, y.dtype(), parts, y.raw_data(), y.size(), *terms.reduction);
    return y;
}

//---- in the background

int64_t Communicator::start_allreduce(Array buffer, Reduction reduction, int64_t label) {
    check_usable("allreduce");
    check_reducible("allreduce", defined("allreduce", buffer, rank_).dtype(), reduction);
    CATENA_ASSERT(buffer.contiguous() && reaches(buffer.device()),
                  "an all-reduce in place needs a plain array on the host or of transfer_buffer()");
    filled(buffer);
    Background& b = *background_;
    if (!b.thread) b.thread = std::make_unique<BackgroundThread>();
    int64_t ticket;
    {
        std::lock_guard lock(b.mutex);
        ticket = ++b.tickets;
        b.requests[ticket].buffer = std::move(buffer);
    }
    b.thread->post([this, &b, ticket, reduction, label] {
        SumClock::time_point start = SumClock::now();
        Array data;
        {
            std::lock_guard lock(b.mutex);
            data = b.requests[ticket].buffer;
        }
        std::exception_ptr error;
        try {
            check_usable("allreduce");  // Work ahead of it may have failed.
            reduce_bucket("allreduce", data, reduction, label);
        } catch (...) {
            error = std::current_exception();
        }
        data = Array();  // The caller then has the only reference.
        std::lock_guard lock(b.mutex);
        b.requests[ticket].done = true;
        b.requests[ticket].error = error;
        b.statistics.background_seconds += seconds_since(start);
        b.done.notify_all();
    });
    return ticket;
}

Array Communicator::wait_allreduce(int64_t ticket) {
    const WithoutHostLock others_may_run;
    Background& b = *background_;
    std::unique_lock lock(b.mutex);
    auto found = b.requests.find(ticket);
    if (found == b.requests.end())
        fail<CommunicationError>("allreduce: no background transfer has the ticket {}", ticket);
    SumClock::time_point start = SumClock::now();
    b.done.wait(lock, [&] { return found->second.done; });
    b.statistics.waited_seconds += seconds_since(start);
    auto request = std::move(found->second);
    b.requests.erase(found);
    if (request.error) std::rethrow_exception(request.error);
    return std::move(request.buffer);
}

}  // namespace catena
