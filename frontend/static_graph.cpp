#include "frontend/static_graph.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "codegen/compiler.h"
#include "frontend/must_happen_first.h"
#include "frontend/package/save_package.h"
#include "frontend/static_program.h"
#include "runtime/core/device.h"
#include "runtime/graph/config.h"
#include "runtime/graph/recorder.h"

namespace catena {
namespace {

/// What selects a program: settings, the constants among the arguments, and of every array dtype, sizes, whether it
/// wants a gradient, and which others it is the same as.
struct Key {
    std::vector<uint64_t> words;
    friend bool operator==(const Key&, const Key&) = default;
    friend auto operator<=>(const Key&, const Key&) = default;
};

uint64_t alias_of(const Flat& arguments, size_t k) {
    const ArrayBody* body = arguments.variables[k].array().body();
    for (size_t j = 0; j < k; ++j)
        if (arguments.variables[j].array().body() == body) return j;
    return k;
}

void make_key(const Flat& arguments, Key& key) {
    std::vector<uint64_t>& words = key.words;
    words.clear();
    words.push_back(config_key());
    words.push_back(arguments.signature.size());
    words.insert(words.end(), arguments.signature.begin(), arguments.signature.end());
    for (size_t k = 0; k < arguments.variables.size(); ++k) {
        const Variable& x = arguments.variables[k];
        const Array& array = x.array();
        words.push_back(uint64_t(array.dtype()) | uint64_t(array.rank()) << 8 | uint64_t(x.requires_grad()) << 16 |
                        alias_of(arguments, k) << 32);
        words.push_back(reinterpret_cast<uintptr_t>(&array.device()));
        words.push_back(reinterpret_cast<uintptr_t>(array.body()->owner));
        for (int64_t d : array.shape()) words.push_back(uint64_t(d));
    }
}

std::string describe(const Flat& arguments) {
    std::string text = config().train ? "train" : "test";
    if (!config().enable_backprop) text += " no_backprop";
    for (const Variable& x : arguments.variables) text += " " + to_string(x.type());
    return text;
}

/// The first step in which two programs differ, in words.
std::string first_difference(const Trace& was, const Trace& is) {
    size_t n = std::min(was.steps.size(), is.steps.size());
    for (size_t s = 0; s < n; ++s) {
        const Trace::Step &a = was.steps[s], &b = is.steps[s];
        if (a.op != b.op)
            return fmt::format("step {} was {} ({}), now is {} ({})", s, a.op->name, to_string(a.location), b.op->name,
                               to_string(b.location));
        if (a.inputs != b.inputs)
            return fmt::format("step {}, {} ({}), takes other values than it did", s, b.op->name, to_string(b.location));
        if (!(a.attributes == b.attributes))
            return fmt::format("step {}, {} ({}), has other attributes", s, b.op->name, to_string(b.location));
    }
    if (was.steps.size() != is.steps.size()) {
        const Trace& longer = was.steps.size() > is.steps.size() ? was : is;
        return fmt::format("it had {} steps, now {}; the first one beyond is {} ({})", was.steps.size(), is.steps.size(),
                           longer.steps[n].op->name, to_string(longer.steps[n].location));
    }
    return "the steps are the same, results or assignments differ";
}

bool audit_due(Audit audit, int64_t hits) {
    if (audit != Audit::sampled) return audit == Audit::always;
    int64_t call = hits + 2;  // Of this key; the first one recorded.
    return call < 1024 ? (call & (call - 1)) == 0 : call % 1024 == 0;
}

/// All settings of this thread, until the scope ends.
class SettingsScope {
public:
    explicit SettingsScope(const Config& settings) : previous_(mutable_config()) { mutable_config() = settings; }
    ~SettingsScope() { mutable_config() = previous_; }
    SettingsScope(const SettingsScope&) = delete;

private:
    Config previous_;
};

void log(const std::string& line) { std::fprintf(stderr, "catena: %s\n", line.c_str()); }

}  // namespace

struct StaticRegion::Implementation {
    /// All programs of one key, by structure: a region whose code branches has several.
    struct Entry {
        std::string description;
        std::vector<std::shared_ptr<StaticProgram>> variants;
        std::shared_ptr<StaticProgram> current;
        int64_t hits = 0;
        // Of the arguments it was made for.
        std::vector<Type> types;
        std::vector<char> want_gradients;
        Config config;
    };

    StaticGraphOptions options;
    SourceLoc at;
    std::map<Key, Entry> entries;
    const Key* last_key = nullptr;
    Entry* last_entry = nullptr;
    Key scratch;
    StaticGraphStatistics statistics;
    std::vector<std::string> history;
    bool recorded_once = false;  ///< The call that runs as it is has been.
    bool said_unavailable = false;

    Outcome run_eagerly(const Body& body) {
        ++statistics.eager_calls;
        Flat outputs;
        body(outputs);
        return {};
    }

    Entry& entry_for(const Flat& arguments) {
        make_key(arguments, scratch);
        if (last_key && *last_key == scratch) return *last_entry;
        auto [found, is_new] = entries.try_emplace(scratch);
        if (is_new) {
            found->second.description = describe(arguments);
            found->second.config = catena::config();
            for (const Variable& x : arguments.variables) {
                found->second.types.push_back(x.type());
                found->second.want_gradients.push_back(x.requires_grad());
            }
        }
        last_key = &found->first;
        last_entry = &found->second;
        return found->second;
    }

    void note(std::string line) {
        static constexpr size_t most_notes = 100;
        if (history.size() < most_notes) history.push_back(std::move(line));
    }

    std::shared_ptr<StaticProgram> record(const Flat& arguments, const Body& body, bool shape_only) {
        try {
            Flat outputs;
            return StaticProgram::record(options.name, options.keep_grads, arguments, body, shape_only, outputs);
        } catch (const MustHappenFirst& first) {
            if (!first.action) throw;
            note(fmt::format("call {}: {}", statistics.calls, first.what()));
            first.action();
        }
        Flat outputs;
        return StaticProgram::record(options.name, options.keep_grads, arguments, body, shape_only, outputs);
    }

    /// The program of a call, recorded on shapes; null when the call must run for real.
    std::shared_ptr<StaticProgram> record_unless_first(const Flat& arguments, const Body& body) {
        try {
            return record(arguments, body, true);
        } catch (const MustHappenFirst& first) {
            note(fmt::format("call {}: runs as it is: {}", statistics.calls, first.what()));
            return nullptr;
        }
    }

    /// Compiles `program` and makes it the entry's; or takes the variant of that structure if there is one.
    void select(Entry& entry, std::shared_ptr<StaticProgram> program) {
        for (const auto& variant : entry.variants)
            if (variant->structure() == program->structure()) {
                variant->refresh(*program);
                entry.current = variant;
                return;
            }
        program->compile();
        statistics.compile_seconds += program->compile_seconds();
        ++statistics.programs;
        note(fmt::format("call {}: compiled {} steps for {} in {:.1f} ms", statistics.calls,
                         program->forward().steps.size(), entry.description, program->compile_seconds() * 1e3));
        entry.variants.push_back(program);
        entry.current = std::move(program);
        make_room(*entry.current);
        dump_explanation();
    }

    size_t bytes() const {
        size_t bytes = 0;
        for (const auto& [key, entry] : entries)
            for (const auto& program : entry.variants) bytes += program->bytes();
        return bytes;
    }

    /// Drops what was longest unused, but not `newest`, until the programs take no more than they may.
    void make_room(const StaticProgram& newest) {
        for (size_t total = bytes(); total > options.cache_bytes;) {
            Entry* owner = nullptr;
            const StaticProgram* oldest = nullptr;
            for (auto& [key, entry] : entries)
                for (const auto& program : entry.variants)
                    if (program.get() != &newest && (!oldest || program->last_used < oldest->last_used)) {
                        owner = &entry;
                        oldest = program.get();
                    }
            if (!oldest) return;
            total -= oldest->bytes();
            ++statistics.dropped;
            note(fmt::format("call {}: a program for {} made room", statistics.calls, owner->description));
            if (owner->current.get() == oldest) owner->current = nullptr;
            std::erase_if(owner->variants, [&](const auto& program) { return program.get() == oldest; });
        }
    }

    void audit(Entry& entry, const Flat& arguments, const Body& body) {
        ++statistics.audits;
        std::shared_ptr<StaticProgram> now = record(arguments, body, true);
        if (now->structure() == entry.current->structure()) {
            entry.current->refresh(*now);
            return;
        }
        ++statistics.mismatches;
        std::string line = fmt::format("static_graph {} ({}): the program changed at call {}: {}", options.name,
                                       to_string(at), statistics.calls,
                                       first_difference(entry.current->forward(), now->forward()));
        note(line);
        if (options.audit != Audit::always) log(line + "; a second program is compiled");
        select(entry, std::move(now));
    }

    Outcome call(const Flat& arguments, const Body& body) {
        ++statistics.calls;
        // Inside another region the outer one records these operations as its own.
        if (!config().use_static_graph || current_recorder()) return run_eagerly(body);
        if (!compiler_available()) {
            if (!said_unavailable)
                log(fmt::format("static_graph {}: there is no compiler, the region runs eagerly ({})", options.name,
                                compiler_complaint()));
            said_unavailable = true;
            return run_eagerly(body);
        }
        Entry& entry = entry_for(arguments);
        if (!entry.current) return first_call(entry, arguments, body);
        if (audit_due(options.audit, entry.hits)) audit(entry, arguments, body);
        else if (!entry.current->applies()) select(entry, record(arguments, body, true));
        return replay(entry, arguments);
    }

    /// The very first call runs as it is; a key met later is recorded on shapes and runs compiled at once.
    Outcome first_call(Entry& entry, const Flat& arguments, const Body& body) {
        if (recorded_once || options.compile_first_call) {
            if (auto program = record_unless_first(arguments, body)) {
                recorded_once = true;
                note(fmt::format("call {}: no program yet for {}", statistics.calls, entry.description));
                select(entry, std::move(program));
                return replay(entry, arguments);
            }
        }
        ++statistics.eager_calls;
        std::shared_ptr<StaticProgram> program = record(arguments, body, false);
        recorded_once = true;
        if (program->is_passing()) {
            note("call 1 made states that later calls find; the program is that of the next call");
            return {};
        }
        select(entry, std::move(program));
        return {.result_template = &entry.current->result_template};
    }

    Outcome replay(Entry& entry, const Flat& arguments) {
        ++entry.hits;
        ++statistics.compiled_calls;
        entry.current->last_used = statistics.calls;
        return {.replayed = true, .outputs = entry.current->run(arguments),
                .result_template = &entry.current->result_template};
    }

    std::string explain() const;

    void dump_explanation() const {
        const char* folder = std::getenv("CATENA_DUMP_DIR");
        if (!folder || !*folder) return;
        std::filesystem::path path = std::filesystem::path(folder) / options.name;
        std::error_code ignored;
        std::filesystem::create_directories(path, ignored);
        std::ofstream(path / "explain.txt") << explain();
    }
};

namespace {

/// The notes, each once: an update has as many equal ones as there are parameters.
std::string describe_notes(const std::vector<std::string>& notes) {
    std::vector<std::pair<std::string_view, int>> counted;
    for (const std::string& note : notes) {
        auto known = std::find_if(counted.begin(), counted.end(), [&](const auto& line) { return line.first == note; });
        if (known == counted.end()) counted.emplace_back(note, 1);
        else ++known->second;
    }
    std::string text;
    for (const auto& [note, times] : counted)
        text += times == 1 ? fmt::format("      {}\n", note) : fmt::format("      {} (x {})\n", note, times);
    return text;
}

void describe_executable(std::string& text, const char* what, const Trace& trace, const Executable& executable) {
    const ExecutableInfo& info = executable.info();
    text += fmt::format("    {}: {} recorded ops -> {} launches ({} kernels, {} library calls), {} ops fused, "
                        "{:.1f} ms to compile, {} bytes of code, {} bytes of temporaries\n",
                        what, trace.steps.size(), info.steps, info.kernels, info.library_calls, info.fused_ops,
                        info.compile_seconds * 1e3, info.code_bytes, info.arena_bytes);
    text += describe_notes(info.notes);
}

}  // namespace

std::string StaticRegion::Implementation::explain() const {
    std::string text = fmt::format("static_graph {} ({})\n", options.name, to_string(at));
    text += fmt::format("  {} calls: {} eager, {} compiled; {} audits, {} saw another program; {} programs\n",
                        statistics.calls, statistics.eager_calls, statistics.compiled_calls, statistics.audits,
                        statistics.mismatches, statistics.programs);
    if (said_unavailable) text += "  there is no compiler: every call runs eagerly\n";
    for (const auto& [key, entry] : entries) {
        text += fmt::format("  for {}: {} hits\n", entry.description, entry.hits);
        for (const auto& program : entry.variants) {
            if (program->executable()) describe_executable(text, "forward", program->forward(), *program->executable());
            if (program->backward_executable())
                describe_executable(text, "backward", program->backward(), *program->backward_executable());
        }
    }
    if (statistics.programs > 0) {
        KernelCacheState kernels = compiler().kernel_cache();
        text += fmt::format("  programs take {} of at most {} bytes, {} dropped; the process caches {} kernels, {} of at most "
                            "{} bytes, {} dropped\n",
                            bytes(), options.cache_bytes, statistics.dropped, kernels.kernels, kernels.bytes, kernels.limit,
                            kernels.dropped);
    }
    for (const std::string& line : history) text += "  " + line + "\n";
    return text;
}

StaticRegion::StaticRegion(StaticGraphOptions options, const std::source_location& at)
    : implementation_(std::make_unique<Implementation>()) {
    implementation_->options = std::move(options);
    implementation_->at = at;
}
StaticRegion::~StaticRegion() = default;

StaticRegion::Outcome StaticRegion::call(const Flat& arguments, const Body& body) {
    return implementation_->call(arguments, body);
}
void fail_to_rerun() {
    fail<ValueError>("save: the arguments of this region cannot be copied, so its code cannot be called on others");
}

void StaticRegion::save(const std::string& path, const PackageOptions& options, const Rerun& rerun) const {
    const Implementation& i = *implementation_;
    if (!i.last_entry || !i.last_entry->current)
        fail<ValueError>("save: region {} has no program yet; call it first", i.options.name);
    const Implementation::Entry& entry = *i.last_entry;
    save_package(path, entry.types, options, entry.current->device(), [&](const std::vector<Type>& types) {
        if (types == entry.types) return entry.current->exported();
        Flat arguments;
        for (size_t k = 0; k < types.size(); ++k)
            arguments.variables.emplace_back(Array::empty(types[k], meta_device()), bool(entry.want_gradients[k]));
        const SettingsScope settings(entry.config);
        Flat outputs;
        return StaticProgram::record(i.options.name, i.options.keep_grads, arguments,
                                     [&](Flat& made) { rerun(arguments, made); }, true, outputs)
            ->exported();
    });
}

std::string StaticRegion::explain() const { return implementation_->explain(); }
StaticGraphStatistics StaticRegion::statistics() const { return implementation_->statistics; }
void StaticRegion::clear() {
    Implementation& i = *implementation_;
    i.entries.clear();
    i.last_key = nullptr;
    i.last_entry = nullptr;
    i.recorded_once = false;
}

}  // namespace catena
