#include "frontend/static_graph/static_graph.h"

#include "frontend/capture/region.h"
#include "frontend/package/save_package.h"
#include "runtime/core/device.h"
#include "runtime/core/error.h"
#include "runtime/core/notice.h"

namespace catena {

struct StaticRegion::Implementation : capture::Region {
    using capture::Region::Region;
};

StaticRegion::StaticRegion(StaticGraphOptions options, const std::source_location& at)
    : implementation_(std::make_unique<Implementation>(std::move(options), at)) {}
StaticRegion::~StaticRegion() = default;

void fail_without_region() {
    fail<ValueError>("StaticFunction: it holds no region; assign one: f = ct::static_graph(...)");
}

StaticRegion::Outcome StaticRegion::call(const Flat& arguments, const Body& body) {
    return implementation_->call(arguments, body);
}

void fail_to_rerun() {
    fail<ValueError>(
        "save: the arguments of this region cannot be copied, so its code cannot be called on "
        "others");
}

void StaticRegion::save(const std::string& path, const PackageOptions& options,
                        const Rerun& rerun) const {
    const capture::SavedCall call = implementation_->last_call();
    save_package(path, call.types, options, call.device(), [&](const std::vector<Type>& types) {
        if (types == call.types) return call.exported();
        const QuietScope quiet;
        return call.exported_for(types, rerun);
    });
}

std::string StaticRegion::explain() const { return implementation_->explain(); }
RegionProfile StaticRegion::profile() const { return implementation_->profile(); }
void StaticRegion::save_html(const std::string& path) const { implementation_->save_html(path); }
StaticGraphStatistics StaticRegion::statistics() const { return implementation_->statistics(); }
void StaticRegion::clear() { implementation_->clear(); }

}  // namespace catena
