#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace catena {

class Device;

/// Durations of nested calls by name: what timer hooks have measured.
class CallTimes {
public:
    struct Record {
        double elapsed_time = 0;  ///< Seconds, calls inside included.
        int occurrence = 0;
    };

    /// Name and seconds of every call, in the order in which they ended.
    const std::vector<std::pair<std::string, double>>& call_history() const {
        return call_history_;
    }
    double total_time() const { return total_; }  ///< Seconds; calls inside others count once.
    std::map<std::string, Record> summary() const;
    /// A table, longest first. Units: "auto" (one for the table), "auto_foreach", "s", "ms", "us",
    /// "ns"; ValueError for another.
    void print_report(std::ostream& out, const std::string& unit = "auto") const;
    void print_report(const std::string& unit = "auto") const;  ///< To std::cout.

protected:
    explicit CallTimes(const char* what)
        : what_(what) {}  ///< What is called: the head of the table.
    /// Waits until the device has computed what it was given; the host always has.
    static void finish_work(Device& device);
    void start();
    void stop(const std::string& name);  ///< Ends the call that began last; none, if it began
                                         ///< before the hook was added.

private:
    const char* what_;
    std::vector<double> running_;  ///< When they began, in seconds.
    std::vector<std::pair<std::string, double>> call_history_;
    double total_ = 0;
};

}  // namespace catena
