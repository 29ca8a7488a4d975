// Synchronous particle swarm optimisation with a global best, as a plain loop in C++. The CPU backend is compared with
// it. Rastrigin's function on [-R, 0.9 R], float, clamped positions; one xorshift128 generator for the whole run.
//
// Arguments: particles, dimensions, iterations. Prints seconds, evaluations and the best value.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr float LOWER = -5.12f, UPPER = 0.9f * 5.12f;
constexpr float INERTIA = 0.7298f, COGNITIVE = 1.4962f, SOCIAL = 1.4962f;
constexpr float FASTEST = UPPER - LOWER;

// Marsaglia's xorshift128.
struct Draws {
    uint32_t x = 123456789, y = 362436069, z = 521288629, w = 88675123;

    float next() {
        const uint32_t t = x ^ (x << 11);
        x = y, y = z, z = w;
        w = w ^ (w >> 19) ^ t ^ (t >> 8);
        return float(w >> 8) * (1.0f / 16777216.0f);
    }
};

float rastrigin(const float* x, int dimensions) {
    float sum = 10.0f * float(dimensions);
    for (int d = 0; d < dimensions; d++) {
        sum += x[d] * x[d] - 10.0f * std::cos(2.0f * float(M_PI) * x[d]);
    }
    return sum;
}

}  // namespace

int main(int, char** arguments) {
    const int particles = std::atoi(arguments[1]);
    const int dimensions = std::atoi(arguments[2]);
    const int iterations = std::atoi(arguments[3]);
    const size_t places = size_t(particles) * dimensions;
    std::vector<float> x(places), v(places), p(places), best(particles), g(dimensions);
    Draws draws;
    float global = INFINITY;
    for (int i = 0; i < particles; i++) {
        float* row = &x[size_t(i) * dimensions];
        for (int d = 0; d < dimensions; d++) {
            row[d] = LOWER + (UPPER - LOWER) * draws.next();
            v[size_t(i) * dimensions + d] =
                0.5f * (LOWER + (UPPER - LOWER) * draws.next() - row[d]);
        }
        best[i] = rastrigin(row, dimensions);
        if (best[i] < global) {
            global = best[i];
            std::copy(row, row + dimensions, g.begin());
        }
    }
    p = x;
    const auto start = std::chrono::steady_clock::now();
    for (int t = 0; t < iterations; t++) {
        int holder = -1;
        for (int i = 0; i < particles; i++) {
            float* row = &x[size_t(i) * dimensions];
            float* speed = &v[size_t(i) * dimensions];
            float* own = &p[size_t(i) * dimensions];
            for (int d = 0; d < dimensions; d++) {
                const float r1 = draws.next(), r2 = draws.next();
                float s = INERTIA * speed[d] + COGNITIVE * r1 * (own[d] - row[d]) +
                          SOCIAL * r2 * (g[d] - row[d]);
                s = std::min(std::max(s, -FASTEST), FASTEST);
                const float to = row[d] + s;
                row[d] = std::min(std::max(to, LOWER), UPPER);
                speed[d] = row[d] == to ? s : 0.0f;
            }
            const float f = rastrigin(row, dimensions);
            if (f < best[i]) {
                best[i] = f;
                std::copy(row, row + dimensions, own);
                if (f < global) {
                    global = f;
                    holder = i;
                }
            }
        }
        if (holder >= 0) std::copy_n(&p[size_t(holder) * dimensions], dimensions, g.begin());
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("%.9f %lld %.9g\n", took.count(), (long long)(particles) * iterations, double(global));
}
