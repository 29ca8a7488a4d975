// A swarm in memory, larger than what registers hold: one launch an iteration, 20 bytes a coordinate. A warp has a
// particle's row; dimensions are a multiple of 4, at most 128.
#pragma once

#include "device.cuh"

struct SParams {
    float4 *x, *v, *p;
    float* pf;
    unsigned long long* best; /*[3]*/
    float* g;                 /*[2][D]*/
    float* gf;                /*[2]*/
    unsigned* done;
    int N, D;
    float w, c1, c2, lo, hi, vmax;
    uint32_t seed;
};

template <int FN, int R>
__global__ void __launch_bounds__(256) pso_stream(const SParams P, const int t) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, D4 = P.D >> 2;
    const int gw = blockIdx.x * (blockDim.x >> 5) + warp, nw = gridDim.x * (blockDim.x >> 5);
    __shared__ unsigned long long sb[8];
    __shared__ unsigned last;
    const bool on = lane < D4;
    const int src = t & 1, dst = src ^ 1;
    float4 g = make_float4(0, 0, 0, 0);
    if (t > 0 && on) {
        g = ((const float4*)(P.g + src * P.D))[lane];
    }
    const float gf = t > 0 ? P.gf[src] : __int_as_float(0x7f800000);
    Rng rng;
    rng.seed(P.seed + 0x9E3779B9u * (uint32_t)t, blockIdx.x * blockDim.x + threadIdx.x);
    unsigned long long best = ~0ull;
    for (int n0 = gw * R; n0 < P.N; n0 += nw * R) {
        float4 x[R], v[R], p[R];
        float pf[R];
#pragma unroll
        for (int r = 0; r < R; r++) {
            const size_t o = (size_t)(n0 + r) * D4 + lane;
            if (on && n0 + r < P.N) {
                if (t > 0) {
                    x[r] = __ldcs(P.x + o);
                    v[r] = __ldcs(P.v + o);
                    p[r] = __ldcs(P.p + o);
                }
            }
            pf[r] = (t > 0 && n0 + r < P.N) ? P.pf[n0 + r] : __int_as_float(0x7f800000);
        }
#pragma unroll
        for (int r = 0; r < R; r++) {
            if (n0 + r >= P.N) {
                break;
            }
            float f = 0.f;
            if (on) {
                float *xa = (float*)&x[r], *va = (float*)&v[r], *pa = (float*)&p[r];
                const float* ga = (const float*)&g;
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    if (t > 0) {
                        float nv = P.w * va[j] + P.c1 * rng.u01() * (pa[j] - xa[j]) +
                                   P.c2 * rng.u01() * (ga[j] - xa[j]);
                        nv = fminf(fmaxf(nv, P.lo), P.hi);
                        va[j] = nv;
                        xa[j] = fminf(fmaxf(xa[j] + nv, P.lo), P.hi);
                    } else {
                        xa[j] = P.lo + (P.hi - P.lo) * rng.u01();
                        va[j] = P.vmax * (2.f * rng.u01() - 1.f);
                    }
                    f += FN == F_RASTRIGIN ? rast_term(xa[j]) : xa[j] * xa[j];
                }
                const size_t o = (size_t)(n0 + r) * D4 + lane;
                __stcs(P.x + o, x[r]);
                __stcs(P.v + o, v[r]);
            }
#pragma unroll
            for (int o = 16; o > 0; o >>= 1) {
                f += __shfl_xor_sync(FULL, f, o);
            }
            if (FN == F_RASTRIGIN) {
                f += 10.f * P.D;
            }
            if (f < pf[r]) {
                if (on) {
                    __stcs(P.p + (size_t)(n0 + r) * D4 + lane, x[r]);
                }
                if (lane == 0) {
                    P.pf[n0 + r] = f;
                }
                if (f < gf) {
                    unsigned long long k = ((unsigned long long)ordf(f) << 32) | (unsigned)(n0 + r);
                    if (k < best) {
                        best = k;
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
        if (best != ~0ull) {
            atomicMin(P.best, best);
        }
        __threadfence();
        last = atomicAdd(P.done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {  // the last block publishes gbest for the next iteration
        __threadfence();
        const unsigned long long b = *(volatile unsigned long long*)P.best;
        if (b != ~0ull) {
            const size_t row = (size_t)(unsigned)(b & 0xffffffffull) * P.D;
            for (int d = threadIdx.x; d < P.D; d += blockDim.x) {
                P.g[dst * P.D + d] = __ldcg((const float*)P.p + row + d);
            }
            if (threadIdx.x == 0) {
                P.gf[dst] = unordf((uint32_t)(b >> 32));
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
            *P.best = ~0ull;
            *P.done = 0;
        }
    }
}
