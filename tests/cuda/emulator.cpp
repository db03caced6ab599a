#include "tests/cuda/emulator.h"

#include <stdexcept>
#include <vector>

#include <dlfcn.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/cuda/emulation.h"
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim

namespace catena::testing {

namespace {

constexpr size_t stack_bytes = 64 << 10;
constexpr unsigned warp = 32;
constexpr unsigned most_threads = 1024;

/// A thread of the block that runs now.
struct Fiber {
    enum class State : uint8_t { ready, at_barrier, at_shuffle, done };
    ucontext_t context;
    State state = State::ready;
    emulation::Thread place;
    uint64_t value = 0;  ///< Given to a shuffle, and got from it.
    unsigned mask = 0;
    int lane_mask = 0;
};

class Block {
public:
    Block() : fibers_(most_threads) {
        void* memory = mmap(nullptr, stack_bytes * most_threads, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        stacks_ = static_cast<char*>(memory);
    }

    void run(const EmulatedKernel& kernel, emulation::Thread** current,
             const emulation::Thread& place, const void* arguments) {
        kernel_ = &kernel;
        current_place_ = current;
        arguments_ = arguments;
        count_ = place.threads.x;
        for (unsigned t = 0; t < count_; ++t) begin(t, place);
        while (step()) {
        }
    }

    void barrier() { wait(Fiber::State::at_barrier); }
    uint64_t exchange(uint64_t value, unsigned mask, int lane_mask) {
        Fiber& fiber = fibers_[running_];
        fiber.value = value;
        fiber.mask = mask;
        fiber.lane_mask = lane_mask;
        wait(Fiber::State::at_shuffle);
        return fiber.value;
    }

private:
    static void enter();

    void begin(unsigned t, const emulation::Thread& place) {
        Fiber& fiber = fibers_[t];
        fiber.state = Fiber::State::ready;
        fiber.place = place;
        fiber.place.thread = {t, 0, 0};
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = stacks_ + t * stack_bytes;
        fiber.context.uc_stack.ss_size = stack_bytes;
        fiber.context.uc_link = &home_;
        makecontext(&fiber.context, &Block::enter, 0);
    }

    void wait(Fiber::State state) {
        Fiber& fiber = fibers_[running_];
        fiber.state = state;
        swapcontext(&fiber.context, &home_);
    }

    /// Every thread that can goes on to where it waits next. False when all are done.
    bool step() {
        bool moved = false;
        for (unsigned t = 0; t < count_; ++t) {
            if (fibers_[t].state != Fiber::State::ready) continue;
            running_ = t;
            *current_place_ = &fibers_[t].place;
            swapcontext(&home_, &fibers_[t].context);
            moved = true;
        }
        for (unsigned begin = 0; begin < count_; begin += warp)
            moved = finish_shuffles(begin) || moved;
        unsigned waiting = 0, done = 0;
        for (unsigned t = 0; t < count_; ++t) {
            waiting += fibers_[t].state == Fiber::State::at_barrier;
            done += fibers_[t].state == Fiber::State::done;
        }
        if (done == count_) return false;
        if (waiting == count_) {
            for (unsigned t = 0; t < count_; ++t) fibers_[t].state = Fiber::State::ready;
            return true;
        }
        if (!moved)
            complain("its threads wait for each other for ever: " + std::to_string(waiting) +
                     " of " + std::to_string(count_) + " are at a barrier, " +
                     std::to_string(done) + " are done");
        return true;
    }

    bool finish_shuffles(unsigned begin) {
        bool any = false;
        for (unsigned lane = 0; lane < warp && begin + lane < count_; ++lane) {
            Fiber& first = fibers_[begin + lane];
            if (first.state != Fiber::State::at_shuffle) continue;
            const unsigned mask = first.mask;
            if (!(mask >> lane & 1)) complain("a lane calls a shuffle whose mask leaves it out");
            bool complete = true;
            for (unsigned other = 0; other < warp; ++other)
                if (mask >> other & 1)
                    complete = complete && begin + other < count_ &&
                               fibers_[begin + other].state == Fiber::State::at_shuffle &&
                               fibers_[begin + other].mask == mask;
            if (!complete) continue;
            uint64_t values[warp] = {};
            for (unsigned other = 0; other < warp; ++other) {
                if (!(mask >> other & 1)) continue;
                const unsigned from = other ^ unsigned(fibers_[begin + other].lane_mask);
                if (from >= warp || !(mask >> from & 1))
                    complain("a shuffle reads a lane outside of its mask");
                values[other] = fibers_[begin + from].value;
            }
            for (unsigned other = 0; other < warp; ++other)
                if (mask >> other & 1) {
                    fibers_[begin + other].value = values[other];
                    fibers_[begin + other].state = Fiber::State::ready;
                }
            any = true;
        }
        return any;
    }

    [[noreturn]] void complain(const std::string& what) const {
        throw std::logic_error("kernel " + kernel_->name + ": " + what);
    }

    const EmulatedKernel* kernel_ = nullptr;
    const void* arguments_ = nullptr;
    emulation::Thread** current_place_ = nullptr;
    std::vector<Fiber> fibers_;
    char* stacks_ = nullptr;
    ucontext_t home_;
    unsigned running_ = 0, count_ = 0;
};

Block& block() {
    static Block& instance = *new Block;
    return instance;
}

void Block::enter() {
    Block& b = block();
    b.kernel_->entry(b.arguments_);
    b.fibers_[b.running_].state = Fiber::State::done;
}

const emulation::Host host{[] { block().barrier(); },
                           [](uint64_t value, unsigned mask, int lane_mask) {
                               return block().exchange(value, mask, lane_mask);
                           }};

}  // namespace

void run_blocks(const EmulatedKernel& kernel, uint32_t blocks, uint32_t threads,
                const void* arguments) {
    if (threads == 0 || threads > most_threads)
        throw std::logic_error("kernel " + kernel.name + ": a block of " + std::to_string(threads) +
                               " threads");
    auto** current = static_cast<emulation::Thread**>(dlsym(kernel.library, "catena_thread"));
    if (kernel.communicates)
        *static_cast<const emulation::Host**>(dlsym(kernel.library, "catena_host")) = &host;
    emulation::Thread place{{0, 0, 0}, {0, 0, 0}, {threads, 1, 1}, {blocks, 1, 1}};
    for (uint32_t b = 0; b < blocks; ++b) {
        place.block.x = b;
        if (kernel.communicates) {
            block().run(kernel, current, place, arguments);
            continue;
        }
        emulation::Thread alone = place;
        *current = &alone;
        for (alone.thread.x = 0; alone.thread.x < threads; ++alone.thread.x)
            kernel.entry(arguments);
    }
}

}  // namespace catena::testing
