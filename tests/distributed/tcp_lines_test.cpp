// Connections between ranks, made when two first talk, and sums over few of them. The ranks are
// threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <random>
#include <thread>
#include <tuple>

#include <poll.h>

#include "runtime/comm/collectives/reduce.h"
#include "runtime/comm/tcp/lines.h"
#include "runtime/comm/ordered_sum.h"
#include "runtime/core/array/device.h"
#include "tests/distributed/tcp_ranks.h"
#include "tests/distributed/timeout.h"

namespace catena {
namespace {

using ::testing::HasSubstr;
using Message = Communicator::Message;

std::string what_is_thrown(const std::function<void()>& call) {
    try {
        call();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no error";
}

/// Runs f on `size` threads that have met; all must end without an error.
void run_lines(int size, const std::string& name, const std::function<void(int, Lines&)>& f) {
    const std::string place = file_place(name);
    std::vector<std::thread> threads;
    for (int r = 0; r < size; ++r)
        threads.emplace_back([&, r] {
            EXPECT_EQ(what_is_thrown([&] {
                          Lines lines(meet_at({place, r, size}, communication_deadline()));
                          f(r, lines);
                      }),
                      "no error")
                << "rank " << r;
        });
    for (std::thread& thread : threads) thread.join();
}

/// Each of the pair gets the other's number.
void greet(Lines& lines, int rank, int other, int tag = 3) {
    int theirs = -1;
    const Message out{other, &rank, sizeof rank}, in{other, &theirs, sizeof theirs};
    lines.transfer("greet", tag, {&out, 1}, {&in, 1});
    EXPECT_EQ(theirs, other);
}

TEST(TcpLines, are_those_of_a_tree_at_first) {
    constexpr int size = 16;
    std::barrier all(size);
    run_lines(size, "tree", [&](int rank, Lines& lines) {
        const int expected = int(children_in_tree(rank, size).size()) + (rank > 0);
        EXPECT_EQ(lines.open(), expected) << "rank " << rank;
        all.arrive_and_wait();
    });
}

TEST(TcpLines, of_a_pair_that_calls_at_once_are_one) {
    constexpr int size = 6;
    std::barrier all(size);
    for (int round = 0; round < 20; ++round)
        run_lines(size, "pairs", [&](int rank, Lines& lines) {
            const int before = lines.open(), other = size - 1 - rank;  // 0 and 5, 1 and 4, 2 and 3.
            all.arrive_and_wait();
            greet(lines, rank, other);
            const bool in_tree = parent_in_tree(std::max(rank, other)) == std::min(rank, other);
            EXPECT_EQ(lines.open(), before + !in_tree) << "rank " << rank;
            greet(lines, rank, other);
            EXPECT_EQ(lines.open(), before + !in_tree) << "rank " << rank;
            all.arrive_and_wait();
        });
}

TEST(TcpLines, connect_every_pair_in_any_order) {
    constexpr int size = 9;
    std::barrier done(size);
    run_lines(size, "every", [&](int rank, Lines& lines) {
        std::vector<int> sent(size, rank), got(size, -1);
        std::vector<Message> out, in;
        for (int r = 0; r < size; ++r) {
            if (r == rank) continue;
            out.push_back({r, &sent[size_t(r)], sizeof(int)});
            in.push_back({r, &got[size_t(r)], sizeof(int)});
        }
        for (int round = 0; round < 10; ++round) lines.transfer("all", -1, out, in);
        for (int r = 0; r < size; ++r) EXPECT_EQ(got[size_t(r)], r == rank ? -1 : r);
        EXPECT_EQ(lines.open(), size - 1);
        done.arrive_and_wait();
    });
}

/// Two ends of a connection.
std::pair<Socket, Socket> connected_pair() {
    const auto soon = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    const Socket listening = listen_at("127.0.0.1", 0, 1);
    Socket near = connect_to("127.0.0.1", port_of(listening), soon);
    EXPECT_TRUE(wait_for(listening.file(), POLLIN, soon));
    return {std::move(near), accept_from(listening)};
}

/// Rank 1 sends a message and leaves; then rank 0 tells it of ranks 2 and 3, which it cannot hear.
TEST(TcpLines, that_have_ended_are_read_to_their_end) {
    MetRanks meeting;
    meeting.size = 4;
    meeting.endpoints.assign(4, {"127.0.0.1", 1});
    meeting.lines.resize(4);
    std::vector<Socket> others(4);
    for (size_t r = 1; r < 4; ++r) std::tie(meeting.lines[r], others[r]) = connected_pair();
    Lines lines(std::move(meeting));
    others[2] = Socket();
    others[3] = Socket();
    lines.lost_among({});
    const Header header{5, 0, 8};
    ASSERT_TRUE(others[1].send_now(&header, sizeof header) && others[1].send_now("content!", 8));
    others[1] = Socket();
    std::string content(8, 0);
    const Message in{1, content.data(), content.size()};
    EXPECT_EQ(what_is_thrown([&] { lines.transfer("recv", 5, {}, {&in, 1}); }), "no error");
    EXPECT_EQ(content, "content!");
    EXPECT_THAT(what_is_thrown([&] { lines.transfer("recv", 5, {}, {&in, 1}); }),
                HasSubstr("recv: rank 0 waits for rank 1, which has left the group"));
}

/// Such a message is not believed to be as long as it says, either: nothing is allocated for it.
TEST(TcpLines, keep_no_message_beyond_the_bound_that_nobody_has_asked_for) {
    MetRanks met;
    met.size = 2;
    met.endpoints.assign(2, {"127.0.0.1", 1});
    met.lines.resize(2);
    Socket other;
    std::tie(met.lines[1], other) = connected_pair();
    Lines lines(std::move(met));
    const Header too_long{7, 0, Lines::most_kept + 1};
    ASSERT_TRUE(other.send_now(&too_long, sizeof too_long));
    lines.lost_among({});  // It is left where it is, as long as nobody waits for what is behind it.
    char content[8];
    const Message in{1, content, sizeof content};
    EXPECT_THAT(what_is_thrown([&] { lines.transfer("recv", 5, {}, {&in, 1}); }),
                HasSubstr("recv: rank 0 waits for a message with tag 5 from rank 1, which has sent "
                          "one of 1073741825 bytes with tag 7 before"));
}

/// Rank 6 has no connection to rank 9, and hears of it through the tree.
TEST(TcpLines, tell_of_a_rank_that_has_left_to_all) {
    constexpr int size = 11;
    std::atomic<int> told{0};
    run_lines(size, "loss", [&](int rank, Lines& lines) {
        if (rank == 9) return lines.leave();
        const int nine = 9;
        const auto soon = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        bool knows = false;
        while (told < size - 1 && std::chrono::steady_clock::now() < soon) {
            const int lost = lines.lost_among({&nine, 1});
            if (lost == 9 && !std::exchange(knows, true)) ++told;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        EXPECT_TRUE(knows) << "rank " << rank;
    });
}

/// Rank 8 leaves first, and with it the tree is in two parts until its children call rank 0.
TEST(TcpLines, of_the_tree_are_made_anew_where_it_has_lost_a_rank) {
    constexpr int size = 16;
    std::atomic<int> told{0};
    std::atomic<bool> eight_is_known{false};
    run_lines(size, "mended", [&](int rank, Lines& lines) {
        if (rank == 8) return lines.leave();
        const auto soon = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        const auto knows = [&](int of) {
            while (std::chrono::steady_clock::now() < soon) {
                if (lines.lost_among({&of, 1}) == of) return true;
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            return false;
        };
        EXPECT_TRUE(knows(8)) << "rank " << rank;
        // Until all have mended their part of the tree, and a little longer.
        const auto then = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
        while (std::chrono::steady_clock::now() < then) lines.lost_among({});
        if (rank == 3) return lines.leave();
        EXPECT_TRUE(knows(3)) << "rank " << rank;  // In the other part: 9 to 15.
        ++told;
        while (told < size - 2 && std::chrono::steady_clock::now() < soon) lines.lost_among({});
    });
    EXPECT_EQ(told, size - 2);
}

TEST(TcpLines, to_a_rank_that_has_left_are_an_error_that_names_it) {
    std::atomic<bool> gone{false};
    run_lines(8, "gone", [&](int rank, Lines& lines) {
        if (rank == 7) {
            lines.leave();
            gone = true;
        }
        if (rank != 2) {
            while (!gone) std::this_thread::yield();
            return;
        }
        while (!gone) std::this_thread::yield();
        int number = 0;
        const Message in{7, &number, sizeof number};
        EXPECT_THAT(what_is_thrown([&] { lines.transfer("recv", 0, {}, {&in, 1}); }),
                    HasSubstr("recv: rank 2 waits for rank 7, which has left the group"));
    });
}

/// Messages that nobody waits for do not prolong the waiting for one that does not come.
TEST(TcpLines, wait_no_longer_because_of_other_traffic) {
    TimeoutScope timeout("0.3");
    std::atomic<bool> over{false};
    run_lines(2, "traffic", [&](int rank, Lines& lines) {
        int number = 0;
        const Message message{1 - rank, &number, sizeof number};
        if (rank == 1) {
            // Rank 0 may leave while a message is on its way.
            const auto send = [&] { lines.transfer("send", 7, {&message, 1}, {}); };
            while (!over && what_is_thrown(send) == "no error") {
            }
            return;
        }
        const auto begun = std::chrono::steady_clock::now();
        EXPECT_THAT(what_is_thrown([&] { lines.transfer("recv", 5, {}, {&message, 1}); }),
                    HasSubstr("recv: rank 0 has waited 0.3 s for rank 1"));
        EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
        over = true;
    });
}

//---- sums

Array random_array(Dtype dtype, int64_t count, int seed) {
    std::mt19937 random{unsigned(seed)};
    std::vector<double> values(static_cast<size_t>(count));
    for (double& value : values) value = double(int(random() % 2001) - 1000) / 7;
    Array x = Array::empty({Dtype::float64, {count}}, cpu_device());
    std::copy(values.begin(), values.end(), static_cast<double*>(x.raw_data()));
    return x.astype(dtype);
}

std::string bytes_in(const Array& x) {
    return {static_cast<const char*>(x.elements()), size_t(x.size()) * size_of(x.dtype())};
}

/// The sum as reduce_buffer() forms it.
Array expected_sum(std::span<const Array> xs, Reduction reduction) {
    std::vector<const void*> parts;
    for (const Array& x : xs) parts.push_back(x.elements());
    Array sum = Array::empty(xs[0].type(), cpu_device());
    reduce_parts("test", sum.dtype(), parts, sum.raw_data(), sum.size(), reduction);
    return sum;
}

class OrderedSums : public ::testing::TestWithParam<int> {};

TEST_P(OrderedSums, are_those_of_rank_order_to_the_bit) {
    const int size = GetParam();
    struct Case {
        Dtype dtype;
        int64_t count;
        Reduction reduction;
    };
    const Case cases[] = {
        {Dtype::float32, 1, Reduction::mean},         {Dtype::float32, 1000, Reduction::sum},
        {Dtype::float32, 300'001, Reduction::mean},   {Dtype::float32, 2'000'003, Reduction::sum},
        {Dtype::float64, 200'000, Reduction::mean},   {Dtype::float16, 77, Reduction::mean},
        {Dtype::float16, 2'100'000, Reduction::mean}, {Dtype::bfloat16, 300'000, Reduction::sum},
        {Dtype::int8, 4'300'000, Reduction::sum},     {Dtype::int64, 100'000, Reduction::sum},
        {Dtype::uint8, 500'000, Reduction::sum},      {Dtype::float32, 0, Reduction::sum},
    };
    std::vector<std::vector<Array>> all;
    std::vector<std::string> sums;
    for (const Case& c : cases) {
        std::vector<Array> xs;
        for (int r = 0; r < size; ++r) xs.push_back(random_array(c.dtype, c.count, r));
        sums.push_back(bytes_in(expected_sum(xs, c.reduction)));
        all.push_back(std::move(xs));
    }
    run_lines(size, "sums", [&](int rank, Lines& lines) {
        const OrderedSum sum{rank, size, [&](auto sends, auto receives) {
                                 lines.transfer("sum", -1, sends, receives);
                             }};
        for (size_t i = 0; i < std::size(cases); ++i) {
            const Array& x = all[i][size_t(rank)];
            const int64_t sent = sum("sum", x, cases[i].reduction);
            EXPECT_EQ(bytes_in(x), sums[i]) << "rank " << rank << ", case " << i;
            const int64_t bytes = int64_t(bytes_in(x).size());
            if (bytes > OrderedSum::most_exchanged) {
                EXPECT_LE(sent, bytes * (size_of(x.dtype()) == 2 ? 3 : 2));
            }
        }
        // Of one bit's difference (and of the tree), of a lender, and of the chain.
        EXPECT_LE(lines.open(), 3 + 1 + 2) << "rank " << rank;
    });
}
INSTANTIATE_TEST_SUITE_P(ranks, OrderedSums, ::testing::Values(3, 8, 11),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace catena
