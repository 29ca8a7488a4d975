// A swarm in memory that does not fit in registers: one launch per iteration, 20 bytes per coordinate, in double 40. A
// warp processes the row of a particle, and a lane a vector of 16 bytes of it, in double two vectors. The number of
// dimensions is a multiple of 4, at most 128.
#pragma once

#include "device.cuh"

// A fitness and the index of its particle; the smallest is the best.
template <class Real>
struct Found;

// The same in one word, for atomicMin.
template <>
struct Found<float> {
    unsigned long long word;

    __device__ static Found none() { return {~0ull}; }
    __device__ static Found of(float f, unsigned n) { return {((unsigned long long)ordf(f) << 32) | n}; }
    __device__ bool is_any() const { return word != ~0ull; }
    __device__ bool operator<(const Found& other) const { return word < other.word; }
    __device__ unsigned particle() const { return (unsigned)(word & 0xffffffffull); }
    __device__ float fitness() const { return unordf((uint32_t)(word >> 32)); }
};

// In double: the key and the index need two words, so each block stores its best in memory.
template <>
struct Found<double> {
    uint64_t key, n;

    __device__ static Found none() { return {~0ull, ~0ull}; }
    __device__ static Found of(double f, unsigned n) { return {ordf(f), n}; }
    __device__ bool is_any() const { return key != ~0ull; }
    __device__ bool operator<(const Found& other) const {
        return key < other.key || (key == other.key && n < other.n);
    }
    __device__ unsigned particle() const { return (unsigned)n; }
    __device__ double fitness() const { return unordf(key); }
};

template <class Real>
struct Vector;
template <>
struct Vector<float> {
    using Type = float4;
};
template <>
struct Vector<double> {
    using Type = double2;
};

template <class Real>
struct SParams {
    typename Vector<Real>::Type *x, *v, *p;
    Real* pf;
    Found<Real>* best; /*[3], in double of each block*/
    Real* g;           /*[2][D]*/
    Real* gf;          /*[2]*/
    unsigned* done;
    int N, D;
    Real w, c1, c2, lo, hi, vmax;
    uint32_t seed;
};

// The best of all blocks, returned to all threads of the last block.
__device__ inline Found<float> best_of_all(const Found<float>* best, Found<float>*) {
    return {*(volatile unsigned long long*)best};
}
__device__ inline Found<double> best_of_all(const Found<double>* best, Found<double>* of_warps) {
    Found<double> least = Found<double>::none();
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
        const Found<double> found{__ldcg((const unsigned long long*)&best[i].key),
                                  __ldcg((const unsigned long long*)&best[i].n)};
        if (found < least) {
            least = found;
        }
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) {
        const Found<double> other{__shfl_xor_sync(FULL, least.key, o), __shfl_xor_sync(FULL, least.n, o)};
        if (other < least) {
            least = other;
        }
    }
    if ((threadIdx.x & 31) == 0) {
        of_warps[threadIdx.x >> 5] = least;
    }
    __syncthreads();
    for (int i = 0; i < (int)(blockDim.x >> 5); i++) {
        if (of_warps[i] < least) {
            least = of_warps[i];
        }
    }
    return least;
}

template <class Real, int FN, int R>
__global__ void __launch_bounds__(256) pso_stream(const SParams<Real> P, const int t) {
    using Vec = typename Vector<Real>::Type;
    constexpr int W = sizeof(Vec) / sizeof(Real), K = 4 / W;  // numbers per vector, vectors per lane
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, DV = P.D >> (W == 4 ? 2 : 1);
    const int gw = blockIdx.x * (blockDim.x >> 5) + warp, nw = gridDim.x * (blockDim.x >> 5);
    __shared__ Found<Real> sb[8];
    __shared__ unsigned last;
    const auto on = [=](int k) { return lane + 32 * k < DV; };
    const int src = t & 1, dst = src ^ 1;
    Vec g[K] = {};
#pragma unroll
    for (int k = 0; k < K; k++) {
        if (t > 0 && on(k)) {
            g[k] = ((const Vec*)(P.g + src * P.D))[lane + 32 * k];
        }
    }
    const Real gf = t > 0 ? P.gf[src] : infinity<Real>();
    Rng rng;
    rng.seed(P.seed + 0x9E3779B9u * (uint32_t)t, blockIdx.x * blockDim.x + threadIdx.x);
    Found<Real> best = Found<Real>::none();
    for (int n0 = gw * R; n0 < P.N; n0 += nw * R) {
        Vec x[R][K], v[R][K], p[R][K];
        Real pf[R];
#pragma unroll
        for (int r = 0; r < R; r++) {
#pragma unroll
            for (int k = 0; k < K; k++) {
                const size_t o = (size_t)(n0 + r) * DV + lane + 32 * k;
                if (on(k) && n0 + r < P.N) {
                    if (t > 0) {
                        x[r][k] = __ldcs(P.x + o);
                        v[r][k] = __ldcs(P.v + o);
                        p[r][k] = __ldcs(P.p + o);
                    }
                }
            }
            pf[r] = (t > 0 && n0 + r < P.N) ? P.pf[n0 + r] : infinity<Real>();
        }
#pragma unroll
        for (int r = 0; r < R; r++) {
            if (n0 + r >= P.N) {
                break;
            }
            Real f = 0;
#pragma unroll
            for (int k = 0; k < K; k++) {
                if (on(k)) {
                    Real *xa = (Real*)&x[r][k], *va = (Real*)&v[r][k], *pa = (Real*)&p[r][k];
                    const Real* ga = (const Real*)&g[k];
#pragma unroll
                    for (int j = 0; j < W; j++) {
                        if (t > 0) {
                            Real nv = P.w * va[j] + rng.times(P.c1) * (pa[j] - xa[j]) +
                                      rng.times(P.c2) * (ga[j] - xa[j]);
                            nv = clamped(nv, P.lo, P.hi);
                            va[j] = nv;
                            xa[j] = clamped(xa[j] + nv, P.lo, P.hi);
                        } else {
                            xa[j] = P.lo + (P.hi - P.lo) * rng.u01<Real>();
                            va[j] = P.vmax * (Real(2) * rng.u01<Real>() - Real(1));
                        }
                        f += FN == F_RASTRIGIN ? rast_term(xa[j]) : xa[j] * xa[j];
                    }
                    const size_t o = (size_t)(n0 + r) * DV + lane + 32 * k;
                    __stcs(P.x + o, x[r][k]);
                    __stcs(P.v + o, v[r][k]);
                }
            }
#pragma unroll
            for (int o = 16; o > 0; o >>= 1) {
                f += __shfl_xor_sync(FULL, f, o);
            }
            if (FN == F_RASTRIGIN) {
                f += Real(10) * P.D;
            }
            if (f < pf[r]) {
#pragma unroll
                for (int k = 0; k < K; k++) {
                    if (on(k)) {
                        __stcs(P.p + (size_t)(n0 + r) * DV + lane + 32 * k, x[r][k]);
                    }
                }
                if (lane == 0) {
                    P.pf[n0 + r] = f;
                }
                if (f < gf) {
                    const Found<Real> found = Found<Real>::of(f, n0 + r);
                    if (found < best) {
                        best = found;
                    }
                }
            }
        }
    }
    if (lane == 0) {
        sb[warp] = best;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < (int)(blockDim.x >> 5); i++) {
            if (sb[i] < best) {
                best = sb[i];
            }
        }
        if constexpr (sizeof(Real) == 8) {
            P.best[blockIdx.x] = best;
        } else if (best.is_any()) {
            atomicMin(&P.best->word, best.word);
        }
        __threadfence();
        last = atomicAdd(P.done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {  // the last block publishes gbest for the next iteration
        __threadfence();
        const Found<Real> b = best_of_all(P.best, sb);
        if (b.is_any()) {
            const size_t row = (size_t)b.particle() * P.D;
            for (int d = threadIdx.x; d < P.D; d += blockDim.x) {
                P.g[dst * P.D + d] = __ldcg((const Real*)P.p + row + d);
            }
            if (threadIdx.x == 0) {
                P.gf[dst] = b.fitness();
            }
        } else {
            for (int d = threadIdx.x; d < P.D; d += blockDim.x) {
                P.g[dst * P.D + d] = P.g[src * P.D + d];
            }
            if (threadIdx.x == 0) {
                P.gf[dst] = gf;
            }
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            *P.best = Found<Real>::none();
            *P.done = 0;
        }
    }
}
