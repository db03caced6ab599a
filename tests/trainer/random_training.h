#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/dataset/iterator/serial_iterator.h"
#include "frontend/link/connection/linear.h"
#include "frontend/trainer/classifier.h"
#include "frontend/trainer/trainer.h"

namespace catena::testing {

class Draw;

/// One training of a seed: its objects are made anew for every run.
class RandomTraining {
public:
    struct Outcome {
        std::vector<std::string> events;  ///< Which extension was called in which iteration.
        std::optional<size_t> saved_at;   ///< How many before the latest snapshot, if there is one.
        int64_t ended_at = 0;             ///< The iteration.
        std::map<std::string, std::string> content;  ///< Of the parameters and of files, by name.
        std::string content_of(const std::string& name) const {
            const auto found = content.find(name);
            return found == content.end() ? "" : found->second;
        }
    };
    std::string description;
    bool saves_errors = false;

    explicit RandomTraining(uint64_t seed) : seed_(seed) {}

    /// `killed`: an error ends it somewhere. `resumed`: begins with what is in the folder.
    Outcome run(const std::string& folder, bool killed, bool resumed);

private:
    void add_extensions(Draw& draw, Trainer& trainer, Outcome& outcome, Link& model);
    void add(Draw& draw, Trainer& trainer, Outcome& outcome, std::shared_ptr<Extension> extension,
             bool any_trigger = true);
    uint64_t seed_;
    std::optional<size_t> unused_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> nowhere_{std::fopen("/dev/null", "w"),
                                                             std::fclose};
    SerialIterator* test_ = nullptr;
    Classifier<Linear>* model_ = nullptr;
};

}  // namespace catena::testing
