// What create_multi_node_optimizer() does with gradients, models and optimizers that are not as in
// a plain training loop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include <unistd.h>

#include "frontend/compiler/compiler_loader.h"
#include "frontend/optimizer/loss_scaling.h"
#include "runtime/core/array/held_memory.h"
#include "tests/distributed/training.h"

namespace catena {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Comm = std::shared_ptr<Communicator>;
using Options = MultiNodeOptimizerOptions;

Variable rows(int seed) { return wave_rows(seed, 6); }

void expect_close(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_THAT(a, ::testing::Pointwise(::testing::FloatNear(2e-6f), b));
}

bool are_equal_everywhere(Communicator& comm, Link& model) {
    const std::vector<float> own = parameters_of(model);
    for (const Array& other : comm.allgather(Array::from(own, {int64_t(own.size())})))
        if (other.to_vector<float>() != own) return false;
    return true;
}

Variable square_loss(SmallNet& net, const Variable& x) {
    const Variable y = net(x);
    return sum(y * y) * 0.1f;
}

/// The message with which two ranks end.
std::string message_of(const std::function<void(const Comm&)>& f) {
    try {
        run_local(2, f);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no error";
}

//---- gradients that change between backward and update

using Change = std::function<void(SmallNet&, const Variable& x)>;

void scale_gradients(SmallNet& net, const Variable&) {
    for (Parameter* p : net.params()) p->set_grad_variable(p->grad_variable() * 10.f);
}
void write_gradients(SmallNet& net, const Variable&) { net.l2.b.grad().data<float>()[0] += 3; }
/// Nobody has the view any longer when the update comes.
void write_through_a_view(SmallNet& net, const Variable&) {
    const Array gradient = net.l2.b.grad();
    const HeldMemory view(gradient);
    const_cast<float*>(gradient.elements<float>())[0] += 3;
}
void add_gradients(SmallNet& net, const Variable& x) { sum(exp(net(x))).backward(); }
void clear_gradients(SmallNet& net, const Variable& x) {
    net.cleargrads();
    sum(exp(net(x))).backward();
}

const Change changes[] = {scale_gradients, write_gradients, write_through_a_view, add_gradients,
                          clear_gradients};

/// Steps on the same rows, so that the mean over the ranks is what one process has.
std::vector<float> trained(const Comm& comm, bool compiled, const Options& options,
                           const Change& change, int steps = 3) {
    const auto use = using_config(&Config::use_static_graph, compiled);
    set_seed(1);
    SmallNet net;
    SGD sgd(0.01);
    sgd.setup(net);
    if (comm) create_multi_node_optimizer(sgd, comm, options);
    auto step = static_graph(
        [&](const Variable& x) {
            net.cleargrads();
            sgd.backward(square_loss(net, x));
            change(net, x);
            sgd.update();
        },
        {});
    for (int i = 0; i < steps; ++i) step(rows(i));
    return parameters_of(net);
}

TEST(Exchange, averages_gradients_as_they_are_at_the_update) {
    for (const bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        for (const Change& change : changes) {
            const auto one = trained(nullptr, compiled, {}, change);
            run_local(2, [&](const Comm& comm) {
                expect_close(trained(comm, compiled, {.bucket_bytes = 16}, change), one);
                expect_close(
                    trained(comm, compiled, {.bucket_bytes = 16, .overlap = false}, change), one);
            });
        }
    }
}

TEST(Exchange, sends_gradients_that_do_not_change_only_once) {
    for (const bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        run_local(2, [&](const Comm& comm) {
            const auto sent_in = [&](int steps, bool overlap) {
                const int64_t before = comm->statistics().bytes_sent;
                trained(
                    comm, compiled, {.bucket_bytes = 16, .overlap = overlap},
                    [](SmallNet&, const Variable&) {}, steps);
                return comm->statistics().bytes_sent - before;
            };
            EXPECT_EQ(sent_in(6, true) - sent_in(2, true), sent_in(6, false) - sent_in(2, false));
        });
    }
}

TEST(Exchange, sends_once_what_a_region_computed_before_an_update_outside) {
    run_local(2, [](const Comm& comm) {
        SmallNet net;
        SGD sgd(0.01);
        sgd.setup(net);
        create_multi_node_optimizer(sgd, comm, {.bucket_bytes = 16});
        auto backward = static_graph(
            [&](const Variable& x) {
                net.cleargrads();
                sgd.backward(square_loss(net, x));
            },
            {});
        std::vector<int64_t> sent{0};
        for (int i = 0; i < 6; ++i) {
            backward(rows(i));
            sgd.update();
            sent.push_back(comm->statistics().bytes_sent);
        }
        for (size_t i = 4; i < sent.size(); ++i)  // The third compares the parameters, too.
            EXPECT_EQ(sent[i] - sent[i - 1], 4 * net.count_params());
    });
}

TEST(Exchange, a_skipped_update_leaves_nothing_to_the_next) {
    const auto run = [](const Comm& comm) {
        set_seed(1);
        SmallNet net;
        SGD sgd(0.1);
        sgd.setup(net);
        if (comm) create_multi_node_optimizer(sgd, comm, {.bucket_bytes = 16});
        for (int i = 0; i < 4; ++i) {
            const Variable loss = square_loss(net, rows(i));
            net.cleargrads();
            if (i == 2) {
                sgd.backward(loss * 1000.f);
                continue;
            }
            loss.backward();
            sgd.update();
        }
        return parameters_of(net);
    };
    const auto one = run(nullptr);
    run_local(2, [&](const Comm& comm) { expect_close(run(comm), one); });
}

TEST(Exchange, gradients_changed_on_one_rank_alone_are_an_error) {
    const std::string text = message_of([](const Comm& comm) {
        trained(comm, false, {.bucket_bytes = 16}, [&](SmallNet& net, const Variable& x) {
            if (comm->rank() == 1) scale_gradients(net, x);
        });
    });
    EXPECT_THAT(text, HasSubstr("changed after optimizer.backward() on all ranks or none"));
}

TEST(Exchange, point_to_point_messages_overlap_on_a_communicator_of_their_own) {
    std::vector<std::vector<float>> results(2);
    for (const bool overlap : {false, true})
        run_local(2, [&](const Comm& comm) {
            const Comm own = comm->split(0, comm->rank());
            set_seed(1);
            SmallNet net;
            SGD sgd(0.01);
            sgd.setup(net);
            create_multi_node_optimizer(sgd, comm, {.bucket_bytes = 16, .overlap = overlap});
            const auto swapped = [&](const Variable& h) {
                if (comm->rank() == 0) return parallel::recv(*own, 1, parallel::send(*own, h, 1));
                const Variable other = parallel::recv(*own, 0);
                return parallel::pseudo_connect(parallel::send(*own, h, 0), other);
            };
            for (int i = 0; i < 3; ++i)
                sgd.update([&] {
                    const Variable y = net.l2(swapped(tanh(net.l1(rows(i + comm->rank())))));
                    return sum(y * y);
                });
            if (comm->rank() == 0) results[overlap] = parameters_of(net);
        });
    EXPECT_EQ(results[0], results[1]);
}

TEST(Exchange, data_that_need_no_gradient_at_their_root_are_taken_as_data_elsewhere) {
    const auto run = [](bool as_data) {
        return message_of([&](const Comm& comm) {
            SmallNet net;
            SGD sgd(0.01);
            sgd.setup(net);
            create_multi_node_optimizer(sgd, comm);
            sgd.update([&] {
                const Variable x = parallel::bcast(*comm, comm->rank() == 0 ? rows(0) : Variable());
                return square_loss(net, as_data ? Variable(x.array(), false) : x);
            });
        });
    };
    EXPECT_EQ(run(true), "no error");
    EXPECT_THAT(run(false), HasSubstr("take data that need no gradient at their root as "
                                      "Variable(y.array(), false) elsewhere"));
}

//---- ranks that differ

/// Linear layers of which the ranks use different ones.
struct Layers : Chain {
    Linear a{3, 3}, b{3, 3}, c{3, 3};
    Layers() { add_children({{"a", a}, {"b", b}, {"c", c}}); }
};

TEST(Exchange, means_of_gradients_of_different_parameters_are_an_error) {
    const std::string text = message_of([](const Comm& comm) {
        Layers net;
        const Variable x(Array::full({Dtype::float32, {2, 3}}, 1), false);
        net.cleargrads();
        sum(comm->rank() == 0 ? net.b(net.a(x)) : net.c(net.b(x))).backward();
        multi_node_mean_grad(*comm, net);
    });
    EXPECT_THAT(text, HasSubstr("multi_node_mean_grad"));
}

TEST(Exchange, a_rank_without_any_gradient_is_an_error_if_they_are_not_filled) {
    const std::string text = message_of([](const Comm& comm) {
        SmallNet net;
        SGD sgd(0.1);
        sgd.setup(net);
        create_multi_node_optimizer(sgd, comm, {.zero_fill = false});
        for (int i = 0; i < 3; ++i) {
            net.cleargrads();
            if (comm->rank() == 0 || i != 1) square_loss(net, rows(i)).backward();
            sgd.update();
        }
    });
    EXPECT_THAT(text, HasSubstr("needs graphs with the same messages on all ranks"));
}

TEST(Exchange, different_options_and_models_are_named) {
    const auto trained_with = [](const auto& options_of, int64_t width_of_1) {
        return message_of([&](const Comm& comm) {
            Linear net(6, comm->rank() == 1 ? width_of_1 : 3);
            SGD sgd(0.1);
            sgd.setup(net);
            create_multi_node_optimizer(sgd, comm, options_of(comm->rank()));
            sgd.update([&] { return sum(net(rows(0))); });
        });
    };
    EXPECT_THAT(trained_with([](int rank) { return Options{.double_buffering = rank == 1}; }, 3),
                HasSubstr("rank 0 has double_buffering = false, rank 1 double_buffering = true"));
    EXPECT_THAT(trained_with([](int rank) { return Options{.bucket_bytes = 16 + rank}; }, 3),
                HasSubstr("bucket_bytes = 17"));
    EXPECT_THAT(trained_with([](int) { return Options{}; }, 4),
                AllOf(HasSubstr("float32[3,6]"), HasSubstr("float32[4,6]")));
}

TEST(Exchange, bcast_data_initialises_what_only_the_root_has_initialised) {
    run_local(2, [](const Comm& comm) {
        struct Lazy : Chain {
            Linear a{std::nullopt, 4}, b{4, 4}, c{4, 4};
            Lazy() { add_children({{"a", a}, {"b", b}, {"c", c}}); }
        } net;
        set_seed(1 + comm->rank());
        if (comm->rank() == 0) net.a(rows(0));
        bcast_data(*comm, net);
        EXPECT_EQ(net.a.W.shape(), (Shape{4, 6}));
        EXPECT_TRUE(are_equal_everywhere(*comm, net));
    });
    EXPECT_THAT(message_of([](const Comm& comm) {
                    Linear net(3, 3 + comm->rank());
                    bcast_data(*comm, net);
                }),
                AllOf(HasSubstr("bcast_data"),
                      HasSubstr("/W is float32[3,3] on rank 0 and float32[4,3] on rank 1")));
}

//---- the model and the optimizer at the beginning

TEST(Exchange, setup_with_another_model_makes_it_equal_on_all_ranks) {
    run_local(2, [](const Comm& comm) {
        SmallNet first;
        Adam adam(0.1);
        adam.setup(first);
        create_multi_node_optimizer(adam, comm);
        for (int i = 0; i < 2; ++i) adam.update([&] { return square_loss(first, rows(i)); });
        set_seed(100 + comm->rank());
        SmallNet second;
        adam.setup(second);
        for (int i = 0; i < 2; ++i) adam.update([&] { return square_loss(second, rows(i)); });
        EXPECT_TRUE(are_equal_everywhere(*comm, second));
    });
}

TEST(Exchange, double_buffering_forgets_the_gradients_of_another_model) {
    run_local(2, [](const Comm& comm) {
        SmallNet first, second;
        SGD sgd(0.1);
        sgd.setup(first);
        create_multi_node_optimizer(sgd, comm, {.double_buffering = true});
        const auto step = [&](SmallNet& net, float by) {
            sgd.update([&] { return square_loss(net, rows(0)) * by; });
        };
        for (int i = 0; i < 3; ++i) step(first, 1);
        sgd.setup(second);
        bcast_data(*comm, second);
        const auto before = parameters_of(second);
        step(second, 0);
        step(second, 0);
        EXPECT_EQ(parameters_of(second), before);
    });
}

std::string file_of(const char* name) {
    return ::testing::TempDir() + name + std::to_string(getpid());
}

TEST(Exchange, rank_0_alone_may_load_the_model_and_its_optimizer) {
    const std::string file = file_of("rank_0_alone");
    run_local(2, [&](const Comm& comm) {
        for (const bool resumes : {false, true}) {
            set_seed(1);
            SmallNet net;
            Adam adam(0.05);
            adam.setup(net);
            create_multi_node_optimizer(adam, comm);
            const auto scaling = loss_scaling(adam);
            if (resumes && comm->rank() == 0) {
                load_npz(file + ".model", net);
                load_npz(file + ".state", adam);
            }
            for (int i = 0; i < 4; ++i)
                adam.update([&] { return square_loss(net, rows(i * 2 + comm->rank())); });
            EXPECT_TRUE(are_equal_everywhere(*comm, net)) << resumes;
            EXPECT_EQ(adam.t(),
                      resumes ? 7 : 4);  // The first update after loading made the ranks equal.
            EXPECT_EQ(scaling->scale(), resumes ? 128 : 16);
            if (!resumes && comm->rank() == 0) {
                save_npz(file + ".model", net);
                save_npz(file + ".state", adam);
            }
            comm->barrier();
        }
    });
}

TEST(Exchange, a_snapshot_with_a_loss_scale_gives_all_ranks_the_same_one) {
    const std::string file = file_of("scaled_snapshot");
    run_local(2, [&](const Comm& comm) {
        const MultiNodeSnapshot snapshot = multi_node_snapshot(comm);
        for (const bool resumes : {false, true}) {
            set_seed(1);
            SmallNet net;
            SGD sgd(0.01);
            sgd.setup(net);
            create_multi_node_optimizer(sgd, comm);
            const auto scaling = loss_scaling(sgd);
            if (resumes)
                snapshot.load(
                    file, [&](const std::string& name) { load_npz(name, sgd); }, net, &sgd);
            EXPECT_EQ(scaling->scale(), resumes ? 16 : 1);
            for (int i = 0; i < 4; ++i)
                sgd.update([&] { return square_loss(net, rows(i * 2 + comm->rank())); });
            EXPECT_TRUE(are_equal_everywhere(*comm, net));
            snapshot.save(file, [&](const std::string& name) { save_npz(name, sgd); });
        }
    });
}

//---- loss scaling

TEST(Exchange, a_loss_scale_stays_when_it_was_there_first) {
    run_local(2, [](const Comm& comm) {
        SmallNet net;
        SGD sgd(0.1);
        sgd.setup(net);
        const auto scaling = loss_scaling(sgd, {.initial = 1024});
        create_multi_node_optimizer(sgd, comm);
        set_seed(1);
        for (int i = 0; i < 4; ++i)
            sgd.update([&] { return square_loss(net, rows(i * 2 + comm->rank())); });
        EXPECT_EQ(scaling->scale(), comm->size() * 4096);
        EXPECT_TRUE(are_equal_everywhere(*comm, net));
    });
}

TEST(Exchange, double_buffering_divides_gradients_by_the_scale_of_their_backward) {
    run_local(2, [](const Comm& comm) {
        struct Weights : Link {
            Parameter p{Array::from<float>({0, 0}), "p"};
            Weights() { add_param("p", p); }
        } link;
        SGD sgd(1.0);
        sgd.setup(link);
        create_multi_node_optimizer(sgd, comm, {.double_buffering = true});
        loss_scaling(sgd);
        std::vector<float> values;
        for (int i = 0; i < 6; ++i) {
            const float gradient = i == 3 ? INFINITY : 1;
            sgd.update([&] {
                return sum(link.p * Variable(Array::full({Dtype::float32, {2}}, gradient), false));
            });
            values.push_back(link.p.array().to_vector<float>()[0]);
        }
        EXPECT_EQ(values, (std::vector<float>{0, -1, -2, -3, -3, -4}));
    });
}

//---- double buffering and files

/// Six steps of Adam, with a break after three.
std::vector<float> trained_with_a_break(const Comm& comm, const std::string& file, bool breaks,
                                        bool saves, bool compiled) {
    const auto use = using_config(&Config::use_static_graph, compiled);
    const std::string own = file + std::to_string(comm->rank());
    std::vector<float> content;
    for (int run = 0; run < (breaks ? 2 : 1); ++run) {
        set_seed(1);
        SmallNet net;
        Adam adam(0.01);
        adam.setup(net);
        create_multi_node_optimizer(adam, comm, {.double_buffering = true});
        loss_scaling(adam);
        if (run == 1) {
            load_npz(own + ".model", net);
            load_npz(own + ".state", adam);
        }
        auto step = static_graph(
            [&](const Variable& x) { adam.update([&] { return square_loss(net, x); }); }, {});
        for (int i = run * 3; i < (breaks && run == 0 ? 3 : 6); ++i) {
            step(rows(i * 2 + comm->rank()));
            if (!saves || i != 2) continue;
            save_npz(own + ".model", net);
            save_npz(own + ".state", adam);
        }
        content = parameters_of(net);
        comm->barrier();
    }
    return content;
}

TEST(Exchange, double_buffering_goes_on_after_saving_and_from_a_file) {
    const std::string file = file_of("double_buffering");
    for (const bool compiled : {false, true}) {
        if (compiled && !compiler_available()) continue;
        run_local(2, [&](const Comm& comm) {
            const auto through = trained_with_a_break(comm, file, false, false, compiled);
            expect_close(trained_with_a_break(comm, file, false, comm->rank() == 0, compiled),
                         through);
            expect_close(trained_with_a_break(comm, file, true, true, compiled), through);
        });
    }
}

}  // namespace
}  // namespace catena
