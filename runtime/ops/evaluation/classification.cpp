#include "runtime/ops/evaluation/classification.h"

#include <algorithm>

#include "runtime/core/dtype/working_dtype.h"
#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/graph/settings/config.h"
#include "runtime/ops/array/indexing/indexing.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/constant.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

void check(const char* op, const Variable& y, const Variable& t) {
    if (!is_float(y.dtype()) || !is_integer(t.dtype()))
        fail<DtypeError>("{}: y should be floating point and t integer, they are {} and {}", op,
                         to_string(y.type()), to_string(t.type()));
    // y's axes after t's have size 1.
    Shape positions = y.shape();
    if (y.rank() >= 2) positions.erase(1);
    while (positions.rank() > t.rank() && positions.back() == 1)
        positions.erase(positions.rank() - 1);
    if (y.rank() < 2 || positions != t.shape())
        fail<ShapeError>("{}: t should have y's shape without axis 1, y is {} and t is {}", op,
                         to_string(y.shape()), to_string(t.shape()));
}

int64_t classes_in(const Variable& t) {
    int64_t most = -1;
    for (int64_t label : t.array().to_vector<int64_t>()) most = std::max(most, label);
    return most + 1;
}

/// How often each class is predicted, is right, and both.
struct Counts {
    Variable predicted, right, both;
};

Counts count(const char* op, const Variable& y, const Variable& t, std::optional<int64_t> label_num,
             int64_t ignore_label) {
    check(op, y, t);
    const int64_t classes = label_num ? *label_num : classes_in(t);
    if (classes < 0)
        fail<ValueError>("{}: label_num is {} and should not be negative", op, classes);
    const Variable labels = reshape(t, {t.size(), 1}), counted = labels != ignore_label;
    const Variable is_class =
        one_hot(flatten(where(counted, labels, 0)), classes, Dtype::bool_) && counted;
    const Variable is_predicted =
        (reshape(argmax(y, 1), {t.size(), 1}) == reshape(counting(0, classes, y), {1, classes})) &&
        counted;
    return {sum(is_predicted, 0), sum(is_class, 0), sum(is_class && is_predicted, 0)};
}

Variable ratio(const Variable& part, const Variable& all, Dtype dtype) {
    return cast(part, dtype) / cast(all, dtype);
}

using Summary = ClassificationSummary;

Summary summarize(const char* op, const Operand& y, const Operand& t,
                  std::optional<int64_t> label_num, const Scalar& beta, int64_t ignore_label) {
    LocationScope scope(y.location());
    auto mode = no_backprop_mode();
    const Counts c = count(op, y, t, label_num, ignore_label);
    const Dtype dtype = y.variable().dtype(), wide = working_dtype(dtype);
    const Variable precision = ratio(c.both, c.predicted, wide),
                   recall = ratio(c.both, c.right, wide);
    const double factor = beta.value() * beta.value();
    const Variable fbeta = (1 + factor) * precision * recall / (factor * precision + recall);
    return {cast(precision, dtype), cast(recall, dtype), cast(fbeta, dtype), c.right};
}

std::optional<int64_t> label_num_of(const FunctionArguments& a) {
    if (a.is_none("label_num")) return {};
    return a.integer("label_num");
}

using Score = ClassScore (*)(const Operand&, const Operand&, std::optional<int64_t>, int64_t);
const FunctionDef& score_function(const std::string& name, Score score) {
    return function(name + "(y, t, label_num=None, ignore_label=-1)", {"y", "t"},
                    [score](const FunctionArguments& a) {
                        const ClassScore s = score(a.array("y"), a.array("t"), label_num_of(a),
                                                   a.integer("ignore_label"));
                        return Variables{s.score, s.support};
                    });
}

const FunctionDef& f_precision = score_function("precision", precision);
const FunctionDef& f_recall = score_function("recall", recall);
const FunctionDef& f_f1_score = score_function("f1_score", f1_score);
const FunctionDef& f_classification_summary = function(
    "classification_summary(y, t, label_num=None, beta=1.0, ignore_label=-1)", {"y", "t"},
    [](const FunctionArguments& a) {
        const Summary s = classification_summary(a.array("y"), a.array("t"), label_num_of(a),
                                                 a.number("beta"), a.integer("ignore_label"));
        return Variables{s.precision, s.recall, s.fbeta, s.support};
    });

}  // namespace

ClassificationSummary classification_summary(const Operand& y, const Operand& t,
                                             std::optional<int64_t> label_num, const Scalar& beta,
                                             int64_t ignore_label) {
    return summarize("classification_summary", y, t, label_num, beta, ignore_label);
}
ClassScore precision(const Operand& y, const Operand& t, std::optional<int64_t> label_num,
                     int64_t ignore_label) {
    const Summary s = summarize("precision", y, t, label_num, 1.0, ignore_label);
    return {s.precision, s.support};
}
ClassScore recall(const Operand& y, const Operand& t, std::optional<int64_t> label_num,
                  int64_t ignore_label) {
    const Summary s = summarize("recall", y, t, label_num, 1.0, ignore_label);
    return {s.recall, s.support};
}
ClassScore f1_score(const Operand& y, const Operand& t, std::optional<int64_t> label_num,
                    int64_t ignore_label) {
    const Summary s = summarize("f1_score", y, t, label_num, 1.0, ignore_label);
    return {s.fbeta, s.support};
}

}  // namespace catena
