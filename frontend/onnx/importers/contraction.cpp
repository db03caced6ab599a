#include <cctype>

#include "frontend/onnx/importers/shared.h"

namespace catena::onnx {
namespace {

/// Integers are exact in float64 up to 2^53.
Variable product(const Variable& a, const Variable& b, bool transa = false, bool transb = false) {
    if (is_float(a.dtype())) return matmul(a, b, transa, transb);
    return cast(matmul(in_float64(a), in_float64(b), transa, transb), a.dtype());
}

Variables general_product(const NodeCall& n) {
    const bool transa = n.integer("transA", 0) != 0, transb = n.integer("transB", 0) != 0;
    const double alpha = n.number("alpha", 1), beta = n.number("beta", 1);
    const bool plain = alpha == 1 && beta == 1 && !transa && transb && is_float(n[0].dtype());
    if (plain && n.has(2) && n[2].rank() == 1 && n[2].size() == n[1].shape()[0] && n[0].rank() == 2)
        return {linear(n[0], n[1], n[2])};
    Variable y = product(n[0], n[1], transa, transb);
    if (alpha != 1) y = y * alpha;
    if (n.has(2) && beta != 0) y = y + (beta == 1 ? n[2] : n[2] * beta);
    return {y};
}

/// One operand of an einsum: its letters, an ellipsis standing for the digits 0, 1, ... from the
/// right.
struct Term {
    std::string letters;
    Variable value;
};

std::string with_ellipsis(const NodeCall& n, std::string text, int rank, size_t& digits) {
    const size_t dots = text.find("...");
    if (dots == text.npos) return text;
    const int covered = rank - (int(text.size()) - 3);
    if (covered < 0 || covered > 9) n.wrong("the equation does not match its inputs");
    std::string letters;
    for (int i = covered; i-- > 0;) letters += char('0' + i);
    digits = std::max(digits, size_t(covered));
    return text.replace(dots, 3, letters);
}

/// Transposes a term to axes `all`; repeated letters are a diagonal.
Variable along_all(const NodeCall& n, Term term, const std::string& all) {
    for (size_t i = 0; i < term.letters.size(); ++i)
        for (size_t k = term.letters.size(); k-- > i + 1;) {
            if (term.letters[k] != term.letters[i]) continue;
            const int64_t size = term.value.shape()[int(i)];
            Shape row = Shape::filled(term.value.rank(), 1), column = row;
            row[int(i)] = size;
            column[int(k)] = size;
            const Variable on = reshape(arange(0, size), row) == reshape(arange(0, size), column);
            term.value = sum(where(on, term.value, constant_like(term.value, 0)), Axes{int64_t(k)});
            term.letters.erase(k, 1);
        }
    Axes order;
    Shape shape;
    for (char c : all) {
        const size_t at = term.letters.find(c);
        if (at != std::string::npos) order.push_back(int64_t(at));
        shape.push_back(at == std::string::npos ? 1 : term.value.shape()[int(at)]);
    }
    if (order.rank() != term.value.rank()) n.wrong("the equation does not match its inputs");
    return reshape(order.rank() ? transpose(term.value, order) : term.value, shape);
}

Variables einsum(const NodeCall& n) {
    std::string equation;
    for (char c : n.text("equation", ""))
        if (c != ' ') equation += c;
    const size_t arrow = equation.find("->");
    std::string left = equation.substr(0, arrow), right;
    size_t digits = 0, begin = 0;
    std::vector<Term> terms;
    for (int i = 0; i < n.count(); ++i) {
        const size_t end = std::min(left.find(',', begin), left.size());
        if (begin > left.size()) n.wrong("the equation has fewer terms than inputs");
        terms.push_back(
            {with_ellipsis(n, left.substr(begin, end - begin), n[i].rank(), digits), n[i]});
        begin = end + 1;
    }
    std::string all;
    std::map<char, int> times;
    for (const Term& term : terms)
        for (char c : term.letters) {
            if (all.find(c) == all.npos) all += c;
            ++times[c];
        }
    if (arrow != std::string::npos) {
        right = with_ellipsis(n, equation.substr(arrow + 2),
                              int(equation.size() - arrow - 2) - 3 + int(digits), digits);
    } else {
        for (const auto& [letter, count] : times)
            if (count == 1 || std::isdigit(letter)) right += letter;
        std::sort(right.begin(), right.end(), [](char a, char b) {
            return std::isdigit(a) && std::isdigit(b) ? a > b : a < b;
        });
    }
    if (all.size() > size_t(max_rank))
        n.unsupported(fmt::format("an equation of {} letters", all.size()));
    Variable y = along_all(n, terms[0], all);
    for (size_t i = 1; i < terms.size(); ++i) y = y * along_all(n, terms[i], all);
    Axes summed, order;
    std::string left_over;
    for (size_t i = 0; i < all.size(); ++i)
        if (right.find(all[i]) == right.npos)
            summed.push_back(int64_t(i));
        else
            left_over += all[i];
    if (!summed.empty()) y = cast(sum(y, summed), y.dtype());
    for (char c : right) {
        if (left_over.find(c) == left_over.npos)
            n.wrong(fmt::format("'{}' occurs only on the right of the equation", c));
        order.push_back(int64_t(left_over.find(c)));
    }
    return {order.empty() ? y : transpose(y, order)};
}

/// The determinant by elimination with the largest pivot, in the order of columns.
Variables determinant(const NodeCall& n) {
    const Shape& shape = n[0].shape();
    if (shape.rank() < 2 || shape[shape.rank() - 1] != shape[shape.rank() - 2])
        n.wrong("it takes square matrices");
    const int64_t size = shape.back(), count = n[0].size() / std::max<int64_t>(size * size, 1);
    std::vector<double> a = n[0].array().to_vector<double>(), results;
    for (int64_t m = 0; m < count; ++m) {
        double* matrix = a.data() + m * size * size;
        double product = 1;
        for (int64_t k = 0; k < size; ++k) {
            int64_t pivot = k;
            for (int64_t i = k; i < size; ++i)
                if (std::abs(matrix[i * size + k]) > std::abs(matrix[pivot * size + k])) pivot = i;
            if (pivot != k) {
                std::swap_ranges(matrix + k * size, matrix + (k + 1) * size, matrix + pivot * size);
                product = -product;
            }
            product *= matrix[k * size + k];
            if (matrix[k * size + k] == 0) break;
            for (int64_t i = k + 1; i < size; ++i) {
                const double factor = matrix[i * size + k] / matrix[k * size + k];
                for (int64_t j = k; j < size; ++j)
                    matrix[i * size + j] -= factor * matrix[k * size + j];
            }
        }
        results.push_back(product);
    }
    Shape rest(std::span(shape.begin(), size_t(shape.rank() - 2)));
    return {Variable(Array::from(results, rest).astype(n[0].dtype()), false)};
}

const int importers = add_importers({
    {"MatMul", [](const NodeCall& n) { return Variables{product(n[0], n[1])}; }},
    {"Gemm", general_product},
    {"Einsum", einsum},
    {"Det", determinant},
});

}  // namespace
}  // namespace catena::onnx
