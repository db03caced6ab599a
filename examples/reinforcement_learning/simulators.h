#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

struct Outcome {
    float reward = 0;
    bool terminal = false;  ///< Failed: nothing can be earned afterwards.
    bool over = false;      ///< Terminal, or the time is up.
};

/// A pole on a cart that is pushed left or right (Barto, Sutton and Anderson 1983), with the
/// numbers of CartPole-v0: 1 is earned in each of up to 200 steps in which the pole stands.
class CartPole {
public:
    static constexpr int observation_size = 4, actions = 2;
    explicit CartPole(uint64_t seed) : random_(seed) {}
    std::vector<float> reset() {
        std::uniform_real_distribution<double> around(-0.05, 0.05);
        for (double* value : {&x_, &speed_, &angle_, &turning_}) *value = around(random_);
        steps_ = 0;
        return observation();
    }
    Outcome step(int action) {
        constexpr double gravity = 9.8, cart = 1.0, pole = 0.1, half_length = 0.5, push = 10,
                         dt = 0.02;
        const double force = action == 1 ? push : -push, sine = std::sin(angle_),
                     cosine = std::cos(angle_), mass = cart + pole;
        const double shared = (force + pole * half_length * turning_ * turning_ * sine) / mass;
        const double angular = (gravity * sine - cosine * shared) /
                               (half_length * (4.0 / 3 - pole * cosine * cosine / mass));
        const double linear = shared - pole * half_length * angular * cosine / mass;
        x_ += dt * speed_;
        speed_ += dt * linear;
        angle_ += dt * turning_;
        turning_ += dt * angular;
        ++steps_;
        const bool fallen = std::abs(x_) > 2.4 || std::abs(angle_) > 12 * 2 * M_PI / 360;
        return {1, fallen, fallen || steps_ == 200};
    }
    std::vector<float> observation() const {
        return {float(x_), float(speed_), float(angle_), float(turning_)};
    }

private:
    std::mt19937_64 random_;
    double x_ = 0, speed_ = 0, angle_ = 0, turning_ = 0;
    int steps_ = 0;
};

/// A pendulum that is to be swung up and held by a torque of at most 2, with the numbers of
/// Pendulum-v0: each of 200 steps costs what it is away from standing still on its head.
class Pendulum {
public:
    static constexpr int observation_size = 3, action_size = 1;
    static constexpr double most_torque = 2;
    explicit Pendulum(uint64_t seed) : random_(seed) {}
    std::vector<float> reset() {
        angle_ = std::uniform_real_distribution<double>(-M_PI, M_PI)(random_);
        turning_ = std::uniform_real_distribution<double>(-1, 1)(random_);
        steps_ = 0;
        return observation();
    }
    Outcome step(double torque) {
        constexpr double gravity = 10, mass = 1, length = 1, dt = 0.05, most_turning = 8;
        torque = std::clamp(torque, -most_torque, most_torque);
        const double away = std::remainder(angle_, 2 * M_PI);
        const double cost = away * away + 0.1 * turning_ * turning_ + 0.001 * torque * torque;
        turning_ += dt * (1.5 * gravity / length * std::sin(angle_) +
                          3 / (mass * length * length) * torque);
        turning_ = std::clamp(turning_, -most_turning, most_turning);
        angle_ += dt * turning_;
        ++steps_;
        return {float(-cost), false, steps_ == 200};
    }
    std::vector<float> observation() const {
        return {float(std::cos(angle_)), float(std::sin(angle_)), float(turning_)};
    }

private:
    std::mt19937_64 random_;
    double angle_ = 0, turning_ = 0;
    int steps_ = 0;
};
