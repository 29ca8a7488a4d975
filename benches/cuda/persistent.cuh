// A swarm that stays in registers from the first iteration to the last: one launch, and one exchange per iteration.
//
//   BLOCK    one block, or one for each independent swarm: one __syncthreads per iteration
//   CLUSTER  one cluster of up to 16 blocks: distributed shared memory and one cluster barrier per iteration
//   GRID     a cooperative launch: each block writes a tagged slot of 16 bytes in the second-level cache, and its first
//            warp polls all slots: barrier and reduction in one round trip
//
// L lanes share a particle, each with DPL coordinates; a thread has PPT particles. The part of a swarm in double that
// does not fit in registers is in shared memory: PS coordinates of personal bests and VS of velocities.
#pragma once

#include <cooperative_groups.h>

#include "device.cuh"

namespace cg = cooperative_groups;

enum { BLOCK = 0, CLUSTER = 1, GRID = 2 };

template <class Real>
struct Params {
    int N, D, iters;
    Real w, c1, c2, lo, hi, vmax;
    uint32_t seed, seqbase;
    int nblk;
    uint4* slots;  // [2][nblk]
    Real* gpos;    // [2][nblk][DP]
    Real* outf;    // [nswarm]
    Real* outx;    // [DP]
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

// The key in a slot.
template <class Real>
__device__ inline Key<Real> key_of(const uint4& slot) {
    if constexpr (sizeof(Real) == 4) {
        return slot.x;
    } else {
        return (uint64_t)slot.y << 32 | slot.x;
    }
}

// The numbers of a thread. The first S of each particle are in shared memory, interleaved with those of the other
// THREADS threads of the block.
template <class Real, int PPT, int DPL, int S, int THREADS>
struct Held {
    Real own[PPT][S < DPL ? DPL - S : 1];
    Real* shared;

    __device__ Real get(int k, int j) const {
        return j < S ? shared[(k * S + j) * THREADS] : own[k][j < S ? 0 : j - S];
    }
    __device__ void set(int k, int j, Real a) {
        if (j < S) {
            shared[(k * S + j) * THREADS] = a;
        } else {
            own[k][j < S ? 0 : j - S] = a;
        }
    }
};

extern __shared__ double s_held[];

template <class Real, int L, int DPL, int PPT, int FN, int COMM, bool GREG, int MAXT, int MINB, int PS, int VS>
__global__ void __launch_bounds__(MAXT, MINB) pso_persist(const Params<Real> P) {
    constexpr int DP = L * DPL;
    constexpr Key<Real> NOCAND = ~Key<Real>(0);
    constexpr bool IN_SLOT = DP <= 2 && sizeof(Real) == 4;
    __shared__ Key<Real> s_wf[2][32];
    __shared__ Real s_pos[2][32][DP];
    __shared__ Real s_g[DP];
    __shared__ Key<Real> s_gf;
    __shared__ Key<Real> c_f[2][16];
    __shared__ Real c_pos[2][COMM == CLUSTER ? 16 : 1][DP];
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, nwarp = blockDim.x >> 5;
    const int sub = tid % L;
    const int gt = blockIdx.x * blockDim.x + tid;
    const int base = COMM == BLOCK ? tid / L : gt / L;
    const int stride = (COMM == BLOCK ? blockDim.x : blockDim.x * gridDim.x) / L;
    Real x[PPT][DPL];
    Held<Real, PPT, DPL, VS, MAXT> v;
    Held<Real, PPT, DPL, PS, MAXT> p;
    Real pf[PPT], g[GREG ? DPL : 1];
    if constexpr (PS + VS > 0) {
        static_assert(sizeof(Real) == 8);
        p.shared = s_held + tid;
        v.shared = s_held + PPT * PS * MAXT + tid;
    }
    Rng rng;
    rng.seed(P.seed, gt);
    Key<Real> gof = NOCAND;
#pragma unroll
    for (int k = 0; k < PPT; k++) {
        pf[k] = infinity<Real>();
#pragma unroll
        for (int j = 0; j < DPL; j++) {
            x[k][j] = P.lo + (P.hi - P.lo) * rng.u01<Real>();
            v.set(k, j, P.vmax * (Real(2) * rng.u01<Real>() - Real(1)));
            p.set(k, j, x[k][j]);
        }
    }
#pragma unroll
    for (int j = 0; j < (GREG ? DPL : 1); j++) {
        g[j] = 0;
    }
    if (!GREG) {
        for (int d = tid; d < DP; d += blockDim.x) {
            s_g[d] = 0;
        }
        __syncthreads();
    }

    if (COMM == CLUSTER) {
        cg::this_cluster().sync();  // every CTA must run before its shared memory is addressed
    }
    for (int t = 0; t <= P.iters; t++) {
        const int par = t & 1;
        // ---- move, evaluate, update the personal best
        Key<Real> cand = NOCAND;
        int ck = 0;
#pragma unroll
        for (int k = 0; k < PPT; k++) {
            const bool act = base + k * stride < P.N;
            if (t > 0) {
#pragma unroll
                for (int j = 0; j < DPL; j++) {
                    const Real gj = GREG ? g[GREG ? j : 0] : s_g[sub * DPL + j];
                    Real nv = P.w * v.get(k, j) + rng.times(P.c1) * (p.get(k, j) - x[k][j]) +
                              rng.times(P.c2) * (gj - x[k][j]);
                    if (FN != F_EUCLID) {
                        nv = clamped(nv, P.lo, P.hi);
                    }
                    Real nx = x[k][j] + nv;
                    if (FN != F_EUCLID) {
                        nx = clamped(nx, P.lo, P.hi);
                    }
                    v.set(k, j, nv);
                    x[k][j] = nx;
                }
            }
            Real f = 0;
#pragma unroll
            for (int j = 0; j < DPL; j++) {
                const Real a = x[k][j];
                Real term = FN == F_RASTRIGIN ? rast_term(a) : a * a;
                if (L * DPL > 2) {
                    term = (sub * DPL + j < P.D) ? term : 0;
                }
                f += term;
            }
#pragma unroll
            for (int o = L / 2; o > 0; o >>= 1) {
                f += __shfl_xor_sync(FULL, f, o);
            }
            if (FN == F_EUCLID) {
                f = sqrt(f);
            }
            if (FN == F_RASTRIGIN) {
                f += Real(10) * P.D;
            }
            if (act && f < pf[k]) {
                pf[k] = f;
#pragma unroll
                for (int j = 0; j < DPL; j++) {
                    p.set(k, j, x[k][j]);
                }
            }
            const Key<Real> o = act ? ordf(pf[k]) : NOCAND;
            if (o < gof && o < cand) {
                cand = o;
                ck = k;
            }
        }
        // ---- reduce within the block
        const Key<Real> wmin = warp_min(cand);
        if (wmin != NOCAND) {
            const int src = __ffs(__ballot_sync(FULL, cand == wmin)) - 1;
            if (lane / L == src / L) {
#pragma unroll
                for (int k = 0; k < PPT; k++) {
                    if (k == ck) {
#pragma unroll
                        for (int j = 0; j < DPL; j++) {
                            s_pos[par][warp][sub * DPL + j] = p.get(k, j);
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
        const Key<Real> wf = lane < nwarp ? s_wf[par][lane] : NOCAND;
        const Key<Real> bmin = warp_min(wf);
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
            const Key<Real> cf = lane < CS ? c_f[par][lane & 15] : NOCAND;
            const Key<Real> cm = warp_min(cf);
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
                if (!IN_SLOT && bmin < gof) {
                    for (int k = lane; k < DP; k += 32) {
                        P.gpos[((size_t)par * P.nblk + blockIdx.x) * DP + k] = s_pos[par][ww][k];
                    }
                }
                __syncwarp();
                if (lane == 0) {
                    uint4 q;
                    q.x = (uint32_t)bmin;
                    q.w = want;
                    q.y = q.z = 0;
                    if constexpr (sizeof(Real) == 8) {
                        q.y = (uint32_t)(bmin >> 32);
                    }
                    if constexpr (IN_SLOT) {
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
                Key<Real> bf = NOCAND;
                uint32_t by = 0, bz = 0;
                int bi = 0;
#pragma unroll
                for (int k = 0; k < 5; k++) {
                    if (lane + 32 * k < P.nblk && key_of<Real>(q[k]) < bf) {
                        bf = key_of<Real>(q[k]);
                        by = q[k].y;
                        bz = q[k].z;
                        bi = lane + 32 * k;
                    }
                }
                const Key<Real> m = warp_min(bf);
                const int src = __ffs(__ballot_sync(FULL, bf == m)) - 1;
                if (m < gof) {
                    if constexpr (IN_SLOT) {
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
            const Key<Real> m = s_gf;
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
