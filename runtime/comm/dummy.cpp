#include "runtime/comm/dummy.h"

#include <cstdlib>
#include <cstring>

#include "runtime/comm/collectives/collectives.h"
#include "runtime/core/array/device.h"

namespace catena {
namespace {

class DummyCommunicator final : public Communicator {
public:
    explicit DummyCommunicator(std::shared_ptr<Communicator> real)
        : Communicator(real->rank(), real->size()), real_(std::move(real)) {
        find_neighbours_as(*real_);
    }
    ~DummyCommunicator() override { close(); }
    std::string name() const override { return "dummy"; }
    [[noreturn]] void abort(int status, const std::string& reason) override {
        real_->abort(status, reason);
        std::abort();  // Not reached: a virtual function's promise is not seen through a pointer.
    }

protected:
    std::shared_ptr<Communicator> make_group(int color, int key) override {
        std::shared_ptr<Communicator> part = real_->split(color, key);
        return part ? dummy_communicator(std::move(part)) : nullptr;
    }
    void transfer(const char* call, int tag, std::span<const Message> sends,
                  std::span<const Message> receives) override {
        transfer_by(*real_, call, tag, sends, receives);
    }
    Collectives& collectives() override { return collectives_of(*real_); }
    void break_off(const std::string& reason, const std::shared_ptr<void>& memory) override {
        break_off_by(*real_, reason, memory);
    }
    int largest_tag() const override { return largest_tag_of(*real_); }
    int lost_rank() override { return lost_rank_of(*real_); }
    void leave() override { real_->finalize(); }
    void reduce_bucket(const char*, const Array&, Reduction, int64_t) override {}
    Array scatter_bucket(const char*, const Array& buffer, Reduction, int64_t) override {
        const Block own = blocks_of(buffer)[size_t(rank())];
        Array result = Array::empty({buffer.dtype(), {buffer.size() / size()}}, cpu_device());
        copy(own, {result.raw_data(), own.bytes});
        return result;
    }
    /// As if all had the same.
    void gather_bucket(const char*, const Array& buffer, int64_t) override {
        const std::vector<Block> blocks = blocks_of(buffer);
        for (int r = 0; r < size(); ++r)
            if (r != rank()) copy(blocks[size_t(rank())], blocks[size_t(r)]);
    }

private:
    static void copy(Block from, Block to) {
        if (from.bytes > 0) std::memcpy(to.data, from.data, from.bytes);
    }
    std::shared_ptr<Communicator> real_;
};

}  // namespace

std::shared_ptr<Communicator> dummy_communicator(std::shared_ptr<Communicator> real) {
    return std::make_shared<DummyCommunicator>(std::move(real));
}

}  // namespace catena
