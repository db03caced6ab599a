#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace catena {

class Device;

/// The durations of nested calls, by name, that timer hooks have measured.
class CallTimes {
public:
    /// What was measured of the calls of one name.
    struct Record {
        double elapsed_time = 0;  ///< Seconds, including calls inside of this one.
        /// Number of calls.
        int occurrence = 0;
    };

    /// Name and seconds of every call, in the order in which they ended.
    const std::vector<std::pair<std::string, double>>& call_history() const {
        return call_history_;
    }
    /// Total seconds; calls inside others count once.
    double total_time() const { return total_; }
    /// The records by name.
    std::map<std::string, Record> summary() const;
    /// Prints a table, longest first. Units: "auto" (one for the table), "auto_foreach", "s", "ms",
    /// "us", "ns"; ValueError for another.
    void print_report(std::ostream& out, const std::string& unit = "auto") const;
    /// Prints the table to std::cout.
    void print_report(const std::string& unit = "auto") const;

protected:
    /// `what` names the things that are called, in the head of the table.
    explicit CallTimes(const char* what) : what_(what) {}
    /// Waits until the device has finished all its work; on the host there is nothing to wait for.
    static void finish_work(Device& device);
    void start();
    /// Ends the measurement of the call that began last. If none has, the call began before the
    /// hook was added, and nothing happens.
    void stop(const std::string& name);

private:
    const char* what_;
    std::vector<double> running_;  ///< Start times of the calls under way, in seconds.
    std::vector<std::pair<std::string, double>> call_history_;
    double total_ = 0;
};

}  // namespace catena
