#include "runtime/ops/math/linalg/einsum.h"

#include <algorithm>
#include <map>

#include "runtime/core/system/error.h"
#include "runtime/graph/op/arithmetic.h"
#include "runtime/ops/array/blocks.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/define/scalar_type.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/linalg/equation.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena {
namespace {

bool has(const std::string& letters, char c) { return letters.find(c) != std::string::npos; }

/// An array whose axes have letters.
struct Term {
    std::string letters;
    Variable value;
};

/// A repeated letter is the diagonal of its axes.
Term without_repeats(Term term) {
    for (size_t i = 0; i < term.letters.size(); ++i) {
        const char c = term.letters[i];
        const size_t again = term.letters.find(c, i + 1);
        if (again == std::string::npos) continue;
        term.value = diagonal(term.value, 0, int64_t(i), int64_t(again));
        term.letters.erase(again, 1).erase(i, 1);
        term.letters += c;
        i = size_t(-1);
    }
    return term;
}

/// The term summed over the letters that are not needed.
Term summed(Term term, const std::string& needed) {
    Axes axes;
    std::string left;
    for (size_t i = 0; i < term.letters.size(); ++i)
        if (has(needed, term.letters[i]))
            left += term.letters[i];
        else
            axes.push_back(int64_t(i));
    if (!axes.empty()) term.value = sum(term.value, axes);
    return {left, term.value};
}

/// The term's array with an axis for each of `letters`, of size 1 where it has none.
Variable along(const Term& term, const std::string& letters) {
    if (letters.size() > size_t(max_rank))
        fail<ValueError>("einsum: a product has {} axes, at most {} are possible", letters.size(),
                         max_rank);
    Axes order;
    Shape shape;
    for (char c : letters) {
        const size_t at = term.letters.find(c);
        if (at != std::string::npos) order.push_back(int64_t(at));
        shape.push_back(at == std::string::npos ? 1 : term.value.shape()[int(at)]);
    }
    return reshape(order.empty() ? term.value : transpose(term.value, order), shape);
}

/// Two terms' letters, by what a product makes of them.
struct Parts {
    std::string batch, rows, columns, inner;

    Parts(const std::string& a, const std::string& b, const std::string& needed) {
        for (char c : a) (!has(b, c) ? rows : has(needed, c) ? batch : inner) += c;
        for (char c : b)
            if (!has(a, c)) columns += c;
    }
};

class Contraction {
public:
    explicit Contraction(const Equation& equation, std::span<const Variable> operands)
        : equation_(equation) {
        for (size_t i = 0; i < operands.size(); ++i)
            terms_.push_back({equation.terms[i], operands[i]});
        for (const Term& term : terms_)
            for (size_t i = 0; i < term.letters.size(); ++i) note(term, int(i));
    }

    Variable result() {
        Term y = without_repeats(terms_[0]);
        for (size_t i = 1; i < terms_.size(); ++i) {
            std::string needed = equation_.result;
            for (size_t k = i + 1; k < terms_.size(); ++k) needed += terms_[k].letters;
            y = product(y, without_repeats(terms_[i]), needed);
        }
        return along(summed(y, equation_.result), equation_.result);
    }

private:
    void note(const Term& term, int axis) {
        const char c = term.letters[size_t(axis)];
        const int64_t size = term.value.shape()[axis];
        int64_t& known = sizes_.try_emplace(c, size).first->second;
        if (is_ellipsis(c) && known == 1) known = size;
        if (size != known && !(is_ellipsis(c) && size == 1))
            fail<ShapeError>("einsum: axes named {} in '{}' have sizes {} and {}",
                             is_ellipsis(c) ? std::string("...") : fmt::format("'{}'", c),
                             equation_.text, known, size);
    }

    Term product(Term a, Term b, const std::string& needed) {
        a = summed(a, needed + b.letters);
        b = summed(b, needed + a.letters);
        const Parts p(a.letters, b.letters, needed);
        const std::string left = p.batch + p.rows + p.columns;
        // Without a sum, or without other axes, there is no matrix product in it.
        if (p.inner.empty() || (p.rows.empty() && p.columns.empty())) {
            const Term all{left + p.inner, along(a, left + p.inner) * along(b, left + p.inner)};
            return summed(all, needed);
        }
        const Variable y =
            matmul(matrices(a, p.batch, p.rows, p.inner), matrices(b, p.batch, p.inner, p.columns));
        Shape shape;
        for (size_t i = 0; i < left.size(); ++i)
            shape.push_back(i < p.batch.size() ? y.shape()[int(i)] : sizes_.at(left[i]));
        return {left, reshape(y, shape)};
    }

    /// [sizes of batch, size of rows, size of columns]
    Variable matrices(const Term& term, const std::string& batch, const std::string& rows,
                      const std::string& columns) {
        Variable x = along(term, batch + rows + columns);
        Shape full = x.shape(), shape;
        for (size_t i = 0; i < batch.size(); ++i) shape.push_back(full[int(i)]);
        int64_t row_count = 1, column_count = 1;
        for (char c : rows) row_count *= sizes_.at(c);
        for (char c : columns) column_count *= sizes_.at(c);
        // Axes under an ellipsis may have size 1 here and another in the other term.
        const std::string letters = batch + rows + columns;
        for (size_t i = batch.size(); i < letters.size(); ++i) full[int(i)] = sizes_.at(letters[i]);
        if (full != x.shape()) x = broadcast_to(x, full);
        shape.push_back(row_count);
        shape.push_back(column_count);
        return reshape(x, shape);
    }

    const Equation& equation_;
    std::vector<Term> terms_;
    std::map<char, int64_t> sizes_;
};

const FunctionDef& f_einsum =
    function("einsum(subscripts, *operands)", {"*operands"},
             [](const FunctionArguments& a) { return einsum(a.text("subscripts"), a.list()); });

Variable sums_of_products(const std::string& subscripts, std::span<const Variable> operands) {
    if (operands.empty())
        fail<ValueError>("einsum: there are no operands, at least one array is needed");
    std::vector<int> ranks;
    std::vector<Variable> floats;
    for (const Variable& operand : operands) {
        floats.push_back(as_floats(operand));
        ranks.push_back(operand.rank());
    }
    const Equation equation = parse_equation(subscripts, ranks);
    return Contraction(equation, floats).result();
}

}  // namespace

Variable einsum(const std::string& subscripts, std::span<const Variable> operands,
                const std::source_location& at) {
    const LocationScope scope(at);
    return sums_of_products(subscripts, operands);
}
Variable einsum(const std::string& subscripts, std::initializer_list<Variable> operands,
                const std::source_location& at) {
    return einsum(subscripts, std::span<const Variable>(operands.begin(), operands.size()), at);
}

Variable einsum(const std::string& subscripts, const Operand& a, const Operand& b) {
    const LocationScope scope(a.location());
    const Variable operands[] = {a.variable(), b.variable()};
    return sums_of_products(subscripts, operands);
}

}  // namespace catena
