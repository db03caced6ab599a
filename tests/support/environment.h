#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace catena::test {

/// A variable of the environment as long as this lives.
class EnvironmentScope {
public:
    EnvironmentScope(const char* name, const std::string& value) : name_(name) {
        if (const char* before = std::getenv(name)) before_ = before;
        setenv(name, value.c_str(), 1);
    }
    ~EnvironmentScope() {
        if (before_)
            setenv(name_, before_->c_str(), 1);
        else
            unsetenv(name_);
    }
    EnvironmentScope(const EnvironmentScope&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

}  // namespace catena::test
