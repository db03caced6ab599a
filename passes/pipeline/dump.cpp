#include "passes/pipeline/dump.h"

#include <fstream>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Operation.h"
#include "mlir/Pass/Pass.h"

#include "runtime/core/system/environment.h"
#include "runtime/core/system/fork.h"
#include "runtime/core/system/log.h"
#include "runtime/file/file_name.h"
#include "runtime/profile/profiler.h"

namespace catena::passes {

namespace {

/// Stages of code generation, in addition to the pipeline's.
constexpr const char* code_stages[] = {"schedule", "kernels", "kernels-llvm-dialect",
                                       "kernels-code", "kernels-cuda"};

/// REGION, then REGION-2 ...: a name that no other compilation of this process has.
std::string own_folder(const std::string& region) {
    static std::mutex& mutex = taken_by_forks(*new std::mutex);
    static auto& seen = *new std::map<std::string, int>;
    std::lock_guard lock(mutex);
    int n = ++seen[region];
    return n == 1 ? region : region + "-" + std::to_string(n);
}

}  // namespace

DumpSettings DumpSettings::from_environment(std::vector<std::string> names) {
    names.insert(names.begin(), {"after-all", "import"});
    names.insert(names.end(), std::begin(code_stages), std::end(code_stages));
    return {environment::choice("CATENA_PRINT_IR", names).value_or(""),
            environment::text("CATENA_DUMP_DIR").value_or(""),
            environment::flag("CATENA_TIME", false)};
}

std::string print_with_places(mlir::Operation* op) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    mlir::AsmState::LocationMap places;
    mlir::AsmState state(op, mlir::OpPrintingFlags(), &places);
    op->print(stream, state);

    std::map<unsigned, std::string> comments;  // By line, from 1.
    op->walk([&](mlir::Operation* inner) {
        // Arithmetic inside a map has the map's location.
        if (inner->getParentOp() && inner->getParentOp()->getLoc() == inner->getLoc()) return;
        auto file = inner->getLoc()->findInstanceOf<mlir::FileLineColLoc>();
        auto place = places.find(inner);
        if (!file || place == places.end()) return;
        std::string name = std::filesystem::path(file.getFilename().str()).filename();
        comments[place->second.first] = "  // " + name + ":" + std::to_string(file.getLine());
    });
    std::string result;
    unsigned line = 1;
    for (llvm::StringRef rest = text; !rest.empty(); ++line) {
        auto [head, tail] = rest.split('\n');
        result += head.str() + comments[line] + "\n";
        rest = tail;
    }
    return result;
}

Dump::Dump(const std::string& region, DumpSettings settings)
    : region_(file_name_of(region)), settings_(std::move(settings)) {
    if (settings_.directory.empty()) return;
    folder_ = settings_.directory + "/" + own_folder(region_);
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) {
        say(LogLevel::error, "CATENA_DUMP_DIR: cannot make " + folder_ + ": " + error.message());
        folder_.clear();
    }
}

bool Dump::wants(llvm::StringRef stage) const {
    return !folder_.empty() || settings_.print == "after-all" || stage == settings_.print;
}

void Dump::program(llvm::StringRef stage, mlir::Operation* op) {
    if (wants(stage)) show(stage, "mlir", print_with_places(op), true);
}

void Dump::text(llvm::StringRef stage, llvm::StringRef extension, llvm::StringRef text) {
    show(stage, extension, text, stage == settings_.print);
}

void Dump::show(llvm::StringRef stage, llvm::StringRef extension, llvm::StringRef text,
                bool print) {
    if (print && (settings_.print == "after-all" || stage == settings_.print))
        llvm::errs() << "// ---- " << region_ << " after " << stage << "\n" << text << "\n";
    if (folder_.empty()) return;
    std::string number = std::to_string(number_++);
    if (number.size() < 2) number = "0" + number;
    std::ofstream file(folder_ + "/" + number + "-" + file_name_of(stage.str()) + "." +
                       extension.str());
    file << text.str();
}

void Dump::time(llvm::StringRef stage, Clock::time_point begin, Clock::time_point end) {
    profile::add({.name = stage.str(), .category = "stage of compilation"}, begin, end);
    if (!settings_.time) return;
    const double milliseconds = std::chrono::duration<double, std::milli>(end - begin).count();
    llvm::errs() << fmt::format("catena: {} {} {:.2f} ms\n", region_, stage.str(), milliseconds);
}

namespace {

class DumpInstrumentation : public mlir::PassInstrumentation {
public:
    explicit DumpInstrumentation(Dump& dump) : dump_(dump) {}

    void runBeforePass(mlir::Pass* pass, mlir::Operation*) override {
        if (is_stage(pass)) starts_.push_back(Dump::Clock::now());
    }
    void runAfterPass(mlir::Pass* pass, mlir::Operation* op) override {
        if (!is_stage(pass)) return;
        dump_.time(stage_of(pass), starts_.back(), Dump::Clock::now());
        starts_.pop_back();
        dump_.program(stage_of(pass), op);
    }
    void runAfterPassFailed(mlir::Pass* pass, mlir::Operation*) override {
        if (is_stage(pass)) starts_.pop_back();
    }

private:
    /// Whether a pass is a stage: adaptors that only nest other passes have no argument.
    static bool is_stage(mlir::Pass* pass) { return !pass->getArgument().empty(); }
    static llvm::StringRef stage_of(mlir::Pass* pass) {
        llvm::StringRef name = pass->getArgument();
        name.consume_front("catena-");
        return name;
    }

    Dump& dump_;
    std::vector<Dump::Clock::time_point> starts_;
};

}  // namespace

std::unique_ptr<mlir::PassInstrumentation> dump_instrumentation(Dump& dump) {
    return std::make_unique<DumpInstrumentation>(dump);
}

}  // namespace catena::passes
