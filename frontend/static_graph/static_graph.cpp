#include "frontend/static_graph/static_graph.h"

#include <atomic>

#include "frontend/capture/region/region.h"
#include "frontend/package/save_package.h"
#include "runtime/core/array/device.h"
#include "runtime/core/memory/out_of_memory.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/notice.h"

namespace catena {
namespace {

using Value = std::shared_ptr<void>;

Value copy(const ValueType& type, const void* value) { return {type.copy(value), type.destroy}; }

Value copy_without_variables(const ValueType& type, const void* value) {
    Value made = copy(type, value);
    FillVariables none;
    type.fill(made.get(), none);
    return made;
}

}  // namespace

/// The arguments of a region's first call without their Variables: its code can be called again,
/// with others.
class FirstCall {
public:
    FirstCall(const RegionCall& how, void* const* arguments) : how_(how) {
        for (size_t i = 0; i < how.argument_count; ++i)
            arguments_.push_back(copy_without_variables(*how.arguments[i], arguments[i]));
    }
    void again(void* callable, Flat variables, Flat& outputs) const {
        FillVariables filling(variables);
        std::vector<Value> filled;
        std::vector<void*> places;
        for (size_t i = 0; i < how_.argument_count; ++i) {
            filled.push_back(copy(*how_.arguments[i], arguments_[i].get()));
            places.push_back(filled[i].get());
            how_.arguments[i]->fill(places[i], filling);
        }
        how_.run(callable, places.data(), nullptr, outputs);
    }

private:
    const RegionCall& how_;
    std::vector<Value> arguments_;
};

namespace {

bool can_be_copied(const RegionCall& how) {
    for (size_t i = 0; i < how.argument_count; ++i)
        if (!how.arguments[i]->copy) return false;
    return true;
}

}  // namespace

struct StaticRegion::Implementation : capture::Region {
    using capture::Region::Region;
    ~Implementation() { delete first.load(); }

    /// Remembers how a call is made; of several threads' first calls one is kept.
    void remember(const RegionCall& how, void* const* arguments) {
        if (!can_be_copied(how)) return;
        auto call = std::make_unique<const FirstCall>(how, arguments);
        const FirstCall* none = nullptr;
        if (first.compare_exchange_strong(none, call.get(), std::memory_order_acq_rel))
            call.release();
    }
    std::atomic<const FirstCall*> first = nullptr;
};

StaticRegion::StaticRegion(StaticGraphOptions options, const SourceLoc& at) try
    : implementation_(new Implementation(std::move(options), at)) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("static_graph");
}
StaticRegion::StaticRegion(std::string_view name, const SourceLoc& at) try
    : StaticRegion(StaticGraphOptions{.name = std::string(name)}, at) {
} catch (const std::bad_alloc&) {
    throw_out_of_memory("static_graph", name);
}
StaticRegion::StaticRegion(StaticRegion&&) noexcept = default;
StaticRegion& StaticRegion::operator=(StaticRegion&&) noexcept = default;
StaticRegion::~StaticRegion() = default;

StaticRegion::Implementation& StaticRegion::there() const {
    if (!implementation_)
        fail<ValueError>(
            "static_graph: this region was moved to another one, which has its programs");
    return *implementation_;
}

void StaticRegion::call(const RegionCall& how, void* callable, void* const* arguments,
                        void* place) try {
    Implementation& region = there();  // The code may move this.
    Flat flat;
    for (size_t i = 0; i < how.argument_count; ++i) how.arguments[i]->list(arguments[i], flat);
    if (!region.first.load(std::memory_order_acquire)) region.remember(how, arguments);
    const void* result = nullptr;
    capture::Outcome outcome = region.call(
        flat, [&](Flat& outputs) { result = how.run(callable, arguments, place, outputs); });
    if (!how.result) return;
    const auto& [type, copy_into] = *how.result;
    if (outcome.replayed) {
        FillVariables filling(outcome.outputs);
        void* filled = copy_into ? copy_into(place, outcome.result_template->get())
                                 : &static_cast<detail::Place<Variable>*>(place)->value;
        type->fill(filled, filling);
    } else if (outcome.result_template && copy_into) {
        *outcome.result_template = copy_without_variables(*type, result);
    }
} catch (const std::bad_alloc&) {
    throw_out_of_memory("static_graph");
}

void StaticRegion::save(const std::string& path, const PackageOptions& options,
                        void* callable) const try {
    const capture::SavedCall call = there().last_call();
    const auto rerun = [&](const Flat& arguments, Flat& outputs) {
        const FirstCall* first = there().first.load(std::memory_order_acquire);
        if (!first)
            fail<ValueError>(
                "save: sizes are left open, but the region's code cannot be called at other sizes, "
                "since its arguments cannot be copied; give copyable arguments, or no open_sizes");
        first->again(callable, arguments, outputs);
    };
    save_package(path, call.types, options, call.device(), [&](const std::vector<Type>& types) {
        if (types == call.types) return call.exported();
        const QuietScope quiet;
        return call.exported_for(types, rerun);
    });
} catch (const std::bad_alloc&) {
    throw_out_of_memory("static_graph: save", path);
}

std::string StaticRegion::explain() const try {
    // The report itself is made under locks, and measures nothing.
    if (const RegionProfile profile = there().profile(); profile.is_timed) machine_shares(profile);
    return there().explain();
} catch (const std::bad_alloc&) {
    throw_out_of_memory("static_graph", "explain");
}
RegionProfile StaticRegion::profile() const try {
    return there().profile();
} catch (const std::bad_alloc&) {
    throw_out_of_memory("static_graph", "profile");
}
void StaticRegion::save_html(const std::string& path) const try {
    there().save_html(path);
} catch (const std::bad_alloc&) {
    throw_out_of_memory("static_graph: save_html", path);
}
StaticGraphStatistics StaticRegion::statistics() const { return there().statistics(); }
void StaticRegion::clear() { there().clear(); }

}  // namespace catena
