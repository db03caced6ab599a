#include "runtime/comm/communicator.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <future>
#include <mutex>

#include "runtime/comm/background.h"
#include "runtime/comm/reduce.h"
#include "runtime/core/device.h"
#include "runtime/core/environment.h"
#include "runtime/graph/recorder.h"

namespace catena {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Directory {
    std::mutex mutex;
    std::map<int64_t, Communicator*> members;
    int64_t next = 0;
};
Directory& directory() {
    static Directory* all = new Directory;  // Communicators may outlive other statics.
    return *all;
}

Variable order_state() {
    RecorderScope unseen(nullptr);
    DeviceScope host(cpu_device());
    Variable state(Array::scalar<int64_t>(0), false);
    state.body()->is_state = true;
    state.set_array(state.array());
    state.set_name("communicator_order");
    return state;
}

Array on_host(const Array& x) { return x.to(cpu_device()).as_contiguous(); }

size_t bytes_of(const Type& type) {
    return size_t(element_count(type.shape)) * size_of(type.dtype);
}

Array as_array(std::string_view bytes) {
    Array array = Array::empty({Dtype::uint8, {int64_t(bytes.size())}}, cpu_device());
    if (!bytes.empty()) std::memcpy(array.to_fill(), bytes.data(), bytes.size());
    return array;
}
std::string as_bytes(const Array& array) {
    return array.size()
               ? std::string(static_cast<const char*>(array.elements()), size_t(array.size()))
               : "";
}

}  // namespace

double communication_timeout() {
    return environment::positive_number("CATENA_COMM_TIMEOUT").value_or(600);
}

Communicator& communicator_of(int64_t id) {
    Directory& all = directory();
    std::lock_guard lock(all.mutex);
    auto found = all.members.find(id);
    if (found == all.members.end())
        fail<CommunicationError>("the communicator {} of this program does not exist any more", id);
    return *found->second;
}

/// The thread for background transfers, and its tickets.
struct Communicator::Background {
    struct Request {
        Array buffer;
        bool done = false;
        std::exception_ptr error;
    };
    std::mutex mutex;
    std::condition_variable done;
    std::map<int64_t, Request> requests;
    int64_t tickets = 0;
    CommunicatorStatistics statistics;
    std::unique_ptr<BackgroundThread>
        thread;  ///< Made at the first transfer in the background; goes first.
};

Communicator::Communicator(int rank, int size)
    : rank_(rank), size_(size), order_(order_state()), background_(std::make_unique<Background>()) {
    Directory& all = directory();
    std::lock_guard lock(all.mutex);
    id_ = all.next++;
    all.members[id_] = this;
}

Communicator::~Communicator() {
    Directory& all = directory();
    std::lock_guard lock(all.mutex);
    all.members.erase(id_);
}

void Communicator::close() { background_->thread.reset(); }

void Communicator::finalize() {
    if (finalized_) return;
    close();
    finalized_ = true;
    leave();
}

const std::string& Communicator::get_config(const std::string& name) const {
    static const std::string none;
    auto found = config_.find(name);
    return found == config_.end() ? none : found->second;
}

CommunicatorStatistics Communicator::statistics() const {
    std::lock_guard lock(background_->mutex);
    return background_->statistics;
}

/// Runs `f` on this thread, or after the background work.
template <class F>
auto Communicator::in_turn(const char* call, F&& f) {
    if (finalized_) fail<CommunicationError>("{}: the communicator has been finalized", call);
    BackgroundThread* thread = background_->thread.get();
    if (!thread || thread->is_this_thread()) return f();
    std::packaged_task<decltype(f())()> task(std::forward<F>(f));
    auto result = task.get_future();
    SourceLoc at = current_location();
    thread->post([&] {
        LocationScope location(at);
        task();
    });
    return result.get();
}

void Communicator::count(std::span<const Message> sends) {
    int64_t bytes = 0;
    for (const Message& m : sends) bytes += int64_t(m.bytes);
    count(bytes);
}

void Communicator::count(int64_t bytes) {
    bool background = background_->thread && background_->thread->is_this_thread();
    std::lock_guard lock(background_->mutex);
    background_->statistics.bytes_sent += bytes;
    if (background) background_->statistics.background_bytes += bytes;
}

void Communicator::check_peer(const char* call, int rank) const {
    if (rank < 0 || rank >= size_)
        fail<ValueError>("{}: there is no rank {}; there are 0 to {}", call, rank, size_ - 1);
}

Communicator::Envelope Communicator::envelope(const char* call, const Type* type) {
    Envelope e;
    std::strncpy(e.call, call, sizeof e.call - 1);
    if (!type) return e;
    e.empty = false;
    e.dtype = type->dtype;
    e.rank = uint8_t(type->shape.rank());
    std::copy(type->shape.begin(), type->shape.end(), e.dims);
    return e;
}

//---- one message

void Communicator::send(const Array& x, int dest, int tag) {
    check_peer("send", dest);
    if (dest == rank_) fail<ValueError>("send: rank {} sends to itself", dest);
    if (tag < 0) fail<ValueError>("send: the tag must not be negative, it is {}", tag);
    Array data = on_host(x);
    in_turn("send", [&] {
        Envelope e = envelope("send", &data.type());
        const Message messages[] = {{dest, &e, sizeof e},
                                    {dest, data.raw_data(), bytes_of(data.type())}};
        transfer("send", tag, messages, {});
        count(std::span(messages).subspan(1));
    });
}

Communicator::Envelope Communicator::next_envelope(int source, int tag) {
    if (auto found = opened_.find({source, tag}); found != opened_.end()) {
        Envelope e = found->second;
        opened_.erase(found);
        return e;
    }
    Envelope e;
    const Message message{source, &e, sizeof e};
    transfer("recv", tag, {}, std::span(&message, 1));
    return e;
}

Array Communicator::recv(int source, int tag) {
    check_peer("recv", source);
    if (source == rank_) fail<ValueError>("recv: rank {} receives from itself", source);
    if (tag < 0) fail<ValueError>("recv: the tag must not be negative, it is {}", tag);
    return in_turn("recv", [&] {
        Array x = Array::empty(next_envelope(source, tag).type(), cpu_device());
        const Message message{source, x.raw_data(), bytes_of(x.type())};
        transfer("recv", tag, {}, std::span(&message, 1));
        return x;
    });
}

Type Communicator::type_of_recv(int source, int tag) {
    check_peer("recv", source);
    return in_turn("recv", [&] {
        Envelope e = next_envelope(source, tag);
        opened_[{source, tag}] = e;
        return e.type();
    });
}

//---- collectives

std::vector<Communicator::Envelope> Communicator::meet(const char* call, int root,
                                                       std::span<const Array> xs, int64_t label) {
    if (!met_early_.empty()) return std::exchange(met_early_, {});
    std::vector<Envelope> mine, theirs(static_cast<size_t>(size_));
    for (int r = 0; r < size_; ++r) {
        const Type* type =
            r < int(xs.size()) && xs[size_t(r)].defined() ? &xs[size_t(r)].type() : nullptr;
        mine.push_back(envelope(call, type));
        mine.back().sequence = sequence_;
        mine.back().root = root;
        mine.back().label = label;
    }
    std::vector<Message> sends, receives;
    for (int r = 0; r < size_; ++r) {
        if (r == rank_) continue;
        sends.push_back({r, &mine[size_t(r)], sizeof(Envelope)});
        receives.push_back({r, &theirs[size_t(r)], sizeof(Envelope)});
    }
    theirs[size_t(rank_)] = mine[size_t(rank_)];
    transfer(call, -1, sends, receives);
    ++sequence_;
    for (int r = 0; r < size_; ++r) {
        const Envelope &e = theirs[size_t(r)], &own = mine[size_t(r)];
        if (std::strcmp(e.call, own.call) != 0 || e.sequence != own.sequence)
            fail<CommunicationError>(
                "{} of rank {} (collective {}) meets {} of rank {} (collective {}); all ranks "
                "must make the same calls in the same order",
                call, rank_, own.sequence, e.call, r, e.sequence);
        if (e.root != root)
            fail<CommunicationError>("{}: root is {} on rank {} and {} on rank {}", call, root,
                                     rank_, e.root, r);
        if (e.label != label)
            fail<CommunicationError>(
                "{}: rank {} and rank {} send different gradients in collective {}; their graphs "
                "differ (MultiNodeOptimizerOptions::overlap = false sends in a fixed order)",
                call, rank_, r, own.sequence);
    }
    return theirs;
}

void Communicator::expect_same_type(const char* call, std::span<const Envelope> envelopes,
                                    const Type& own) const {
    for (int r = 0; r < int(envelopes.size()); ++r) {
        Type type = envelopes[size_t(r)].type();
        if (envelopes[size_t(r)].empty || type == own) continue;
        auto text = fmt::format("{}: rank {} gives {}, rank {} gives {}", call, rank_,
                                to_string(own), r, to_string(type));
        if (type.dtype != own.dtype) throw DtypeError(text);
        throw ShapeError(text);
    }
}

std::vector<Array> Communicator::exchange(const char* call, int root, std::span<const Array> xs,
                                          bool same_type) {
    std::vector<Array> data(static_cast<size_t>(size_));
    for (size_t r = 0; r < xs.size(); ++r)
        if (xs[r].defined()) data[r] = on_host(xs[r]);
    return in_turn(call, [&] {
        std::vector<Envelope> envelopes = meet(call, root, data);
        if (same_type)
            for (const Array& x : data)
                if (x.defined()) expect_same_type(call, envelopes, x.type());
        std::vector<Array> results(static_cast<size_t>(size_));
        std::vector<Message> sends, receives;
        for (int r = 0; r < size_; ++r) {
            const Array& x = data[size_t(r)];
            Array& y = results[size_t(r)];
            if (r == rank_) {
                y = x;
                continue;
            }
            if (x.defined()) sends.push_back({r, x.raw_data(), bytes_of(x.type())});
            const Envelope& e = envelopes[size_t(r)];
            if (e.empty) continue;
            y = Array::empty(e.type(), cpu_device());
            receives.push_back({r, y.raw_data(), bytes_of(y.type())});
        }
        transfer(call, -1, sends, receives);
        count(sends);
        return results;
    });
}

Type Communicator::type_from(const char* call, int root) {
    check_peer(call, root);
    return in_turn(call, [&] {
        if (met_early_.empty()) met_early_ = meet(call, root, {});
        return met_early_[size_t(root)].type();
    });
}

Type Communicator::type_of_bcast(int root) { return type_from("bcast", root); }
Type Communicator::type_of_scatter(int root) { return type_from("scatter", root); }

Array Communicator::bcast(const Array& x, int root) {
    check_peer("bcast", root);
    std::vector<Array> xs;
    if (rank_ == root) {
        if (!x.defined()) fail<ValueError>("bcast: the root (rank {}) gives no array", root);
        xs.assign(size_t(size_), x);
    }
    return exchange("bcast", root, xs, false)[size_t(root)];
}

std::vector<Array> Communicator::gather(const Array& x, int root) {
    check_peer("gather", root);
    std::vector<Array> xs(static_cast<size_t>(size_));
    xs[size_t(root)] = x;
    std::vector<Array> ys = exchange("gather", root, xs, false);
    if (rank_ != root) return {};
    for (int r = 0; r < size_; ++r)
        if (ys[size_t(r)].dtype() != x.dtype())
            fail<DtypeError>("gather: rank {} gives {}, rank {} gives {}", rank_,
                             to_string(x.type()), r, to_string(ys[size_t(r)].type()));
    return ys;
}

std::vector<Array> Communicator::allgather(const Array& x) {
    return exchange("allgather", -1, std::vector<Array>(size_t(size_), x), true);
}

std::vector<Array> Communicator::alltoall(std::span<const Array> xs) {
    if (int(xs.size()) != size_)
        fail<ValueError>("alltoall: {} arrays for {} ranks", xs.size(), size_);
    return exchange("alltoall", -1, xs, false);
}

Array Communicator::scatter(std::span<const Array> xs, int root) {
    check_peer("scatter", root);
    if (rank_ == root && int(xs.size()) != size_)
        fail<ValueError>("scatter: {} arrays for {} ranks", xs.size(), size_);
    return exchange("scatter", root, rank_ == root ? xs : std::span<const Array>(),
                    false)[size_t(root)];
}

void Communicator::barrier() {
    in_turn("barrier", [&] { meet("barrier", -1, {}); });
}

Array Communicator::allreduce(const Array& x, Reduction reduction) {
    Device& place = reaches(x.device()) ? x.device() : cpu_device();
    Array y = Array::empty(x.type(), place);
    copy_elements(x.to(place), y);
    filled(y);
    in_turn("allreduce", [&] { reduce_in_place("allreduce", y, reduction); });
    return y.to(x.device());
}

void Communicator::reduce_in_place(const char* call, const Array& buffer, Reduction reduction,
                                   int64_t label) {
    expect_same_type(call, meet(call, -1, std::vector<Array>(size_t(size_), buffer), label),
                     buffer.type());
    reduce_buffer(call, buffer, reduction);
}

void Communicator::reduce_bucket(const char* call, const Array& buffer, Reduction reduction,
                                 int64_t label) {
    reduce_in_place(call, buffer, reduction, label);
}

/// Rank r sums the r-th piece of every rank's buffer and distributes the result: each rank sends
/// twice the buffer, whatever their number.
void Communicator::reduce_buffer(const char* call, const Array& buffer, Reduction reduction) {
    const int64_t count_all = buffer.size(), width = int64_t(size_of(buffer.dtype()));
    char* data = static_cast<char*>(buffer.raw_data());
    auto begin = [&](int r) { return count_all * r / size_; };
    auto bytes = [&](int r) { return size_t((begin(r + 1) - begin(r)) * width); };
    auto piece = [&](int r) { return data + begin(r) * width; };

    const size_t own_bytes = bytes(rank_);
    Array scratch = Array::empty({Dtype::uint8, {int64_t(own_bytes) * size_}}, cpu_device());
    char* received = static_cast<char*>(scratch.raw_data());
    std::vector<Message> sends, receives;
    std::vector<const void*> parts;
    for (int r = 0; r < size_; ++r) {
        char* part = r == rank_ ? piece(r) : received + own_bytes * size_t(r);
        parts.push_back(part);
        if (r == rank_) continue;
        if (bytes(r) > 0) sends.push_back({r, piece(r), bytes(r)});
        if (own_bytes > 0) receives.push_back({r, part, own_bytes});
    }
    transfer(call, -1, sends, receives);
    count(sends);
    reduce_parts(call, buffer.dtype(), parts, piece(rank_), begin(rank_ + 1) - begin(rank_),
                 reduction);

    sends.clear();
    receives.clear();
    for (int r = 0; r < size_; ++r) {
        if (r == rank_) continue;
        if (own_bytes > 0) sends.push_back({r, piece(rank_), own_bytes});
        if (bytes(r) > 0) receives.push_back({r, piece(r), bytes(r)});
    }
    transfer(call, -1, sends, receives);
    count(sends);
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
    std::vector<Array> pieces = exchange("reduce_scatter", -1, xs, false);
    std::vector<const void*> parts;
    for (int r = 0; r < size_; ++r) {
        const Array &p = pieces[size_t(r)], &own = pieces[size_t(rank_)];
        if (!(p.type() == own.type()))
            fail<ShapeError>("reduce_scatter: rank {} gives {}, rank {} gives {}", rank_,
                             to_string(own.type()), r, to_string(p.type()));
        parts.push_back(p.raw_data());
    }
    Array y = Array::empty(pieces[0].type(), cpu_device());
    reduce_parts("reduce_scatter", y.dtype(), parts, y.raw_data(), y.size(), reduction);
    return y;
}

//---- bytes

void Communicator::send_bytes(std::string_view bytes, int dest, int tag) {
    send(as_array(bytes), dest, tag);
}
std::string Communicator::recv_bytes(int source, int tag) { return as_bytes(recv(source, tag)); }
std::string Communicator::bcast_bytes(std::string_view bytes, int root) {
    return as_bytes(bcast(as_array(bytes), root));
}

std::vector<std::string> Communicator::allgather_bytes(std::string_view bytes) {
    std::vector<std::string> all;
    std::vector<Array> same(size_t(size_), as_array(bytes));
    for (const Array& each : exchange("allgather_bytes", -1, same, false))
        all.push_back(as_bytes(each));
    return all;
}

void Communicator::find_neighbours(const std::string& machine) {
    std::vector<std::string> machines = allgather_bytes(machine), distinct;
    intra_size_ = 0;
    for (int r = 0; r < size_; ++r) {
        const std::string& other = machines[size_t(r)];
        auto known = std::find(distinct.begin(), distinct.end(), other);
        if (other == machine) {
            if (r < rank_) ++intra_rank_;
            ++intra_size_;
            inter_rank_ = int(known - distinct.begin());
        }
        if (known == distinct.end()) distinct.push_back(other);
    }
    inter_size_ = int(distinct.size());
}

void Communicator::share_one_machine() {
    intra_rank_ = rank_, intra_size_ = size_;
    inter_rank_ = 0, inter_size_ = 1;
}

void Communicator::find_neighbours_as(const Communicator& other) {
    intra_rank_ = other.intra_rank_, intra_size_ = other.intra_size_;
    inter_rank_ = other.inter_rank_, inter_size_ = other.inter_size_;
}

//---- in the background

int64_t Communicator::start_allreduce(Array buffer, Reduction reduction, int64_t label) {
    if (finalized_) fail<CommunicationError>("allreduce: the communicator has been finalized");
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
        Clock::time_point start = Clock::now();
        Array data;
        {
            std::lock_guard lock(b.mutex);
            data = b.requests[ticket].buffer;
        }
        std::exception_ptr error;
        try {
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
    Background& b = *background_;
    std::unique_lock lock(b.mutex);
    auto found = b.requests.find(ticket);
    if (found == b.requests.end())
        fail<CommunicationError>("allreduce: no background transfer has the ticket {}", ticket);
    Clock::time_point start = Clock::now();
    b.done.wait(lock, [&] { return found->second.done; });
    b.statistics.waited_seconds += seconds_since(start);
    auto request = std::move(found->second);
    b.requests.erase(found);
    if (request.error) std::rethrow_exception(request.error);
    return std::move(request.buffer);
}

}  // namespace catena
