#include "frontend/static_graph/static_function.h"

#include "runtime/core/system/error.h"

namespace catena {

AnyStaticFunction::AnyStaticFunction(StaticRegion* owned, void (*destroy)(StaticRegion*),
                                     void* callable)
    : region_(owned, destroy), callable_(callable) {}

const std::shared_ptr<StaticRegion>& AnyStaticFunction::region() const {
    if (!region_)
        fail<ValueError>(
            "StaticFunction: it holds no region; assign one: f = ct::static_graph(...)");
    return region_;
}

void AnyStaticFunction::save(const std::string& path, const PackageOptions& options) const {
    region()->save(path, options, callable_);
}
std::string AnyStaticFunction::explain() const { return region()->explain(); }
RegionProfile AnyStaticFunction::profile() const { return region()->profile(); }
void AnyStaticFunction::save_html(const std::string& path) const { region()->save_html(path); }
StaticGraphStatistics AnyStaticFunction::statistics() const { return region()->statistics(); }
void AnyStaticFunction::clear() const { region()->clear(); }

}  // namespace catena
