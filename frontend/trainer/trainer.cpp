#include "frontend/trainer/trainer.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "frontend/link/link.h"
#include "frontend/optimizer/optimizer.h"
#include "frontend/serializer/serializer.h"
#include "frontend/trainer/json.h"
#include "frontend/trainer/make_extension.h"
#include "frontend/trainer/updater.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/log.h"
#include "runtime/ops/noise/random.h"

namespace catena {
namespace {

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

struct Trainer::Entry {
    std::string name;
    std::shared_ptr<Extension> extension;
    AnyTrigger trigger;
    int priority;
    bool call_before_training;
};

Trainer::Trainer(Updater& updater, AnyTrigger stop_trigger, std::string out) try
    : updater_(updater), stop_trigger_(std::move(stop_trigger)), out_(std::move(out)) {
    for (auto& [name, optimizer] : updater.optimizers())
        reporter_.add_observers(name, optimizer->target());
    updater.connect_trainer(*this);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Trainer");
}

std::shared_ptr<Extension> Trainer::from_function(std::function<void(Trainer&)> function) try {
    return std::make_shared<FunctionExtension>(std::move(function), MakeExtensionOptions());
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Trainer", "extend");
}

Trainer::~Trainer() = default;

Trainer& Trainer::extend(std::shared_ptr<Extension> extension, ExtendOptions options) try {
    std::string name = options.name.empty() ? extension->default_name() : options.name;
    if (name.empty()) fail<ValueError>("Trainer: an extension that is a function needs a name");
    if (name == "training")
        fail<ValueError>(
            "Trainer: the name 'training' is reserved, as in Chainer; give the extension another");
    auto taken = [&](const std::string& candidate) {
        return std::any_of(extensions_.begin(), extensions_.end(),
                           [&](auto& e) { return e->name == candidate; });
    };
    std::string unique = name;
    for (int k = 1; taken(unique); ++k) unique = fmt::format("{}_{}", name, k);
    extension->set_name(unique);
    AnyTrigger trigger = options.trigger ? options.trigger : extension->trigger();
    int priority = options.priority.value_or(extension->priority());
    extensions_.emplace_back(new Entry{unique, std::move(extension), std::move(trigger), priority,
                                       options.call_before_training});
    return *this;
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Trainer", "extend");
}

Extension& Trainer::get_extension(const std::string& name) const {
    std::string names;
    for (auto& entry : extensions_) {
        if (entry->name == name) return *entry->extension;
        names += (names.empty() ? "" : ", ") + entry->name;
    }
    fail<ValueError>("Trainer: there is no extension '{}'; there are: {}", name, names);
}

std::vector<Trainer::Entry*> Trainer::by_priority() {
    std::vector<Entry*> sorted;
    for (auto& entry : extensions_) sorted.push_back(entry.get());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](Entry* a, Entry* b) { return a->priority > b->priority; });
    return sorted;
}

void Trainer::run(bool show_loop_exception_msg) try {
    if (start_)
        fail<ValueError>("Trainer: run() was called before; make another trainer to train again");
    std::error_code error;
    std::filesystem::create_directories(out_, error);
    if (error) fail<FileError>("Trainer: cannot create the folder {}: {}", out_, error.message());
    std::vector<Entry*> extensions = by_priority();
    start_ = seconds_now();
    std::exception_ptr failure;
    try {
        for (Entry* entry : extensions) entry->extension->resume(*this);
        for (Entry* entry : extensions) entry->extension->initialize(*this);
        loop(extensions);
    } catch (const std::exception& error) {
        failure = std::current_exception();
        tell_error(extensions, error, show_loop_exception_msg);
    } catch (...) {
        failure = std::current_exception();
    }
    finalize(extensions, failure);
    if (failure) std::rethrow_exception(failure);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("Trainer", "run");
}

void Trainer::finalize(const std::vector<Entry*>& extensions, std::exception_ptr& failure) {
    auto attempt = [&](auto f) {
        try {
            f();
        } catch (...) {
            if (!failure) failure = std::current_exception();  // Reports the first error.
        }
    };
    for (Entry* entry : extensions) attempt([&] { entry->extension->finalize(); });
    attempt([&] { updater_.finalize(); });
    final_time_ = elapsed_time();
}

void Trainer::loop(const std::vector<Entry*>& extensions) {
    if (is_before_training()) {
        Reporter::Scope scope = reporter_.scope(observation_);
        for (Entry* entry : extensions)
            if (entry->call_before_training) (*entry->extension)(*this);
    }
    if (!unasked_.empty()) {
        Reporter::Scope scope = reporter_.scope(observation_);
        ask_extensions(extensions);
    }
    while (!stopping_ && !is_at_end()) {
        observation_.clear();
        Reporter::Scope scope = reporter_.scope(observation_);
        updater_.update();
        is_unfinished_ = true;
        for (const Entry* entry : extensions) unasked_.push_back(entry->name);
        ask_extensions(extensions);
    }
    if (stopping_)
        for (Entry* entry : extensions) entry->extension->stopped(*this);
}

/// Asks the extensions of this iteration that are left. One that is called may save the trainer.
void Trainer::ask_extensions(const std::vector<Entry*>& extensions) {
    is_asking_ = true;
    try {
        for (Entry* entry : extensions) {
            if (std::erase(unasked_, entry->name) == 0) continue;
            if (entry->trigger(*this)) (*entry->extension)(*this);
        }
    } catch (...) {
        try {
            end_asking();
        } catch (const std::exception& another) {
            say(LogLevel::error, fmt::format("another error after it: {}", another.what()));
        }
        throw;
    }
    unasked_.clear();  // Another rank's file may name extensions that this one does not have.
    end_asking();
}

void Trainer::end_asking() {
    is_asking_ = false;
    for (const auto& f : std::exchange(after_extensions_, {})) f();
}

void Trainer::after_extensions(std::function<void()> f) {
    if (!is_asking_) return f();
    after_extensions_.push_back(std::move(f));
}

bool Trainer::is_at_end() {
    const bool fires = stop_trigger_(*this);
    is_unfinished_ = false;
    return fires || stop_trigger_.is_over(*this);
}

void Trainer::tell_error(const std::vector<Entry*>& extensions, const std::exception& error,
                         bool show) {
    if (show)
        say(LogLevel::error,
            fmt::format("an error ended the training in iteration {}: {}\n"
                        "extensions and updater are finalized before it is rethrown",
                        updater_.iteration(), error.what()));
    for (Entry* entry : extensions) {
        try {
            entry->extension->on_error(*this, error);
        } catch (const std::exception& another) {
            say(LogLevel::error, fmt::format("extension {}: another error in on_error: {}",
                                             entry->name, another.what()));
        }
    }
}

double Trainer::elapsed_time() const {
    if (final_time_) return *final_time_;
    if (!start_) fail<ValueError>("Trainer: no time has elapsed before run()");
    return time_before_ + (seconds_now() - *start_);
}

bool Trainer::is_before_training() const { return updater_.iteration() == 0; }

void Trainer::serialize(const Serializer& s) {
    updater_.serialize(s["updater"]);
    stop_trigger_.serialize(s["stop_trigger"]);
    for (auto& entry : extensions_) {
        entry->extension->serialize(s["extensions"][entry->name]);
        entry->trigger.serialize(s["extension_triggers"][entry->name]);
    }
    if (s.loading()) {
        s("_snapshot_elapsed_time", time_before_);
    } else {
        double elapsed = start_ ? elapsed_time() : time_before_;
        s("_snapshot_elapsed_time", elapsed);
    }
    serialize_unfinished(s["unfinished"]);
    if (!s.has("random_state")) return;  // Chainer keeps none.
    std::vector<int64_t> random = save_random_state();
    if (!s.loading()) return s("random_state", random);
    random = s.get("random_state", random);
    if (random.size() != 4)
        s.wrong("random_state", fmt::format("has {} numbers, 4 are expected", random.size()));
    s.later([random] { restore_random_state(random); });
}

void Trainer::serialize_unfinished(const Serializer& s) {
    using Json = nlohmann::ordered_json;
    if (!s.loading()) {
        Json extensions = Json::array(), values = Json::array();
        for (const std::string& name : unasked_) extensions.push_back(name);
        if (is_unfinished_)
            for (const auto& [key, value] : observation_) {
                const Serializer part = s[std::to_string(values.size())];
                values.push_back(key);
                const Variable& variable = value.variable();
                double number = 0, weight = value.weight();
                part("weight", weight);
                if (variable.defined())
                    part.write("value", variable.array());
                else
                    part("value", number = value.value());
            }
        s.write("extensions", json_text(std::move(extensions)));
        return s.write("values", json_text(std::move(values)));
    }
    if (!s.has("extensions")) return;  // Chainer keeps neither.
    const auto names_of = [&](const char* key) {
        std::vector<std::string> names;
        const std::string text = s.read_text(key);
        const Json json = text.empty() ? Json::array() : parse_json(text, key);
        for (const Json& name : json) {
            if (!name.is_string()) s.wrong(key, "is not a list of names");
            names.push_back(name.get<std::string>());
        }
        return names;
    };
    Observation values;
    for (const std::string& key : names_of("values")) {
        const Serializer part = s[std::to_string(values.size())];
        values.emplace(key, Reported(Variable(part.read("value"), false), part.get("weight", 1.0)));
    }
    s.later([this, values, names = names_of("extensions")] {
        observation_ = values;
        is_unfinished_ = !values.empty();
        unasked_ = names;
    });
}

}  // namespace catena
