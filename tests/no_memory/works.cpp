#include "tests/no_memory/works.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include <unistd.h>

#include "frontend/catena.h"
#include "frontend/serializer/hdf5.h"
#include "frontend/serializer/safetensors.h"
#include "frontend/serializer/memory_archive.h"
#include "tests/frontend/capture_models.h"
#if CATENA_HAS_ONNX
#include "frontend/onnx/export.h"
#include "frontend/onnx/import.h"
#endif

namespace catena::testing {
namespace {

namespace fs = std::filesystem;

std::string bits_of(const Array& array) {
    const Array there = array.as_contiguous();
    return std::string(reinterpret_cast<const char*>(there.data<float>()),
                       size_t(there.size()) * sizeof(float));
}

/// A network with a state of its own, and an optimizer, after a step.
struct Trained {
    NoisyNet model;
    Adam optimizer;
    Trained() {
        set_seed(1);
        optimizer.setup(model);
        learn(model, optimizer, mean(model(batch(1, 4, 3))));
    }
    std::string bytes() {
        MemoryArchive archives[2];
        save_to(archives[0], serialize_function(model));
        save_to(archives[1], serialize_function(optimizer));
        return archives[0].bytes() + archives[1].bytes();
    }
};

/// Forward, backward and update.
class Step : public Work {
public:
    explicit Step(bool compiled) {
        if (compiled)
            region_ = static_graph([this](Variable x, Variable t) { return step(x, t); }, "step");
        save_to(model_, serialize_function(trained_.model));
        save_to(optimizer_, serialize_function(trained_.optimizer));
        Step::prepare();
    }
    void prepare() override {
        load_from(model_, serialize_function(trained_.model), {});
        load_from(optimizer_, serialize_function(trained_.optimizer), {});
        trained_.model.cleargrads();
        set_seed(2);
        loss_ = Variable();
    }
    void run() override { loss_ = region_ ? region_(x_, t_) : step(x_, t_); }
    std::string result() override { return bits_of(loss_.array()) + trained_.bytes(); }

private:
    Variable step(const Variable& x, const Variable& t) {
        const Variable loss = softmax_cross_entropy(trained_.model(x), t);
        learn(trained_.model, trained_.optimizer, loss);
        return loss;
    }

    Trained trained_;
    const Variable x_ = batch(5, 4, 3), t_ = labels(5, 4, 3);
    StaticFunction<Variable(Variable, Variable)> region_;
    MemoryArchive model_, optimizer_;
    Variable loss_;
};

/// One graph is walked again and again.
class Backward final : public Work {
public:
    Backward() : loss_(mean(square(trained_.model(batch(5, 4, 3))))) {}
    void prepare() override { trained_.model.cleargrads(); }
    void run() override { loss_.backward(); }
    std::string result() override {
        std::string bits;
        for (const Parameter* parameter : trained_.model.params())
            bits += bits_of(parameter->grad());
        return bits;
    }

private:
    Trained trained_;
    Variable loss_;
};

/// The first step of a process, with the making of all that it needs.
class FirstStep final : public Work {
public:
    explicit FirstStep(bool compiled) : compiled_(compiled) {}
    void prepare() override {
        region_ = {};
        trained_.reset();
        loss_ = Variable();
        set_seed(2);
    }
    void run() override {
        set_seed(2);
        trained_.emplace();
        const auto step = [this](Variable x, Variable t) {
            const Variable loss = softmax_cross_entropy(trained_->model(x), t);
            learn(trained_->model, trained_->optimizer, loss);
            return loss;
        };
        if (compiled_) region_ = static_graph(step, "first");
        loss_ = compiled_ ? region_(batch(5, 4, 3), labels(5, 4, 3))
                          : step(batch(5, 4, 3), labels(5, 4, 3));
    }
    std::string result() override { return bits_of(loss_.array()) + trained_->bytes(); }

private:
    bool compiled_;
    std::optional<Trained> trained_;
    StaticFunction<Variable(Variable, Variable)> region_;
    Variable loss_;
};

/// Links are made, copied, moved by a list that grows, and given to an optimizer.
class MakingModels final : public Work {
public:
    void prepare() override {
        models_.clear();
        set_seed(3);
    }
    void run() override {
        for (int i = 0; i < 3; ++i) {
            NoisyNet model;
            model(batch(1, 4, 3));
            models_.push_back(model);
        }
        Adam optimizer;
        optimizer.setup(models_.front());
        learn(models_.front(), optimizer, mean(models_.front()(batch(1, 4, 3))));
    }
    std::string result() override {
        std::string bits;
        for (const NoisyNet& model : models_)
            for (const Parameter* parameter : model.params()) bits += bits_of(parameter->array());
        return bits;
    }

private:
    std::vector<NoisyNet> models_;
};

/// Two iterations of a Trainer.
class Training final : public Work {
public:
    explicit Training(std::string folder) : folder_(std::move(folder)) {}
    void prepare() override {
        model_.reset();
        set_seed(4);
    }
    void run() override {
        model_.emplace();
        Adam optimizer;
        optimizer.setup(*model_);
        SerialIterator iterator(TupleDataset(batch(3, 12, 3).array(), labels(3, 12, 3).array()), 4);
        StandardUpdater updater(iterator, optimizer, [&](const Variable& x, const Variable& t) {
            const Variable loss = softmax_cross_entropy((*model_)(x), t);
            report({{"loss", loss}});
            return loss;
        });
        Trainer trainer(updater, {2, "iteration"}, folder_);
        trainer.extend([](Trainer&) {}, {.name = "nothing", .trigger = {1, "iteration"}});
        trainer.run(false);
    }
    std::string result() override {
        std::string bits;
        for (const Parameter* parameter : model_->params()) bits += bits_of(parameter->array());
        return bits;
    }

private:
    std::string folder_;
    std::optional<NoisyNet> model_;
};

std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// One whose files are in a folder of its process.
class FileWork : public Work {
public:
    FileWork(const std::string& folder, const std::string& name)
        : folder_(folder + "/" + std::to_string(getpid())), path_(folder_ + "/" + name) {
        fs::create_directories(folder_);
    }
    ~FileWork() override { fs::remove_all(folder_); }

protected:
    const std::string& path() const { return path_; }
    const std::string& folder() const { return folder_; }

private:
    std::string folder_, path_;
};

using Transfer = void (*)(const std::string& path, Trained& trained);

class Save final : public FileWork {
public:
    using Content = std::string (*)(const std::string& path);
    Save(const std::string& folder, Transfer save, Content content)
        : FileWork(folder, "model"), save_(save), content_(content) {}
    void run() override { save_(path(), trained_); }
    std::string result() override {
        std::string names;  // What was left beside it.
        for (const fs::directory_entry& entry : fs::directory_iterator(folder()))
            names += entry.path().filename().string() + "\n";
        // HDF5 files tell when they were written.
        return names + (content_ ? content_(path()) : content(path()));
    }

private:
    Trained trained_;
    Transfer save_;
    Content content_;
};

std::string content_of_hdf5(const std::string& path) {
    std::vector<Array> arrays;
    for (const auto& [key, array] : read_hdf5(path)) arrays.push_back(array);
    return pack_arrays(arrays);
}

class Load final : public FileWork {
public:
    Load(const std::string& folder, Transfer save, Transfer load)
        : FileWork(folder, "model"), load_(load) {
        save(path(), trained_);
        prepare();
    }
    void prepare() override {
        for (Parameter* parameter : trained_.model.params())
            parameter->set_array(Array::full(parameter->type(), 0.5));
    }
    void run() override { load_(path(), trained_); }
    std::string result() override { return trained_.bytes(); }

private:
    Trained trained_;
    Transfer load_;
};

#if CATENA_HAS_ONNX
class Import final : public FileWork {
public:
    explicit Import(const std::string& folder) : FileWork(folder, "model.onnx") {
        Trained trained;
        onnx::export_model(trained.model, {batch(5, 4, 3)}, path());
    }
    void prepare() override { model_.reset(); }
    void run() override { model_.emplace(onnx::import_model(path(), {.trainable = true})); }
    std::string result() override { return bits_of((*model_)(batch(5, 4, 3)).array()); }

private:
    std::optional<onnx::Model> model_;
};
#endif

NamedWork file_work(const std::string& name, const std::string& folder, Transfer save,
                    Transfer load) {
    if (name == "save_hdf5")
        return {[=] { return std::make_unique<Save>(folder, save, content_of_hdf5); }};
    if (name == "save_npz" || name == "save_safetensors")
        return {[=] { return std::make_unique<Save>(folder, save, nullptr); }};
    return {[=] { return std::make_unique<Load>(folder, save, load); }};
}

}  // namespace

std::optional<NamedWork> find_work(const std::string& name, const std::string& folder) {
    const bool compiled = name.find("compiled") != name.npos;
    if (name.starts_with("first"))
        return NamedWork{[=] { return std::make_unique<FirstStep>(compiled); }, true, compiled};
    if (name.ends_with("step"))
        return NamedWork{[=] { return std::make_unique<Step>(compiled); }, false, compiled};
    if (name == "backward") return NamedWork{[] { return std::make_unique<Backward>(); }};
    if (name == "training") return NamedWork{[=] { return std::make_unique<Training>(folder); }};
    if (name == "making_models") return NamedWork{[] { return std::make_unique<MakingModels>(); }};
    if (name.ends_with("npz"))
        return file_work(
            name, folder,
            [](const std::string& path, Trained& trained) { save_npz(path, trained.model); },
            [](const std::string& path, Trained& trained) { load_npz(path, trained.model); });
    if (name.ends_with("safetensors"))
        return file_work(
            name, folder,
            [](const std::string& path, Trained& trained) {
                save_safetensors(path, trained.model);
            },
            [](const std::string& path, Trained& trained) {
                load_safetensors(path, trained.model);
            });
    if (name.ends_with("hdf5") && hdf5_available())
        return file_work(
            name, folder,
            [](const std::string& path, Trained& trained) { save_hdf5(path, trained.model); },
            [](const std::string& path, Trained& trained) { load_hdf5(path, trained.model); });
#if CATENA_HAS_ONNX
    if (name.ends_with("onnx")) return NamedWork{[=] { return std::make_unique<Import>(folder); }};
#endif
    return std::nullopt;
}

}  // namespace catena::testing
