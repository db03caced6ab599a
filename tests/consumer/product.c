/* The small C library as exported programs use it. */
#include <catena_c.h>
#include <stdio.h>

int main(void) {
    const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 2, -1, 0, 1};
    const catena_c_product p = {2, 2, 3, 3,
                                1, 1, 3}; /* a b', with the columns of b one after another */
    float y[4] = {0};
    catena_c_product_f32_scalar(&p, a, b, y, NULL);
    printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
    return !(y[0] == 7 && y[1] == 2 && y[2] == 16 && y[3] == 2);
}
