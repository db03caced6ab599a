#include "runtime/core/system/per_thread.h"

#include <new>
#include <system_error>
#include <vector>

#include <pthread.h>

#include "runtime/core/system/error.h"

namespace catena::per_thread {
namespace {

constexpr int most = 256;  ///< The most PerThread objects that a process may have.

struct Table {
    struct Made {
        int number;
        void (*destroy)(void* value);
    };
    void* values[most] = {};
    std::vector<Made> made;  ///< The latest last.
};

void* none[most] = {};  ///< The values of a thread that has made none; never written.

Table* of_this_thread() { return values == none ? nullptr : reinterpret_cast<Table*>(values); }

/// The latest first: it may use those that were there before. What a destructor makes is destroyed
/// as well.
void end_thread(void* table) {
    Table& ended = *static_cast<Table*>(table);
    values = ended.values;
    while (!ended.made.empty()) {
        const Table::Made latest = ended.made.back();
        ended.made.pop_back();
        latest.destroy(std::exchange(ended.values[latest.number], nullptr));
    }
    values = none;
    delete &ended;
}

/// A key of POSIX that ends a thread's values, not a thread_local with a destructor: it runs after
/// all of those, again for what they leave behind, and not on the main thread.
pthread_key_t end_of_thread() {
    static const pthread_key_t key = [] {
        pthread_key_t made;
        if (const int error = pthread_key_create(&made, end_thread))
            throw std::system_error(error, std::generic_category(), "pthread_key_create");
        return made;
    }();
    return key;
}

Table& table_of_thread() {
    if (Table* known = of_this_thread()) return *known;
    auto fresh = std::make_unique<Table>();
    if (pthread_setspecific(end_of_thread(), fresh.get()) != 0) throw std::bad_alloc();
    values = fresh->values;
    return *fresh.release();
}

int number_of(std::atomic<int>& number) {
    static constinit std::atomic<int> latest{0};
    if (const int known = number.load()) return known;
    const int fresh = ++latest;
    CATENA_ASSERT(fresh < most, "there are more PerThread objects than per_thread::most");
    int expected = 0;
    return number.compare_exchange_strong(expected, fresh) ? fresh : expected;
}

}  // namespace

constinit thread_local void** values = none;

void keep(std::atomic<int>& number, void* value, void (*destroy)(void* value)) {
    Table& mine = table_of_thread();
    const int place = number_of(number);
    mine.made.push_back({place, destroy});
    mine.values[place] = value;
}

}  // namespace catena::per_thread
