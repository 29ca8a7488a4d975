// A swarm that stays in registers from its first iteration to its last: one launch, one exchange an iteration.
//
//   BLOCK    one block, or one for each independent swarm: one __syncthreads an iteration
//   CLUSTER  one cluster of up to 16 blocks: distributed shared memory and one barrier of the cluster
//   GRID     a cooperative launch: each block posts a tagged slot of 16 bytes in the second-level cache, and its first
//            warp polls all slots: barrier and reduction in one round trip
//
// L lanes share a particle, each with DPL coordinates; a thread has PPT particles.
#pragma once

#include <cooperative_groups.h>

#include "device.cuh"

namespace cg = cooperative_groups;

enum { BLOCK = 0, CLUSTER = 1, GRID = 2 };
constexpr uint32_t NOCAND = 0xffffffffu;

struct Params {
    int N, D, iters;
    float w, c1, c2, lo, hi, vmax;
    uint32_t seed, seqbase;
    int nblk;
    uint4* slots;  // [2][nblk]
    float* gpos;   // [2][nblk][DP]
    float* outf;   // [nswarm]
    float* outx;   // [DP]
};

__device__ inline void st_slot(uint4* p, uint4 q) {
    asm volatile(
        "{\n\t.reg .b64 l,h; .reg .b128 t;\n\tmov.b64 l,{%1,%2}; mov.b64 h,{%3,%4}; mov.b128 t,{l,h};\n\t"
        "st.release.gpu.global.b128 [%0], t;\n\t}" ::"l"(p),
        "r"(q.x), "r"(q.y), "r"(q.z), "r"(q.w)
        : "memory");
}
__device__ inline uint4 ld_slot(const uint4* p) {
    uint4 q;
    asm volatile(
        "{\n\t.reg .b64 l,h; .reg .b128 t;\n\tld.relaxed.gpu.global.b128 t, [%4];\n\t"
        "mov.b128 {l,h}, t; mov.b64 {%0,%1}, l; mov.b64 {%2,%3}, h;\n\t}"
        : "=r"(q.x), "=r"(q.y), "=r"(q.z), "=r"(q.w)
        : "l"(p)
        : "memory");
    return q;
}

template <int L, int DPL, int PPT, int FN, int COMM, bool GREG, int MAXT>
__global__ void __launch_bounds__(MAXT, 1) pso_persist(const Params P) {
    constexpr int DP = L * DPL;
    __shared__ uint32_t s_wf[2][32];
    __shared__ float s_pos[2][32][DP];
    __shared__ float s_g[DP];
    __shared__ uint32_t s_gf;
    __shared__ uint32_t c_f[2][16];
    __shared__ float c_pos[2][COMM == CLUSTER ? 16 : 1][DP];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, nwarp = blockDim.x >> 5;
    const int sub = tid % L;
    const int gt = blockIdx.x * blockDim.x + tid;
    const int base = COMM == BLOCK ? tid / L : gt / L;
    const int stride = (COMM == BLOCK ? blockDim.x : blockDim.x * gridDim.x) / L;
    float x[PPT][DPL], v[PPT][DPL], p[PPT][DPL], pf[PPT], g[GREG ? DPL : 1];
    Rng rng;
    rng.seed(P.seed, gt);
    uint32_t gof = NOCAND;
#pragma unroll
    for (int k = 0; k < PPT; k++) {
        pf[k] = __int_as_float(0x7f800000);
#pragma unroll
        for (int j = 0; j < DPL; j++) {
            x[k][j] = P.lo + (P.hi - P.lo) * rng.u01();
            v[k][j] = P.vmax * (2.f * rng.u01() - 1.f);
            p[k][j] = x[k][j];
        }
    }
#pragma unroll
    for (int j = 0; j < (GREG ? DPL : 1); j++) {
        g[j] = 0.f;
    }
    if (!GREG) {
        for (int d = tid; d < DP; d += blockDim.x) {
            s_g[d] = 0.f;
        }
        __syncthreads();
    }

    if (COMM == CLUSTER) {
        cg::this_cluster().sync();  // every CTA must run before its shared memory is addressed
    }
    for (int t = 0; t <= P.iters; t++) {
        const int par = t & 1;
        // ---- move, evaluate, personal best
        uint32_t cand = NOCAND;
        int ck = 0;
#pragma unroll
        for (int k = 0; k < PPT; k++) {
            const bool act = base + k * stride < P.N;
            if (t > 0) {
#pragma unroll
                for (int j = 0; j < DPL; j++) {
                    const float gj = GREG ? g[GREG ? j : 0] : s_g[sub * DPL + j];
                    float nv = P.w * v[k][j] + P.c1 * rng.u01() * (p[k][j] - x[k][j]) +
                               P.c2 * rng.u01() * (gj - x[k][j]);
                    if (FN != F_EUCLID) {
                        nv = fminf(fmaxf(nv, P.lo), P.hi);
                    }
                    float nx = x[k][j] + nv;
                    if (FN != F_EUCLID) {
                        nx = fminf(fmaxf(nx, P.lo), P.hi);
                    }
                    v[k][j] = nv;
                    x[k][j] = nx;
                }
            }
            float f = 0.f;
#pragma unroll
            for (int j = 0; j < DPL; j++) {
                const float a = x[k][j];
                float term = FN == F_RASTRIGIN ? rast_term(a) : a * a;
                if (L * DPL > 2) {
                    term = (sub * DPL + j < P.D) ? term : 0.f;
                }
                f += term;
            }
#pragma unroll
            for (int o = L / 2; o > 0; o >>= 1) {
                f += __shfl_xor_sync(FULL, f, o);
            }
            if (FN == F_EUCLID) {
                f = sqrtf(f);
            }
            if (FN == F_RASTRIGIN) {
                f += 10.f * P.D;
            }
            if (act && f < pf[k]) {
                pf[k] = f;
#pragma unroll
                for (int j = 0; j < DPL; j++) {
                    p[k][j] = x[k][j];
                }
            }
            const uint32_t o = act ? ordf(pf[k]) : NOCAND;
            if (o < gof && o < cand) {
                cand = o;
                ck = k;
            }
        }
        // ---- reduce within the block
        const uint32_t wmin = __reduce_min_sync(FULL, cand);
        if (wmin != NOCAND) {
            const int src = __ffs(__ballot_sync(FULL, cand == wmin)) - 1;
            if (lane / L == src / L) {
#pragma unroll
                for (int k = 0; k < PPT; k++) {
                    if (k == ck) {
#pragma unroll
                        for (int j = 0; j < DPL; j++) {
                            s_pos[par][warp][sub * DPL + j] = p[k][j];
                        }
                    }
                }
            }
        }
        if (lane == 0) {
            s_wf[par][warp] = wmin;
        }
        if (nwarp > 1) {
            __syncthreads();
        } else {
            __syncwarp();
        }
        const uint32_t wf = lane < nwarp ? s_wf[par][lane] : NOCAND;
        const uint32_t bmin = __reduce_min_sync(FULL, wf);
        const int ww = __ffs(__ballot_sync(FULL, wf == bmin)) - 1;
        if (COMM == BLOCK) {
            if (bmin < gof) {
                gof = bmin;
#pragma unroll
                for (int j = 0; j < DPL; j++) {
                    g[GREG ? j : 0] = s_pos[par][ww][sub * DPL + j];
                }
            }
        } else if (COMM == CLUSTER) {
            cg::cluster_group cl = cg::this_cluster();
            const int CS = gridDim.x, me = blockIdx.x;
            if (warp == 0) {
                if (lane < CS) {
                    *cl.map_shared_rank(&c_f[par][me], lane) = bmin;
                }
                if (bmin < gof) {
                    for (int k = lane; k < CS * DP; k += 32) {
                        *cl.map_shared_rank(&c_pos[par][me][k % DP], k / DP) = s_pos[par][ww][k % DP];
                    }
                }
            }
            __syncwarp();
            asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::
                             : "memory");
            const uint32_t cf = lane < CS ? c_f[par][lane & 15] : NOCAND;
            const uint32_t cm = __reduce_min_sync(FULL, cf);
            const int cw = __ffs(__ballot_sync(FULL, cf == cm)) - 1;
            if (cm < gof) {
                gof = cm;
#pragma unroll
                for (int j = 0; j < DPL; j++) {
                    g[GREG ? j : 0] = c_pos[par][COMM == CLUSTER ? cw : 0][sub * DPL + j];
                }
            }
        } else {
            const uint32_t want = P.seqbase + (uint32_t)t + 1u;
            if (warp == 0) {
                uint4* slots = P.slots + par * P.nblk;
                if (DP > 2 && bmin < gof) {
                    for (int k = lane; k < DP; k += 32) {
                        P.gpos[((size_t)par * P.nblk + blockIdx.x) * DP + k] = s_pos[par][ww][k];
                    }
                }
                __syncwarp();
                if (lane == 0) {
                    uint4 q;
                    q.x = bmin;
                    q.w = want;
                    q.y = q.z = 0;
                    if (DP <= 2) {
                        q.y = __float_as_uint(s_pos[par][ww][0]);
                        q.z = __float_as_uint(s_pos[par][ww][DP - 1]);
                    }
                    st_slot(slots + blockIdx.x, q);
                }
                uint4 q[5];
                bool ok;
                do {
                    ok = true;
#pragma unroll
                    for (int k = 0; k < 5; k++) {
                        if (lane + 32 * k < P.nblk) {
                            q[k] = ld_slot(slots + lane + 32 * k);
                        }
                    }
#pragma unroll
                    for (int k = 0; k < 5; k++) {
                        ok &= (lane + 32 * k >= P.nblk) || q[k].w == want;
                    }
                } while (!ok);
                uint32_t bf = NOCAND, by = 0, bz = 0;
                int bi = 0;
#pragma unroll
                for (int k = 0; k < 5; k++) {
                    if (lane + 32 * k < P.nblk && q[k].x < bf) {
                        bf = q[k].x;
                        by = q[k].y;
                        bz = q[k].z;
                        bi = lane + 32 * k;
                    }
                }
                const uint32_t m = __reduce_min_sync(FULL, bf);
                const int src = __ffs(__ballot_sync(FULL, bf == m)) - 1;
                if (m < gof) {
                    if (DP <= 2) {
                        if (lane == src) {
                            s_g[0] = __uint_as_float(by);
                            s_g[DP - 1] = __uint_as_float(bz);
                        }
                    } else {
                        asm volatile("fence.acq_rel.gpu;" ::: "memory");
                        bi = __shfl_sync(FULL, bi, src);
                        for (int k = lane; k < DP; k += 32) {
                            s_g[k] = __ldcg(&P.gpos[((size_t)par * P.nblk + bi) * DP + k]);
                        }
                    }
                }
                if (lane == 0) {
                    s_gf = m;
                }
            }
            __syncthreads();
            const uint32_t m = s_gf;
            if (m < gof) {
                gof = m;
                if (GREG) {
#pragma unroll
                    for (int j = 0; j < DPL; j++) {
                        g[GREG ? j : 0] = s_g[sub * DPL + j];
                    }
                }
            }
        }
    }
    if (COMM == BLOCK) {
        if (tid == 0) {
            P.outf[blockIdx.x] = unordf(gof);
        }
    } else if (blockIdx.x == 0 && tid == 0) {
        P.outf[0] = unordf(gof);
    }
    if (COMM == CLUSTER) {
        cg::this_cluster().sync();
    }
}
