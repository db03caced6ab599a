#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/comm/communicator.h"

namespace catena {

/// What a rank has sent.
struct Traffic {
    int64_t messages = 0, bytes = 0;
};

/// A communicator of threads whose calls are Catena's own, made of messages, which it counts.
class CountedCommunicator : public Communicator {
public:
    explicit CountedCommunicator(std::shared_ptr<Communicator> real);
    ~CountedCommunicator() override { close(); }
    std::string name() const override { return "counted"; }
    [[noreturn]] void abort(int status, const std::string& reason) override;

    Traffic traffic;

protected:
    void transfer(const char* call, int tag, std::span<const Message> sends,
                  std::span<const Message> receives) override;
    std::shared_ptr<Communicator> make_group(int color, int key) override;
    void break_off(const std::string& reason, const std::shared_ptr<void>& memory) override;
    int lost_rank() override { return lost_rank_of(*real_); }

private:
    std::shared_ptr<Communicator> real_;
};

/// Runs f on `size` threads; returns what each rank has sent in it.
std::vector<Traffic> traffic_of(int size, const std::function<void(CountedCommunicator&)>& f);

}  // namespace catena
