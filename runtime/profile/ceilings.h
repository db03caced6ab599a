#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "runtime/core/system/fork.h"
#include "runtime/file/disk_cache.h"
#include "runtime/profile/machine_shares.h"

namespace catena::profile {

/// The most that a device of this machine can do. Each number is measured when it is first asked
/// for and kept in the folder of compiled code (runtime/file/disk_cache.h) by the machine's name,
/// so that later processes need not measure. 0 stands for what cannot be measured here.
class Ceilings {
public:
    /// Whether a number that is not known yet is measured, which takes up to a second and wants
    /// none of Catena's locks held by the caller, or is 0.
    enum class Ask { measure, known };

    /// The ceilings of the device of this name, "cpu" or "cuda:0", with the runtime's present count
    /// of threads. All are 0 for a device that this process cannot reach.
    static Ceilings& of(const std::string& device);

    /// Bytes a second that are read and written. On the host arrays of few bytes stay in the
    /// caches, and so `bytes`, what a program touches in all, decides; a device has one number.
    double bandwidth(double bytes, Ask ask = Ask::measure);
    /// Multiplications and additions a second in products of large matrices of "float32", "tf32",
    /// "bfloat16", "float16" or "float64".
    double products(const std::string& type, Ask ask = Ask::measure);
    /// Seconds that a kernel with nothing to do takes, launched by itself after another one, and as
    /// one of many nodes of a graph. 0 on the host.
    double launch_seconds(Ask ask = Ask::measure);
    double node_seconds(Ask ask = Ask::measure);

    /// Measures everything that the device has, anew, and keeps it.
    void measure_all();
    /// What is known so far, by name: "memory", "memory 2^20", "products tf32", "launch", "node".
    std::map<std::string, double> known();
    /// Takes a number for measured in this process; it is not kept.
    void set(const std::string& name, double value);
    /// What the numbers hold for, which is the key that they are kept by.
    const std::string& machine() const { return machine_; }

    /// The ceilings of a device that are kept by this name.
    Ceilings(std::string device, std::string machine, DiskCache& disk = DiskCache::instance());

private:
    using Measure = std::function<double()>;
    double find(const std::string& name, Ask ask, const Measure& measure);
    double measured(const std::string& name, const Measure& measure);
    void read();
    void keep();
    std::string key() const { return "ceilings 1\n" + machine_; }

    std::string device_, machine_;
    DiskCache& disk_;
    std::mutex& mutex_ = taken_by_forks(*new std::mutex);
    std::map<std::string, double> values_;
};

/// What a launch has to do.
struct LaunchCost {
    std::string device;        ///< The device's name: "cpu", "cuda:0".
    double bytes = 0;          ///< Bytes read and written.
    double operations = 0;     ///< Multiplications and additions of a product or convolution.
    std::string product_type;  ///< What it multiplies, as for Ceilings::products.
    double program_bytes = 0;  ///< Read and written by all launches of its program.
};

/// What it used of its device in `seconds`.
MachineShares shares_of(const LaunchCost& cost, double seconds,
                        Ceilings::Ask ask = Ceilings::Ask::measure);

}  // namespace catena::profile
