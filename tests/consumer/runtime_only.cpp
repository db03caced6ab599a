// Arrays and gradients without links or compiler.
#include <iostream>

#include <catena/runtime/graph/op/arithmetic.h>

int main() {
    catena::Variable x(catena::Array::from<float>({1, 2, 3}));
    catena::Variable y = x * x;
    y.set_grad(catena::Array::from<float>({1, 1, 1}));
    y.backward();
    std::cout << catena::to_string(x.grad()) << '\n';
    return x.grad().to_vector<float>() == std::vector<float>{2, 4, 6} ? 0 : 1;
}
