#pragma once

namespace catena {

/// How much of what a machine can do at most a launch did in its time. Fractions of 1; 0 where the
/// most is not known, and where the launch does nothing of that kind.
struct MachineShares {
    double memory = 0;    ///< The share of the memory's bandwidth, of bytes read and written.
    double products = 0;  ///< The share of the operations of products of the launch's dtype.
    double launch = 0;    ///< The share of the time that a launch of nothing takes on the device.

    /// The largest of the three: 1 could not be faster; 0 if nothing is known.
    double most() const {
        const double larger = memory > products ? memory : products;
        return larger > launch ? larger : launch;
    }
    /// The largest one's name: "memory", "products", "launch"; empty if nothing is known.
    const char* bound() const {
        const double all = most();
        return all <= 0 ? "" : all == products ? "products" : all == memory ? "memory" : "launch";
    }
};

}  // namespace catena
