#include "support/ranked_example.h"

namespace examples {

RankedExample::RankedExample(const std::string& description) : Example(description) {
    flag("--communicator", communicator_, "between processes: auto, flat, naive, tcp or pure_nccl");
    flag("--local", threads_, "this many threads of one process instead", 0);
}

int RankedExample::run(int argc, char** argv,
                       const std::function<void(const Communicator&)>& body) {
    const auto on_rank = [&](const Communicator& comm) {
        with_settings(device() == "cuda" ? fmt::format("cuda:{}", comm->intra_rank()) : device(),
                      [&] { body(comm); });
    };
    return parse_and_run(argc, argv, [&] {
        if (threads_ > 0)
            ct::run_local(int(threads_), on_rank);
        else
            on_rank(ct::create_communicator(communicator_));
    });
}

void RankedExample::print_times(const Communicator& comm, ct::Updater& updater, int count) const {
    const Times times = measured(updater, count);
    if (comm->rank() == 0) print(times);
}

void RankedExample::result(const Communicator& comm, const std::string& name, double value,
                           Better better, int teller) {
    if (comm->rank() == teller)
        Example::result(name, value, better);
    else if (threads_ == 0)
        leave_result_to_others();
}

}  // namespace examples
