#include "runtime/program/schedule/product_type.h"

namespace catena::program {

std::string product_type(const LaunchReport& report) {
    if (report.product_operations <= 0) return "";
    if (report.method.find(tf32_method) != std::string::npos) return "tf32";
    return report.sizes.substr(0, report.sizes.find('['));
}

}  // namespace catena::program
