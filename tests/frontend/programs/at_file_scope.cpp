// A model, its optimizer, its regions and hooks at file scope, as short programs have them. They
// are made before what Catena makes at its first use and destroyed after it. The argument says how
// the program ends; the status is 3 if freed memory was written to.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "benchmarks/models/char_rnn.h"
#include "frontend/catena.h"

namespace catena {
namespace {

constexpr int64_t characters = 20, batch = 4;

/// Blocks of all small sizes, in the memory that was freed last.
class Blocks {
public:
    void allocate() {
        for (size_t i = 0; i < blocks_.size(); ++i) {
            blocks_[i] = new unsigned char[bytes_of(i)];
            std::fill_n(blocks_[i], bytes_of(i), mark);
        }
    }
    bool are_whole() const {
        for (size_t i = 0; i < blocks_.size(); ++i)
            if (blocks_[i] &&
                std::count(blocks_[i], blocks_[i] + bytes_of(i), mark) != int64_t(bytes_of(i)))
                return false;
        return true;
    }

private:
    static constexpr unsigned char mark = 0x5A;
    static size_t bytes_of(size_t i) { return 16 * (1 + i / 32); }
    std::array<unsigned char*, 64 * 32> blocks_{};
} blocks;

/// Destroyed last.
struct AtTheEnd {
    ~AtTheEnd() {
        if (!blocks.are_whole()) std::_Exit(3);
    }
} at_the_end;

struct Counter final : FunctionHook {
    std::string name() const override { return "counter"; }
} counter;
struct LinkCounter final : LinkHook {
    std::string name() const override { return "link counter"; }
} link_counter;

models::CharRnn model(characters, 16);
bool is_read = false;

/// The parameters are still there when everything of Catena's own is gone.
struct Reader {
    ~Reader() {
        if (!is_read) return;
        double sum = 0;
        for (const auto& [name, parameter] : model.namedparams())
            for (const float each : parameter->array().to_vector<float>())
                sum += double(each) * double(name.size());
        std::printf("read at the end: %d\n", int(std::isfinite(sum)));
    }
} reader;

Adam optimizer(0.01);
Variable kept;  ///< With its graph.
std::optional<FunctionHookScope> hook_scope;
std::optional<LinkHookScope> link_hook_scope;
std::shared_ptr<Communicator> communicator;

Variable text_of(int64_t length) {
    std::vector<int32_t> text;
    for (int64_t i = 0; i < length * batch; ++i) text.push_back(int32_t(i * i % characters));
    return Variable(Array::from(text, {length, batch}), false);
}

Variable loss_of(const Variable& text) {
    return softmax_cross_entropy(model(text), reshape(text, {-1}));
}

Variable train(const Variable& text) {
    const Variable loss = loss_of(text);
    model.cleargrads();
    loss.backward();
    optimizer.update();
    return loss;
}

auto step = static_graph(train, "step");
auto forward = static_graph(loss_of, "forward");
auto beside = static_graph(loss_of, {.name = "beside", .compile_mode = CompileMode::background});

/// Of some lengths, so that some programs are planned.
void take_steps() {
    for (const int64_t length : {5, 9, 7, 6, 8}) {
        step(text_of(length));
        beside(text_of(length)).backward();
        forward(text_of(length)).backward();
        kept = loss_of(text_of(length)) + forward(text_of(length));
    }
}

void add_hooks() {
    hook_scope.emplace(counter);
    link_hook_scope.emplace(link_counter);
    communicator = create_communicator("naive");
}

/// Destroyed before all others, but after what belongs to the main thread.
struct AtTheBeginning {
    ~AtTheBeginning() { blocks.allocate(); }
} at_the_beginning;

int run(const std::string& end) {
    optimizer.setup(model);
    if (end == "steps_of_a_thread") {
        std::thread(take_steps).join();
        return 0;
    }
    take_steps();
    if (end == "hooks") add_hooks();
    is_read = end == "reading";
    if (end == "exit") std::exit(0);
    if (end == "exit_of_a_thread") std::thread([] { std::exit(0); }).join();
    return 0;
}

}  // namespace
}  // namespace catena

int main(int count, char** arguments) { return catena::run(count > 1 ? arguments[1] : "return"); }
