#include "runtime/cuda/cudnn/cudnn_plan.h"

#ifdef CATENA_HAS_CUDNN

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

namespace catena::cuda {

namespace {

Descriptor graph_of(const Descriptor& operation, const EngineSource& source) {
    Descriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    if (source.handle) graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, source.handle);
    graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
    graph.finalize();
    return graph;
}

/// Finalized engine configurations, the best first. Some modes know nothing of some operations.
std::vector<Descriptor> configurations_for(const Descriptor& graph, const EngineSource& source,
                                           cudnnBackendHeurMode_t mode) {
    try {
        Descriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
        heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
        heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, mode);
        if (source.properties) heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *source.properties);
        heuristics.finalize();
        return heuristics.get_descriptors(CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                          CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    } catch (const CudnnError& error) {
        if (!error.refused()) throw;
        return {};
    }
}

Descriptor engine_of(const Descriptor& configuration) {
    auto engines =
        configuration.get_descriptors(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    return std::move(engines.at(0));
}

bool allowed(const Descriptor& engine, const EngineRules& rules) {
    const auto notes = engine.get<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE);
    return std::all_of(notes.begin(), notes.end(), [&](auto note) { return rules.allow(note); });
}

bool compiles(const Descriptor& engine) {
    const auto notes = engine.get<cudnnBackendBehaviorNote_t>(CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE);
    return std::find(notes.begin(), notes.end(), CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION) !=
           notes.end();
}

void set_source(Descriptor& plan, const EngineSource& source) {
    if (source.handle) plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, source.handle);
    if (source.properties) plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *source.properties);
}

/// What the plan will want, as far as cuDNN says so beforehand: some plans take a second to make.
size_t workspace_of(const Descriptor& configuration) {
    try {
        return size_t(configuration.number(CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE));
    } catch (const CudnnError& error) {
        if (!error.refused()) throw;
        return 0;
    }
}

/// The plan of an engine; nothing when it cannot do it after all: heuristics promise less than
/// plans.
std::optional<Descriptor> plan_of(const Descriptor& configuration, const EngineSource& source) {
    try {
        Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        set_source(plan, source);
        plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
        plan.finalize();
        return plan;
    } catch (const CudnnError&) {
        return std::nullopt;
    }
}

}  // namespace

bool EngineRules::allow(cudnnBackendNumericalNote_t note) const {
    switch (note) {
        case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:  // Of float32 they take the ten leading bits.
            return tensor_cores;
        case CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP:
        case CUDNN_NUMERICAL_NOTE_WINOGRAD:
            return true;
        default:  // Less precise products or sums, large Winograd tiles, FFT, results that vary;
                  // what is not known.
            return false;
    }
}

std::vector<Plan> Plan::find(Operation operation, const EngineSource& source,
                             const EngineRules& rules, size_t most, size_t* skipped) {
    auto fits = [&](size_t workspace) {
        if (workspace > rules.most_workspace && skipped && *skipped == 0) *skipped = workspace;
        return workspace <= rules.most_workspace;
    };
    operation.push_back(graph_of(operation.back(), source));
    const auto parts = std::make_shared<const std::vector<Descriptor>>(std::move(operation));
    std::vector<Plan> plans;
    const auto is_new = [&](const Plan& plan) {  // Modes name the same ones.
        return most == 1 ||
               std::ranges::none_of(plans, [&](const Plan& p) { return p.text() == plan.text(); });
    };
    for (cudnnBackendHeurMode_t mode :
         {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK}) {
        if (most == 1 && mode == CUDNN_HEUR_MODE_B)
            continue;  // A better order that takes longer to make; here it is measured.
        for (Descriptor& configuration : configurations_for(parts->back(), source, mode)) {
            if (plans.size() == most) return plans;
            const Descriptor engine = engine_of(configuration);
            if (!allowed(engine, rules) || !fits(workspace_of(configuration))) continue;
            std::optional<Descriptor> made = plan_of(configuration, source);
            if (!made || !fits(size_t(made->number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE))))
                continue;
            Plan plan(parts, std::move(configuration), std::move(*made));
            plan.engine_ = engine.number(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
            plan.compiled_ = compiles(engine);
            if (is_new(plan)) plans.push_back(std::move(plan));
        }
    }
    return plans;
}

Plan::Plan(Parts parts, std::optional<Descriptor> configuration, Descriptor plan)
    : parts_(std::move(parts)),
      configuration_(std::move(configuration)),
      plan_(std::move(plan)),
      workspace_(size_t(plan_.number(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE))) {}

std::optional<Plan> Plan::from_text(const std::string& all, const EngineSource& source) {
    int64_t engine = 0;
    const size_t line = all.find('\n');
    const char* const end = all.data() + std::min(line, all.size());
    if (line == all.npos || std::from_chars(all.data(), end, engine).ptr != end)
        return std::nullopt;
    const std::string text = all.substr(line + 1);
    try {
        Descriptor made(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
        set_source(made, source);
        made.set_all<char>(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                           {text.c_str(), text.size() + 1});
        made.finalize();
        Plan plan(nullptr, std::nullopt, std::move(made));
        plan.engine_ = engine;
        plan.kept_ = true;
        return plan;
    } catch (const CudnnError&) {
        return std::nullopt;
    }
}

std::string Plan::text() const {
    const std::vector<char> text = plan_.get<char>(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION);
    return fmt::format("{}\n{}", engine_,
                       std::string_view(text.data(), strnlen(text.data(), text.size())));
}

void Plan::execute(cudnnHandle_t handle, std::span<const Binding> bindings, void* workspace) const {
    std::vector<int64_t> ids;
    std::vector<void*> memory;
    for (const Binding& binding : bindings) {
        ids.push_back(binding.id);
        memory.push_back(binding.memory);
    }
    Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set_all<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
    pack.set_all<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, memory);
    pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, workspace);
    pack.finalize();
    check_cudnn(cudnn().cudnnBackendExecute(handle, plan_.get(), pack.get()),
                "cudnnBackendExecute");
}

}  // namespace catena::cuda

#endif
