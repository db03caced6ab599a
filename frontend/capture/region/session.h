#pragma once

#include <chrono>
#include <memory>

#include "frontend/capture/region/region.h"

namespace catena::capture {

/// One followed call of a region: runs its segments and counts.
class Session final : public SegmentRunner {
public:
    Session(Region& region, Entry& entry, const CallNumber& number, const Flat& arguments,
            const Flat& results);

    /// Adds this call to the region's counters; the region's mutex must be held.
    void count();
    const std::shared_ptr<Replay>& replay() const { return replay_; }

    void run(FollowedCall& call, Ending& ending) override;
    void left(const Step* now, const Step* expected) override;
    const GraphEnd* close_graph(FollowedCall& call, Variables& left) override;

private:
    using Clock = std::chrono::steady_clock;

    std::shared_ptr<Program> program_of(FollowedCall& call, Ending& ending);
    bool compile(Program& program);
    void compile_beside(Program& program);
    static void could_not_compile(Region& region, const std::string& description,
                                  const char* why) noexcept;
    static void compiled(Region& region, const std::string& description, Program& program);
    void make_room_if_new(const Program& program);
    void compute(FollowedCall& call, Program& program);
    void remember(FollowedCall& call, const Ending& ending,
                  const std::shared_ptr<Program>& program);

    Region& region_;
    Entry& entry_;
    const CallNumber number_;
    const Flat &arguments_, &results_;
    std::shared_ptr<Program> program_;
    std::shared_ptr<Replay> replay_;
    /// What the results save for their backward; null: no backward can follow.
    Activation* activation_ = nullptr;
    bool interpreted_ = false, is_new_ = false;
    int cuts_ = 0;
    HostRead cut_at_;
    bool verifies_, is_timed_;
    Clock::time_point start_;
    Clock::duration computing_{}, compiling_{};
};

}  // namespace catena::capture
