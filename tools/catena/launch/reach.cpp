#include "tools/catena/launch/reach.h"

#include <chrono>
#include <memory>
#include <thread>

#include "tools/catena/launch/program.h"
#include "tools/catena/launch/rank_process.h"

namespace catena::tool {

std::vector<Host> reachable(const std::vector<Host>& hosts, const std::vector<std::string>& ssh,
                            double seconds) {
    using Clock = std::chrono::steady_clock;
    std::vector<std::unique_ptr<RankProcess>> questions;
    for (const Host& host : hosts) {
        RankProgram question{.words = ssh, .environment = {}};
        question.words.insert(question.words.end(), {host.name, "exit 0"});
        questions.push_back(host.name.empty()
                                ? nullptr
                                : std::make_unique<RankProcess>(int(questions.size()), question,
                                                                /*with_prefix=*/false));
    }
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(seconds));
    std::vector<Host> there;
    for (size_t i = 0; i < hosts.size(); ++i) {
        RankProcess* question = questions[i].get();
        while (question && !question->has_ended() && Clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        if (!question || (!question->is_running() && question->status() == 0))
            there.push_back(hosts[i]);
    }
    return there;
}

}  // namespace catena::tool
