// Code shared by the fast kernels, in float and double: random numbers, the order of fitnesses as integers, and the
// terms of Rastrigin's function.
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
    // Uniform in [0, 1), with 23 or 52 random bits.
    template <class Real>
    __device__ Real u01() {
        if constexpr (sizeof(Real) == 4) {
            return __uint_as_float(0x3f800000u | (next() >> 9)) - 1.0f;
        } else {
            const uint32_t high = next() >> 12;
            return __hiloint2double(0x3ff00000u | high, next()) - 1.0;
        }
    }
    // c times such a number. In double it has 32 random bits, like warpswarm's factors.
    template <class Real>
    __device__ Real times(Real c) {
        if constexpr (sizeof(Real) == 4) {
            return c * u01<float>();
        } else {
            const double offset = 1048576.0;  // 2^20; the last bit of its mantissa is 2^-32
            return fma(c, __hiloint2double(0x41300000u, next()), -offset * c);
        }
    }
};

__device__ inline uint32_t ordf(float f) {
    uint32_t u = __float_as_uint(f);
    return u ^ ((uint32_t)((int)u >> 31) | 0x80000000u);
}
__device__ inline uint64_t ordf(double f) {
    uint64_t u = __double_as_longlong(f);
    return u ^ ((uint64_t)((int64_t)u >> 63) | 0x8000000000000000ull);
}
__device__ inline float unordf(uint32_t o) { return __uint_as_float(o & 0x80000000u ? o ^ 0x80000000u : ~o); }
__device__ inline double unordf(uint64_t o) {
    return __longlong_as_double(o & 0x8000000000000000ull ? o ^ 0x8000000000000000ull : ~o);
}

// A fitness as an integer.
template <class Real>
using Key = decltype(ordf(Real()));

// The smallest key in a warp.
__device__ inline uint32_t warp_min(uint32_t key) { return __reduce_min_sync(FULL, key); }
__device__ inline uint64_t warp_min(uint64_t key) {
    const uint32_t high = __reduce_min_sync(FULL, (uint32_t)(key >> 32));
    const uint32_t low = __reduce_min_sync(FULL, (uint32_t)(key >> 32) == high ? (uint32_t)key : 0xffffffffu);
    return (uint64_t)high << 32 | low;
}

template <class Real>
__device__ inline Real infinity() {
    if constexpr (sizeof(Real) == 4) {
        return __int_as_float(0x7f800000);
    } else {
        return __longlong_as_double(0x7ff0000000000000ll);
    }
}

__device__ inline float clamped(float a, float lo, float hi) { return fminf(fmaxf(a, lo), hi); }
// The GPU has no instructions for fmin and fmax in double. These versions need not check for NaN.
__device__ inline double clamped(double a, double lo, double hi) {
    a = a < lo ? lo : a;
    return a > hi ? hi : a;
}

__device__ inline float rast_term(float x) {  // x^2 - 10 cos(2 pi x) with exact reduction to [-1/2, 1/2]
    float n = (x + 12582912.f) - 12582912.f, t = x - n;
    return fmaf(x, x, -10.f * __cosf(6.283185307f * t));
}

// The same in double. The cosine is the sine of a quarter turn times s, computed as s + s E D(E) with E = 1 - s^2, as
// in crates/core/src/math/turns.rs.
__device__ inline double rast_term(double x) {
    const double n = (x + 6755399441055744.0) - 6755399441055744.0;
    const double s = fma(-4.0, fabs(x - n), 1.0), e = fma(-s, s, 1.0);
    double d = 5.869187312604501e-12;
    d = fma(d, e, 6.214732350419678e-10);
    d = fma(d, e, 5.240669041713689e-8);
    d = fma(d, e, 3.2710232455099473e-6);
    d = fma(d, e, 0.00014327780571366932);
    d = fma(d, e, 0.004074862465946084);
    d = fma(d, e, 0.06657486246595855);
    d = fma(d, e, 0.49999999999999994);
    return fma(x, x, -10.0 * fma(s, e * d, s));
}
