// The CPSO paper's serial SPSO (Algorithm 1) in plain C++. The Rust baseline is compared with it.
// Euclidean distance from the origin, two dimensions, float, clamped positions.
//
// The results have the bits of warpswarm_cpu_ref::spso: the same random numbers (Philox4x32-7) and
// the same order of operations. With -DCHEAP_RANDOM the random numbers come from one sequential
// xorshift128, as in many programs; the results then differ.
//
// Arguments: particles, iterations, inertia, cognitive, social, velocity limit, key 0, key 1 (the
// run's key, which the caller derives from the seed). Prints nanoseconds per particle and
// iteration, the bits of the best value, and the bits of its position.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int DIMENSIONS = 2;
constexpr float LOWER = -100.0f;
constexpr float UPPER = 100.0f;

struct Coefficients {
    float inertia, cognitive, social, velocity_limit;
};

struct Key {
    uint32_t k0, k1;
};

// A particle's position, velocity and best position, and the best value: the paper's figure 5.
struct Particle {
    float position[DIMENSIONS];
    float velocity[DIMENSIONS];
    float best_position[DIMENSIONS];
    float best;
};

// 1 + r from a word's upper 23 bits, with r in [0, 1).
inline float one_to_two(uint32_t word) {
    const uint32_t bits = 0x3f800000u | (word >> 9);
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// The number in (0, 1) of a draw: r plus half a step.
inline float open01(float draw) { return draw - (1.0f - 1.1920929e-7f / 2.0f); }

#ifdef CHEAP_RANDOM
// Marsaglia's xorshift128: one state for the whole run.
struct Draws {
    uint32_t x = 123456789, y = 362436069, z = 521288629, w = 88675123;

    uint32_t next() {
        const uint32_t t = x ^ (x << 11);
        x = y, y = z, z = w;
        return w = w ^ (w >> 19) ^ t ^ (t >> 8);
    }
    void of(uint32_t, uint32_t, Key, float draws[4]) {
        for (int i = 0; i < 4; i++) draws[i] = one_to_two(next());
    }
};
#else
struct Draws {
    void of(uint32_t particle, uint32_t iteration, Key key, float draws[4]) {
        uint32_t c0 = particle, c1 = 0, c2 = iteration, c3 = 0;
        uint32_t k0 = key.k0, k1 = key.k1;
        for (int round = 0; round < 7; round++) {
            const uint64_t p0 = uint64_t(c0) * 0xD2511F53u;
            const uint64_t p1 = uint64_t(c2) * 0xCD9E8D57u;
            c0 = uint32_t(p1 >> 32) ^ c1 ^ k0;
            c1 = uint32_t(p1);
            c2 = uint32_t(p0 >> 32) ^ c3 ^ k1;
            c3 = uint32_t(p0);
            k0 += 0x9E3779B9u;
            k1 += 0xBB67AE85u;
        }
        draws[0] = one_to_two(c0), draws[1] = one_to_two(c1);
        draws[2] = one_to_two(c2), draws[3] = one_to_two(c3);
    }
};
#endif

inline float evaluate(const float x[DIMENSIONS]) {
    return std::sqrt(x[0] * x[0] + x[1] * x[1]);
}

struct Swarm {
    std::vector<Particle> particles;
    Draws draws;
    Key key;
    float global[DIMENSIONS];
    float global_best = INFINITY;

    Swarm(uint32_t size, Key run) : particles(size), key(run) {
        for (uint32_t i = 0; i < size; i++) {
            Particle& p = particles[i];
            float u[4];
            draws.of(i, 0, key, u);
            for (int d = 0; d < DIMENSIONS; d++) {
                const float x = LOWER + (UPPER - LOWER) * open01(u[2 * d]);
                p.position[d] = p.best_position[d] = x;
                p.velocity[d] = 0.5f * (LOWER + (UPPER - LOWER) * open01(u[2 * d + 1]) - x);
            }
            p.best = evaluate(p.position);
            if (p.best < global_best) take_global(p);
        }
    }

    void take_global(const Particle& p) {
        global_best = p.best;
        for (int d = 0; d < DIMENSIONS; d++) global[d] = p.best_position[d];
    }

    void step(uint32_t iteration, const Coefficients& c) {
        const float limit = std::min(c.velocity_limit * (UPPER - LOWER), 3.40282347e38f);
        for (uint32_t i = 0; i < particles.size(); i++) {
            Particle& p = particles[i];
            float r[4];
            draws.of(i, iteration, key, r);
            for (int d = 0; d < DIMENSIONS; d++) {
                float x = p.position[d];
                const float c1_r1 = std::fma(c.cognitive, r[2 * d], -c.cognitive);
                const float c2_r2 = std::fma(c.social, r[2 * d + 1], -c.social);
                float v = std::fma(c1_r1, p.best_position[d] - x, c.inertia * p.velocity[d]);
                v = std::fma(c2_r2, global[d] - x, v);
                v = std::max(std::min(v, limit), -limit);
                x += v;
                if (x < LOWER) {
                    x = LOWER, v = 0.0f;
                } else if (x > UPPER) {
                    x = UPPER, v = 0.0f;
                }
                p.position[d] = x;
                p.velocity[d] = v;
            }
            const float value = evaluate(p.position);
            if (value < p.best) {
                p.best = value;
                for (int d = 0; d < DIMENSIONS; d++) p.best_position[d] = p.position[d];
                if (value < global_best) take_global(p);
            }
        }
    }
};

unsigned bits(float x) {
    uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

}  // namespace

int main(int count, char** words) {
    if (count != 9) {
        std::fprintf(stderr, "eight arguments, see the head of spso.cpp\n");
        return 2;
    }
    const uint32_t size = std::strtoul(words[1], nullptr, 10);
    const uint32_t iterations = std::strtoul(words[2], nullptr, 10);
    const Coefficients c = {std::strtof(words[3], nullptr), std::strtof(words[4], nullptr),
                            std::strtof(words[5], nullptr), std::strtof(words[6], nullptr)};
    const Key key = {uint32_t(std::strtoul(words[7], nullptr, 10)),
                     uint32_t(std::strtoul(words[8], nullptr, 10))};
    Swarm swarm(size, key);
    const auto start = std::chrono::steady_clock::now();
    for (uint32_t t = 1; t <= iterations; t++) swarm.step(t, c);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    std::printf("%.4f %u %u %u\n", took.count() / (double(size) * iterations),
                bits(swarm.global_best), bits(swarm.global[0]), bits(swarm.global[1]));
}
