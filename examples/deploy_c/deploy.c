/* deploy DATA: classifies the test digits of the UCI optdigits set and trains one step, in plain C.
 */
#include <stdio.h>

#include "classify_digits.h"
#include "train_digits.h"

enum { pixel_count = 64, digit_count = 10, batch = 32 };

static _Alignas(64) unsigned char classifier_states[CLASSIFY_DIGITS_STATE_BYTES];
static _Alignas(64) unsigned char classifier_arena[CLASSIFY_DIGITS_ARENA_BYTES];
static _Alignas(64) unsigned char trainer_states[TRAIN_DIGITS_STATE_BYTES];
static _Alignas(64) unsigned char trainer_arena[TRAIN_DIGITS_ARENA_BYTES];

/* The next number of a line, and the comma or the end of the line behind it. */
static int read_value(FILE* file, int* value) {
    int c = fgetc(file);
    if (c < '0' || c > '9') return 0;
    for (*value = 0; c >= '0' && c <= '9' && *value < 1000; c = fgetc(file))
        *value = *value * 10 + (c - '0');
    return c == ',' || c == '\n' || c == EOF;
}

/* One line of the file: 64 pixels from 0 to 16, then the digit. */
static int read_digit(FILE* file, float* pixels, int32_t* digit) {
    int value;
    for (int i = 0; i < pixel_count; ++i) {
        if (!read_value(file, &value)) return 0;
        pixels[i] = (float)value / 16;
    }
    if (!read_value(file, &value)) return 0;
    *digit = value;
    return 1;
}

/* With a point, in any locale. */
static void print_number(const char* before, double number, const char* behind) {
    const long millionths = (long)(number * 1e6 + 0.5);
    printf("%s%ld.%06ld%s", before, millionths / 1000000, millionths % 1000000, behind);
}

static int classify(FILE* file) {
    classify_digits program;
    float pixels[pixel_count], probabilities[digit_count];
    int32_t digit;
    int right = 0, count = 0;
    if (classify_digits_load(&program, classifier_states, classifier_arena,
                             "classify_digits.weights"))
        return fprintf(stderr, "deploy: %s\n", program.error), 1;
    while (read_digit(file, pixels, &digit)) {
        int best = 0;
        if (classify_digits_run(&program, pixels, probabilities))
            return fprintf(stderr, "deploy: %s\n", program.error), 1;
        for (int i = 1; i < digit_count; ++i)
            if (probabilities[i] > probabilities[best]) best = i;
        right += best == digit;
        ++count;
    }
    print_number("accuracy ", count ? (double)right / count : 0, " ");
    printf("on %d digits\n", count);
    return 0;
}

static int train(FILE* file) {
    static float pixels[batch * pixel_count];
    int32_t digits[batch];
    float before, after;
    train_digits program;
    for (int i = 0; i < batch; ++i)
        if (!read_digit(file, pixels + i * pixel_count, digits + i))
            return fprintf(stderr, "deploy: too few digits\n"), 1;
    if (train_digits_load(&program, trainer_states, trainer_arena, "train_digits.weights") ||
        train_digits_run(&program, pixels, digits, &before) ||
        train_digits_run(&program, pixels, digits, &after) ||
        train_digits_save(&program, "trained.weights"))
        return fprintf(stderr, "deploy: %s\n", program.error), 1;
    print_number("loss ", before, ", ");
    print_number("after one step ", after, "\n");
    return 0;
}

static long size_of_program(void) {
    FILE* self = fopen("/proc/self/exe", "rb");
    long size = -1;
    if (self && fseek(self, 0, SEEK_END) == 0) size = ftell(self);
    if (self) fclose(self);
    return size;
}

int main(int argc, char** argv) {
    FILE* file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!file) return fprintf(stderr, "usage: deploy FILE, an optdigits.tes\n"), 1;
    if (classify(file)) return 1;
    rewind(file);
    if (train(file)) return 1;
    fclose(file);
    printf("program %ld bytes, states and scratch %ld bytes\n", size_of_program(),
           (long)(sizeof classifier_states + sizeof classifier_arena + sizeof trainer_states +
                  sizeof trainer_arena));
    return 0;
}
