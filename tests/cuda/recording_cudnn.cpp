#include "tests/cuda/recording_cudnn.h"

#ifdef CATENA_HAS_CUDNN

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/cuda/cudnn_reference.h"

namespace catena::testing {

/// A descriptor: its attributes as bytes.
struct RecordingCudnn::Described {
    cudnnBackendDescriptorType_t type;
    bool finalized = false;
    std::map<cudnnBackendAttributeName_t, std::string> attributes = {};

    bool has(cudnnBackendAttributeName_t name) const { return attributes.contains(name); }
    template <class T>
    std::vector<T> all(cudnnBackendAttributeName_t name) const {
        const auto found = attributes.find(name);
        if (found == attributes.end())
            throw std::logic_error(fmt::format("no attribute {}", int(name)));
        std::vector<T> values(found->second.size() / sizeof(T));
        std::memcpy(values.data(), found->second.data(), found->second.size());
        return values;
    }
    template <class T>
    T one(cudnnBackendAttributeName_t name) const {
        return all<T>(name).at(0);
    }
    const Described& part(cudnnBackendAttributeName_t name) const { return *one<Described*>(name); }
    template <class T>
    void put(cudnnBackendAttributeName_t name, const T& value) {
        attributes[name] = std::string(reinterpret_cast<const char*>(&value), sizeof value);
    }
};

/// The entries. cuDNN's descriptors are pointers to ours.
struct DoubleOfCudnn {
    using Described = RecordingCudnn::Described;
    static inline RecordingCudnn* self = nullptr;

    static Described& in(cudnnBackendDescriptor_t d) { return *static_cast<Described*>(d); }
    static cudnnStatus_t note(const char* name, const std::string& text) {
        self->calls.push_back(std::string(name) + " " + text);
        return self->failing == name ? self->failure : CUDNN_STATUS_SUCCESS;
    }

    static size_t size_of(cudnnBackendAttributeType_t type) {
        switch (type) {
            case CUDNN_TYPE_BOOLEAN:
            case CUDNN_TYPE_CHAR:
                return 1;
            case CUDNN_TYPE_HANDLE:
            case CUDNN_TYPE_INT64:
            case CUDNN_TYPE_DOUBLE:
            case CUDNN_TYPE_VOID_PTR:
            case CUDNN_TYPE_BACKEND_DESCRIPTOR:
                return 8;
            default:
                return 4;
        }
    }

    static cudnnStatus_t create(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t* made) {
        auto described = std::make_unique<Described>(Described{type});
        *made = described.get();
        self->descriptors_.insert(std::move(described));
        return CUDNN_STATUS_SUCCESS;
    }

    static cudnnStatus_t destroy(cudnnBackendDescriptor_t d) {
        const auto found = std::find_if(self->descriptors_.begin(), self->descriptors_.end(),
                                        [&](const auto& each) { return each.get() == d; });
        if (found == self->descriptors_.end()) return CUDNN_STATUS_BAD_PARAM;
        self->descriptors_.erase(found);
        return CUDNN_STATUS_SUCCESS;
    }

    static cudnnStatus_t set(cudnnBackendDescriptor_t d, cudnnBackendAttributeName_t name,
                             cudnnBackendAttributeType_t type, int64_t count, const void* values) {
        if (in(d).finalized) return CUDNN_STATUS_BAD_PARAM;
        if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
            for (int64_t i = 0; i < count; ++i)
                if (!in(static_cast<void* const*>(values)[i]).finalized)
                    return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
        in(d).attributes[name] =
            std::string(static_cast<const char*>(values), size_t(count) * size_of(type));
        return note("cudnnBackendSetAttribute", fmt::format("{}", int(name)));
    }

    static cudnnStatus_t finalize(cudnnBackendDescriptor_t d) {
        if (in(d).has(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION) && !restore(in(d)))
            return CUDNN_STATUS_BAD_PARAM;
        if (in(d).type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR && !engine_in(in(d)).works)
            return CUDNN_STATUS_NOT_SUPPORTED;
        in(d).finalized = true;
        return note("cudnnBackendFinalize", fmt::format("{}", int(in(d).type)));
    }

    static std::string text_of(const Described& plan) {
        return fmt::format(
            "configuration {}",
            static_cast<const void*>(&plan.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)));
    }
    /// From the text of a plan whose parts still live.
    static bool restore(Described& plan) {
        const std::string text = plan.attributes[CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION];
        for (const auto& each : self->descriptors_) {
            plan.put(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, each.get());
            if (text_of(plan) == text.c_str()) return true;
        }
        return false;
    }

    // An engine's place in the list stands in its configurations' and its own
    // CUDNN_ATTR_ENGINE_GLOBAL_INDEX.
    static const RecordingCudnn::Engine& engine_in(const Described& d) {
        const Described& configuration = d.has(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)
                                             ? d.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)
                                             : d;
        return self->engines.at(size_t(configuration.one<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX)));
    }

    static bool has_gaps(const Described& operation) {
        for (const auto& [name, bytes] : operation.attributes) {
            if (bytes.size() != sizeof(void*)) continue;
            const auto* part = *reinterpret_cast<Described* const*>(bytes.data());
            const bool ours = std::any_of(self->descriptors_.begin(), self->descriptors_.end(),
                                          [&](const auto& each) { return each.get() == part; });
            if (!ours || part->type != CUDNN_BACKEND_TENSOR_DESCRIPTOR) continue;
            const HostTensor tensor = tensor_of(*part);
            int64_t step = 1;
            for (size_t d = tensor.sizes.size(); d-- > 0; step *= tensor.sizes[d])
                if (tensor.steps[d] != step) return true;
        }
        return false;
    }

    static cudnnStatus_t heuristics(const Described& d, int64_t room, int64_t* count,
                                    void** places) {
        const Described& graph = d.part(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
        if (!self->takes_views && has_gaps(graph.part(CUDNN_ATTR_OPERATIONGRAPH_OPS))) {
            *count = 0;
            return CUDNN_STATUS_SUCCESS;
        }
        const auto mode = d.one<cudnnBackendHeurMode_t>(CUDNN_ATTR_ENGINEHEUR_MODE);
        int64_t found = 0;
        for (size_t i = 0; i < self->engines.size(); ++i) {
            if (self->engines[i].mode != mode) continue;
            if (found < room) {
                Described& configuration = in(places[found]);
                configuration.put(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, int64_t(i));
                configuration.put(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, &graph);
                configuration.finalized = true;
            }
            ++found;
        }
        *count = found;
        return room == 0 ? CUDNN_STATUS_SUCCESS
                         : note("heuristics", fmt::format("mode {}", int(mode)));
    }

    static cudnnStatus_t get(cudnnBackendDescriptor_t handle, cudnnBackendAttributeName_t name,
                             cudnnBackendAttributeType_t, int64_t room, int64_t* count,
                             void* values) {
        const Described& d = in(handle);
        if (!d.finalized) return CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED;
        auto give = [&](const auto& all) {
            *count = int64_t(all.size());
            if (room > 0)
                std::memcpy(values, all.data(),
                            std::min(size_t(room), all.size()) * sizeof(all[0]));
            return CUDNN_STATUS_SUCCESS;
        };
        switch (name) {
            case CUDNN_ATTR_ENGINEHEUR_RESULTS:
                return heuristics(d, room, count, static_cast<void**>(values));
            case CUDNN_ATTR_ENGINECFG_ENGINE: {
                *count = 1;
                if (room == 0) return CUDNN_STATUS_SUCCESS;
                Described& engine = in(*static_cast<void**>(values));
                engine.attributes = d.attributes;
                engine.finalized = true;
                return CUDNN_STATUS_SUCCESS;
            }
            case CUDNN_ATTR_ENGINE_GLOBAL_INDEX:
                return give(std::vector{engine_in(d).index});
            case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
                return give(engine_in(d).notes);
            case CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE:
                return give(
                    std::vector(engine_in(d).compiled, CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION));
            case CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION:
                return give(text_of(d) + '\0');
            case CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE:
            case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
                return give(std::vector{engine_in(d).workspace});
            default:
                return CUDNN_STATUS_BAD_PARAM;
        }
    }

    static HostTensor tensor_of(const Described& d) {
        return {.type = d.one<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE),
                .sizes = d.all<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS),
                .steps = d.all<int64_t>(CUDNN_ATTR_TENSOR_STRIDES)};
    }

    /// The tensors of an operation where the pack says that they lie.
    struct Bound {
        const Described& operation;
        const Described& pack;

        HostTensor operator()(cudnnBackendAttributeName_t name) const {
            const Described& d = operation.part(name);
            HostTensor tensor = tensor_of(d);
            const auto ids = pack.all<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
            const auto memory = pack.all<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
            const int64_t id = d.one<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
            for (size_t i = 0; i < ids.size(); ++i)
                if (ids[i] == id) tensor.memory = memory.at(i);
            if (!tensor.memory) throw std::logic_error(fmt::format("tensor {} has no memory", id));
            if (reinterpret_cast<uintptr_t>(tensor.memory) %
                uintptr_t(d.one<int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT)))
                throw std::logic_error(fmt::format("tensor {} is less aligned than was said", id));
            return tensor;
        }
    };

    static HostWindow convolution_window(const Described& d) {
        if (d.one<cudnnConvolutionMode_t>(CUDNN_ATTR_CONVOLUTION_CONV_MODE) !=
            CUDNN_CROSS_CORRELATION)
            throw std::logic_error("only cross correlations are known");
        return {.before = d.all<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS),
                .after = d.all<int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS),
                .stride = d.all<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES),
                .dilate = d.all<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS),
                .size = {}};
    }
    static HostWindow pooling_window(const Described& d) {
        if (d.one<cudnnResampleMode_t>(CUDNN_ATTR_RESAMPLE_MODE) !=
            CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING)
            throw std::logic_error("only means that count the border are known");
        const auto stride = d.all<int64_t>(CUDNN_ATTR_RESAMPLE_STRIDES);
        return {.before = d.all<int64_t>(CUDNN_ATTR_RESAMPLE_PRE_PADDINGS),
                .after = d.all<int64_t>(CUDNN_ATTR_RESAMPLE_POST_PADDINGS),
                .stride = stride,
                .dilate = std::vector<int64_t>(stride.size(), 1),
                .size = d.all<int64_t>(CUDNN_ATTR_RESAMPLE_WINDOW_DIMS)};
    }

    static void compute(const Described& o, const Bound& t) {
        switch (o.type) {
            case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
                return host_convolution(
                    ConvolutionResult::y, t(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X),
                    t(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W),
                    t(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y),
                    convolution_window(o.part(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC)));
            case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
                return host_convolution(
                    ConvolutionResult::x, t(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX),
                    t(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W),
                    t(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY),
                    convolution_window(
                        o.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC)));
            case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
                return host_convolution(
                    ConvolutionResult::W, t(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X),
                    t(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW),
                    t(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY),
                    convolution_window(
                        o.part(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC)));
            case CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR:
                return host_average_pooling(
                    true, t(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC),
                    t(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC),
                    pooling_window(o.part(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC)));
            case CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR:
                return host_average_pooling(
                    false, t(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC),
                    t(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC),
                    pooling_window(o.part(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC)));
            case CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR:
                return host_normalization(
                    {t(CUDNN_ATTR_OPERATION_NORM_FWD_XDESC), t(CUDNN_ATTR_OPERATION_NORM_FWD_YDESC),
                     t(CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC),
                     t(CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC),
                     t(CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC),
                     t(CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC)},
                    t(CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC).at({0, 0, 0, 0}));
            case CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR:
                return host_normalization_gradient(
                    {t(CUDNN_ATTR_OPERATION_NORM_BWD_XDESC),
                     t(CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC),
                     t(CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC),
                     t(CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC),
                     t(CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC),
                     t(CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC),
                     t(CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC),
                     t(CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC)});
            default:
                throw std::logic_error(fmt::format("no operation {}", int(o.type)));
        }
    }

    static cudnnStatus_t execute(cudnnHandle_t, cudnnBackendDescriptor_t plan,
                                 cudnnBackendDescriptor_t pack) {
        const Described& configuration = in(plan).part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
        const Described& operation = configuration.part(CUDNN_ATTR_ENGINE_OPERATION_GRAPH)
                                         .part(CUDNN_ATTR_OPERATIONGRAPH_OPS);
        const RecordingCudnn::Engine& engine = engine_in(in(plan));
        if (engine.index == self->refused) return CUDNN_STATUS_NOT_SUPPORTED;
        if (engine.workspace > 0 && !in(pack).one<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE))
            throw std::logic_error("no workspace");
        compute(operation, {operation, in(pack)});
        self->pass_time(engine.milliseconds);
        return note("cudnnBackendExecute",
                    fmt::format("{} engine {} workspace {}", int(operation.type), engine.index,
                                engine.workspace));
    }

    static cuda::Cudnn table() {
        cuda::Cudnn c;
        c.cudnnGetVersion = [] { return size_t(91900); };
        c.cudnnGetErrorString = [](cudnnStatus_t) { return "CUDNN_STATUS_EXECUTION_FAILED"; };
        c.cudnnGetLastErrorString = [](char* text, size_t size) {
            std::snprintf(text, size, "so says the double");
        };
        c.cudnnCreate = [](cudnnHandle_t* handle) {
            *handle = reinterpret_cast<cudnnHandle_t>(size_t(1));
            return note("cudnnCreate", "");
        };
        c.cudnnSetStream = [](cudnnHandle_t, cudaStream_t stream) {
            return note("cudnnSetStream", stream ? "given" : "null");
        };
        c.cudnnBackendCreateDescriptor = create;
        c.cudnnBackendDestroyDescriptor = destroy;
        c.cudnnBackendSetAttribute = set;
        c.cudnnBackendGetAttribute = get;
        c.cudnnBackendFinalize = finalize;
        c.cudnnBackendExecute = execute;
        return c;
    }
};

RecordingCudnn::RecordingCudnn()
    : engines{{.index = 7, .notes = {CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC}},
              {.index = 8, .notes = {CUDNN_NUMERICAL_NOTE_TENSOR_CORE}},
              {.index = 9, .workspace = int64_t(1) << 40},
              {.index = 10, .works = false},
              {.index = 11, .notes = {CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP}, .workspace = 1 << 16},
              {.index = 12}},
      table_(DoubleOfCudnn::table()) {
    DoubleOfCudnn::self = this;
    cuda::replace_cudnn(&table_);
}
RecordingCudnn::~RecordingCudnn() {
    cuda::replace_cudnn(nullptr);
    DoubleOfCudnn::self = nullptr;
}
int RecordingCudnn::count(const std::string& beginning) const {
    return int(std::count_if(calls.begin(), calls.end(),
                             [&](const auto& call) { return call.starts_with(beginning); }));
}
std::string RecordingCudnn::last(const std::string& beginning) const {
    const auto found = std::find_if(calls.rbegin(), calls.rend(),
                                    [&](const auto& call) { return call.starts_with(beginning); });
    return found == calls.rend() ? "no call of " + beginning : *found;
}

}  // namespace catena::testing

#endif
