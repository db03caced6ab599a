#pragma once

#include "runtime/graph/settings/config.h"

namespace catena {

/// Saves all settings of this thread and restores them when the scope ends.
class SettingsScope {
public:
    explicit SettingsScope(const Config& settings) : previous_(config()) {
        mutable_config() = settings;
    }
    ~SettingsScope() { mutable_config() = previous_; }
    SettingsScope(const SettingsScope&) = delete;

private:
    Config previous_;
};

}  // namespace catena
