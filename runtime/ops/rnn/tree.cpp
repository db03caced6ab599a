#include "runtime/ops/rnn/tree.h"

#include "runtime/core/system/error.h"
#include "runtime/graph/op/variable_math.h"
#include "runtime/graph/settings/autocast.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/widened.h"

namespace catena {
namespace {

/// c [n, units], and x with `gates` gates for each unit.
void check(const char* op, const char* c_name, const Variable& c, const char* x_name,
           const Variable& x, int64_t gates) {
    if (c.dtype() != x.dtype() || !is_float(x.dtype()))
        fail<DtypeError>("{}: {} and {} should have one floating point dtype, they have {} and {}",
                         op, c_name, x_name, name_of(c.dtype()), name_of(x.dtype()));
    if (c.rank() != 2 || x.shape() != Shape{c.shape()[0], gates * c.shape()[1]})
        fail<ShapeError>("{}: {} should be [n,units] and {} [n,{} units], they are {} and {}", op,
                         c_name, x_name, gates, to_string(c.shape()), to_string(x.shape()));
}

LstmResult cell(const Variable& c, const Variable& o, Dtype dtype) {
    return {cast(c, dtype), cast(sigmoid(o) * tanh(c), dtype)};
}

const FunctionDef& f_slstm =
    function("slstm(c_prev1, c_prev2, x1, x2)", {"c_prev1", "c_prev2", "x1", "x2"},
             [](const FunctionArguments& a) {
                 const LstmResult y =
                     slstm(a.array("c_prev1"), a.array("c_prev2"), a.array("x1"), a.array("x2"));
                 return Variables{y.c, y.h};
             });
const FunctionDef& f_tree_lstm =
    function("tree_lstm(*inputs)", {"*inputs"}, [](const FunctionArguments& a) {
        const std::span<const Variable> all = a.list();  // The children's c, then x.
        if (all.size() < 2)
            fail<ValueError>("tree_lstm: {} arrays given; c of a child or more, then x, are needed",
                             all.size());
        const LstmResult y = tree_lstm(all.first(all.size() - 1), all.back());
        return Variables{y.c, y.h};
    });

}  // namespace

LstmResult slstm(const Operand& c_prev1, const Operand& c_prev2, const Operand& x1,
                 const Operand& x2) {
    LocationScope scope(x1.location());
    const Variable c1 = autocast_wide(c_prev1), c2 = autocast_wide(c_prev2),
                   vx1 = autocast_wide(x1), vx2 = autocast_wide(x2);
    check("slstm", "c_prev1", c1, "x1", vx1, 4);
    check("slstm", "c_prev2", c2, "x2", vx2, 4);
    check("slstm", "c_prev1", c1, "x2", vx2, 4);
    const Shape apart{c1.shape()[0], c1.shape()[1], 4};
    const Variables g1 = separate(reshape(widened(vx1), apart), 2),
                    g2 = separate(reshape(widened(vx2), apart), 2);
    const Variable c = tanh(g1[0]) * sigmoid(g1[1]) + tanh(g2[0]) * sigmoid(g2[1]) +
                       sigmoid(g1[2]) * widened(c1) + sigmoid(g2[2]) * widened(c2);
    return cell(c, g1[3] + g2[3], vx1.dtype());
}

LstmResult tree_lstm(std::span<const Variable> children, const Operand& x) {
    LocationScope scope(x.location());
    const Variable vx = autocast_wide(x);
    const std::vector<Variable> cs = autocast_wide(children);
    if (cs.empty()) fail<ValueError>("tree_lstm: there is no child, c of one or more is needed");
    const int64_t gates = 3 + int64_t(cs.size());
    for (const Variable& c : cs) check("tree_lstm", "each c", c, "x", vx, gates);
    const Variables g = split_axis(widened(vx), gates, 1);
    Variable c = tanh(g[0]) * sigmoid(g[1]);
    for (size_t k = 0; k < cs.size(); ++k) c = c + sigmoid(g[3 + k]) * widened(cs[k]);
    return cell(c, g[2], vx.dtype());
}

}  // namespace catena
