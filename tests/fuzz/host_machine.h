#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "frontend/catena.h"
#include "tests/fuzz/random_host_program.h"
#include "tests/support/beside.h"

namespace catena::fuzz {

/// Layers of equal size, so that any order of them fits.
struct HostModel : Chain {
    static constexpr int64_t units = 4;
    ChainList layers;
    BatchNormalization bn{
        units, {.eps = 1e-2}};  // Three rows may be all but equal: rounding must stay small.
    LSTM lstm{units, units};
    explicit HostModel(int layers);
};

/// Thrown by a program's own action.
struct HostError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// An ordinary program that does what a HostProgram lists. The same code runs plain and with its
/// regions compiled.
class HostMachine {
public:
    HostMachine(const HostProgram& program, testing::Side& side, Fault fault);
    /// One call and what is done before it; shows everything there is. A TraceError passes.
    void call(int number);
    bool moderate() const { return moderate_; }
    void count(Outcome& outcome) const;

private:
    struct StepResult {
        Variable value, loss;
        int counter;
    };
    using Inner = std::function<Variable(const Variable&)>;
    using Step = std::function<StepResult(const Variable&, const Variable&)>;

    Variable forward(const Variable& x);
    StepResult step(const Variable& x, const Variable& t);
    void run(std::span<const Action> actions);
    bool applies(const Action& action);
    void act(const Action& action);
    bool lasts_beyond_an_error(const Action& action) const;
    bool act_on_value(const Action& action);
    bool act_on_memory(const Action& action);
    bool act_by_pointer(const Action& action);
    Array target_of(const Action& action) const;
    std::vector<Array> held_arrays() const;
    bool act_on_training(const Action& action);
    void act_on_objects(const Action& action);
    void act_between(const Action& action);
    void make_optimizer(int kind);
    void drop_what_the_call_made();
    void forget_pointer();
    void show(const StepResult* result);
    void show_memory(const StepResult* result);
    Array numbers(const Shape& shape);
    Linear& layer(int which);
    Variable input(int number);
    Variable targets(int number);

    const HostProgram& program_;
    testing::Side& side_;
    Fault fault_;
    Dtype dtype_;
    std::mt19937 random_, rounding_;
    HostModel model_;
    std::unique_ptr<HostModel> average_;
    std::unique_ptr<Optimizer> optimizer_;
    std::vector<State> states_;
    std::vector<Variable> kept_;
    std::vector<size_t> kept_this_call_;
    Variable x_, t_, value_, loss_;
    std::vector<double> host_values_;
    std::vector<std::string> seen_memory_;
    Array addressed_;  ///< Its pointer is written through later.
    void* pointer_ = nullptr;
    std::span<const Action> inner_actions_;
    int counter_ = 0;
    int64_t rows_ = 3;
    bool takes_gradients_ = false, walked_ = false, in_step_ = false, bad_labels_ = false,
         has_failed_ = false, moderate_ = true;
    std::vector<std::unique_ptr<ConfigScope<bool>>> call_scopes_;
    // Last: their code uses the members above.
    testing::Region<Inner> forward_region_, inner_region_;
    testing::Region<Step> step_region_;
};

}  // namespace catena::fuzz
