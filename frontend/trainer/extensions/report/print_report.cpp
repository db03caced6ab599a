#include "frontend/trainer/extensions/report/print_report.h"

#include <algorithm>

#include <unistd.h>

#include "frontend/serializer/serializer.h"
#include "frontend/trainer/trainer.h"
#include "runtime/core/system/error.h"

namespace catena::extensions {
namespace {

int width(const std::string& column) { return int(std::max<size_t>(10, column.size())); }

}  // namespace

PrintReport::PrintReport(std::vector<std::string> entries, std::string log_report, std::FILE* out)
    : entries_(std::move(entries)),
      log_name_(std::move(log_report)),
      out_(out),
      missing_("PrintReport", entries_) {}

PrintReport::PrintReport(std::vector<std::string> entries, LogReport&& log_report, std::FILE* out)
    : entries_(std::move(entries)),
      own_log_(std::make_shared<LogReport>(std::move(log_report))),
      out_(out),
      missing_("PrintReport", entries_) {}

void PrintReport::initialize(Trainer& trainer) {
    if (!own_log_)
        trainer.get_extension<LogReport>(log_name_);  // An error now, not after the first epoch.
}

void PrintReport::operator()(Trainer& trainer) {
    if (own_log_) (*own_log_)(trainer);
    const LogReport& report = own_log_ ? *own_log_ : trainer.get_extension<LogReport>(log_name_);
    if (!header_printed_) {
        for (size_t i = 0; i < entries_.size(); ++i)
            std::fprintf(out_, "%s%-*s", i ? "  " : "", width(entries_[i]), entries_[i].c_str());
        std::fputs("\n", out_);
        header_printed_ = true;
    }
    for (; printed_ < report.log().size(); ++printed_) print(report.log()[printed_]);
    std::fflush(out_);
}

void PrintReport::print(const LogEntry& entry) {
    if (isatty(fileno(out_))) std::fputs("\033[J", out_);  // Whatever a ProgressBar left below.
    for (const std::string& column : entries_) {
        std::optional<double> value = entry.find(column);
        std::fprintf(out_, "%-*s  ", width(column),
                     value ? fmt::format("{:g}", *value).c_str() : "");
    }
    std::fputs("\n", out_);
    for (const char* key : {"epoch", "iteration", "elapsed_time"}) missing_.saw(key);
    for (const auto& [key, value] : entry.values) missing_.saw(key);
    missing_.end_row();
}

void PrintReport::finalize() {
    missing_.end();
    if (own_log_) own_log_->finalize();
}

void PrintReport::serialize(const Serializer& s) {
    if (own_log_) own_log_->serialize(s["_log_report"]);
}

}  // namespace catena::extensions
