#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/static_graph/static_graph.h"

namespace catena::fuzz {

/// What a host program can do at one place; see host_machine.cpp for what each does.
enum class Act : uint8_t {
    // On the present value.
    layer,
    activation,
    scale,
    scale_by_counter,
    loop,
    axis_by_counter,
    drop,
    noise,
    host_noise,
    batch_norm,
    recur,
    host_variable,
    convert,
    use_state,
    use_kept,
    use_kept_array,
    unchain,
    branch_on_value,
    pointer_write,
    write_element,
    take_pointer,
    write_by_pointer,
    look_at_memory,
    // On what lives longer.
    keep,
    read_value,
    update_state,
    replace_state,
    average_weights,
    throw_here,
    catch_here,
    // A training step.
    square_loss,
    label_loss,
    bad_labels,
    clear,
    clear_layer,
    backward,
    update,
    update_by_hand,
    set_by_hand,
    edit_gradients,
    read_gradient,
    cut_history,
    // Of the host's objects.
    freeze,
    thaw,
    add_decay,
    add_clipping,
    remove_hooks,
    rate,
    loss_scale,
    set_up_again,
    replace_layer,
    other_optimizer,
    reset_recurrence,
    reseed,
    // Around the actions that follow.
    test_mode,
    no_graph,
    inner_region,
    // Between calls only.
    backward_outside,
    gradient_outside,
    call_inner,
    fewer_rows,
    debug_call,
    test_call,
    eager_call,
};
inline constexpr int act_count = int(Act::eager_call) + 1;
std::string_view name_of(Act act);

struct Action {
    enum class When : uint8_t { always, every, from, chance };
    Act act = Act::layer;
    When when = When::always;
    int period = 1, phase = 0;
    int which = 0;  ///< Of the layers, states, members, ways there are; for a scope, how many
                    ///< actions are in it.
    double number = 0;
};

/// A random model and what an ordinary C++ program does with it. Plain data, so that it can be cut
/// down.
struct HostProgram {
    enum class Optimizing : uint8_t { sgd, momentum, adam };
    enum class Wrapped : uint8_t { step, forward, both };
    uint64_t seed = 0;
    int layers = 1;
    Optimizing optimizing = Optimizing::sgd;
    Wrapped wrapped = Wrapped::step;
    CompileMode mode = CompileMode::now;
    bool keep_grads = false;
    bool wide = true;  ///< float64
    uint32_t rounding =
        0;  ///< Other than 0: draws which inputs are one unit in the last place larger or smaller.
    int calls = 8;
    std::vector<Action> before;   ///< Each call.
    std::vector<Action> forward;  ///< The first part of a step.
    std::vector<Action> rest;
};

HostProgram random_host_program(uint64_t seed);
std::string to_string(const HostProgram& program);

/// What the harness does wrong on purpose, to see that it is noticed.
enum class Fault : uint8_t { none, perturbed_input, skipped_action, lost_state, moved_state };

struct Outcome {
    std::string difference;   ///< "" when both runs showed the same.
    std::string trace_error;  ///< What ended the compiled run early, as it may.
    int calls = 0;            ///< Compared.
    int errors = 0;           ///< Calls that end with one of the program's own errors.
    int64_t compiled_calls = 0, cuts = 0, programs = 0;
};
/// Runs the program plain and with its regions compiled, and compares all that it shows after every
/// call.
Outcome compare(const HostProgram& program, Fault fault = Fault::none);

/// The program without the actions and calls that its difference does not need.
HostProgram minimal(const HostProgram& program, Fault fault = Fault::none);

}  // namespace catena::fuzz
