#include "frontend/static_graph/call/profile_shares.h"

#include <map>
#include <string>

#include "runtime/profile/ceilings.h"
#include "runtime/program/schedule/product_type.h"

namespace catena {
namespace {

using profile::Ceilings;

std::vector<MachineShares> shares_of_rows(const RegionProfile& profile, Ceilings::Ask ask) {
    std::map<std::string, double> program_bytes;
    for (const RegionProfile::Row& row : profile.rows)
        program_bytes[row.program] += row.launch.bytes_read + row.launch.bytes_written;
    std::vector<MachineShares> shares;
    for (const RegionProfile::Row& row : profile.rows) {
        const LaunchReport& launch = row.launch;
        shares.push_back(profile::shares_of({.device = launch.device,
                                             .bytes = launch.bytes_read + launch.bytes_written,
                                             .operations = launch.product_operations,
                                             .product_type = program::product_type(launch),
                                             .program_bytes = program_bytes[row.program]},
                                            row.milliseconds() * 1e-3, ask));
    }
    return shares;
}

}  // namespace

std::vector<MachineShares> machine_shares(const RegionProfile& profile) {
    return shares_of_rows(profile, Ceilings::Ask::measure);
}

std::vector<MachineShares> known_machine_shares(const RegionProfile& profile) {
    return shares_of_rows(profile, Ceilings::Ask::known);
}

}  // namespace catena
