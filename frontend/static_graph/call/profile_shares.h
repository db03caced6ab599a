#pragma once

#include <vector>

#include "runtime/profile/machine_shares.h"

namespace catena {

struct RegionProfile;

/// How much of what its device can do at most each row of a profile used, in the order of the rows.
/// A device is measured where nobody has done so before, which takes seconds; what was measured is
/// kept for later processes (runtime/profile/ceilings.h).
std::vector<MachineShares> machine_shares(const RegionProfile& profile);
/// The shares of the machine's ceilings, with 0 for those that nobody has measured.
std::vector<MachineShares> known_machine_shares(const RegionProfile& profile);

}  // namespace catena
