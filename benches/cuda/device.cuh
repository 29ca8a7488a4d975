// What the kernels written for speed share: draws, the order of fitnesses as integers, Rastrigin's terms.
#pragma once

#include <cstdint>

enum { F_EUCLID = 0, F_SPHERE = 1, F_RASTRIGIN = 2 };
constexpr unsigned FULL = 0xffffffffu;

// xoroshiro64* (Blackman, Vigna): 64-bit state, 32-bit output
struct Rng {
    uint32_t a, b;
    __device__ void seed(uint32_t s, uint32_t id) {
        uint64_t z = ((uint64_t)s << 32 | id) + 0x9E3779B97F4A7C15ull;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        z ^= z >> 31;
        a = (uint32_t)z;
        b = (uint32_t)(z >> 32) | 1u;
    }
    __device__ uint32_t next() {
        uint32_t r = a * 0x9E3779BBu, t = b ^ a;
        a = __funnelshift_l(a, a, 26) ^ t ^ (t << 9);
        b = __funnelshift_l(t, t, 13);
        return r;
    }
    __device__ float u01() { return __uint_as_float(0x3f800000u | (next() >> 9)) - 1.0f; }
};

__device__ inline uint32_t ordf(float f) {
    uint32_t u = __float_as_uint(f);
    return u ^ ((uint32_t)((int)u >> 31) | 0x80000000u);
}
__device__ inline float unordf(uint32_t o) { return __uint_as_float(o & 0x80000000u ? o ^ 0x80000000u : ~o); }

__device__ inline float rast_term(float x) {  // x^2 - 10 cos(2 pi x) with exact reduction to [-1/2, 1/2]
    float n = (x + 12582912.f) - 12582912.f, t = x - n;
    return fmaf(x, x, -10.f * __cosf(6.283185307f * t));
}
