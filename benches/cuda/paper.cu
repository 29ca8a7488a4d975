// The CPSO paper's Algorithms 2 to 5 in plain CUDA C++: an array of structs, one thread per particle, 32 threads per
// block, three kernels per iteration (velocity; position, fitness and personal best; a tree reduction in shared memory
// for the global best), w = 1, c1 = c2 = 2, f = sqrt(x^2 + y^2). Differences: device memory instead of managed memory,
// and an xorshift32 generator per particle. The reduction across blocks has two variants:
//
//   paper_atomic  the first thread of each block publishes its best with an atomicMin of 64 bits
//   paper_host    as in the paper: the host copies the bests of the blocks, reduces them and sends the result back; it
//                 is slow, and executes a twentieth of the iterations
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -o paper paper.cu && ./paper [--quick] [--only cpso_paper]

#include <algorithm>
#include <cfloat>
#include <vector>

#include "common.cuh"

constexpr int BLK = 32;
struct Pos {
    float x, y;
};

struct Particle {
    Pos cur, best, vel;
    float bestf;
};

struct GBest {
    float x, y, f;
};

__host__ __device__ inline uint32_t xs32(uint32_t& s) {
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}
__device__ inline float u01(uint32_t& s) { return (xs32(s) >> 8) * (1.0f / 16777216.0f); }
__device__ inline float fit(float x, float y) { return sqrtf(x * x + y * y); }
__device__ inline unsigned long long pack(float f, int i) {  // f >= 0 (a NaN packs above +inf)
    return ((unsigned long long)__float_as_uint(f) << 32) | (unsigned)i;
}

__global__ void initParticles(Particle* p, uint32_t* rng, int n, uint32_t seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    uint32_t s = (i + 1) * 2654435761u ^ seed;
    if (!s) {
        s = 1;
    }
    for (int k = 0; k < 8; k++) {
        xs32(s);
    }
    Particle q;
    q.cur.x = 200.f * u01(s) - 100.f;
    q.cur.y = 200.f * u01(s) - 100.f;
    q.vel.x = 2.f * u01(s) - 1.f;
    q.vel.y = 2.f * u01(s) - 1.f;
    q.best = q.cur;
    q.bestf = fit(q.cur.x, q.cur.y);
    p[i] = q;
    rng[i] = s;
}

// Algorithm 4.
__global__ void updateParticleVelocity(Particle* p, uint32_t* rng, const unsigned long long* gpack,
                                       const GBest* ghost, int n, float w, float c1, float c2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ Pos g;
    if (threadIdx.x == 0) {
        if (ghost) {
            g.x = ghost->x;
            g.y = ghost->y;
        } else {
            int b = (int)(unsigned)(*gpack & 0xffffffffull);
            g = p[b].best;
        }
    }
    __syncthreads();
    if (i < n) {
        Particle q = p[i];
        uint32_t s = rng[i];
        float r1 = u01(s), r2 = u01(s);
        q.vel.x = w * q.vel.x + c1 * r1 * (q.best.x - q.cur.x) + c2 * r2 * (g.x - q.cur.x);
        q.vel.y = w * q.vel.y + c1 * r1 * (q.best.y - q.cur.y) + c2 * r2 * (g.y - q.cur.y);
        p[i].vel = q.vel;
        rng[i] = s;
    }
}

// Algorithm 5.
__global__ void updateParticlePosition(Particle* p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Particle q = p[i];
        q.cur.x += q.vel.x;
        q.cur.y += q.vel.y;
        float f = fit(q.cur.x, q.cur.y);
        p[i].cur = q.cur;
        if (f < q.bestf) {
            p[i].bestf = f;
            p[i].best = q.cur;
        }
    }
}

// Algorithm 3.
__global__ void computeGlobalBest(const Particle* p, unsigned long long* gpack, GBest* blockBest, int n) {
    __shared__ float sf[BLK];
    __shared__ int si[BLK];
    int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    sf[tid] = i < n ? p[i].bestf : FLT_MAX;
    si[tid] = i < n ? i : 0;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k >>= 1) {
        if (tid < k && sf[tid] > sf[tid + k]) {
            sf[tid] = sf[tid + k];
            si[tid] = si[tid + k];
        }
        __syncthreads();
    }
    if (tid == 0) {
        if (blockBest) {
            GBest b;
            b.x = p[si[0]].best.x;
            b.y = p[si[0]].best.y;
            b.f = sf[0];
            blockBest[blockIdx.x] = b;
        } else {
            atomicMin(gpack, pack(sf[0], si[0]));
        }
    }
}

// Seconds for some iterations, with the reduction on the host or on the device.
static double run(int n, int iters, bool cpu, float* bestf) {
    int grid = (n + BLK - 1) / BLK;
    Particle* p;
    uint32_t* rng;
    unsigned long long* gp;
    GBest *bb, *gd;
    CK(cudaMalloc(&p, sizeof(Particle) * n));
    CK(cudaMalloc(&rng, 4 * n));
    CK(cudaMalloc(&gp, 8));
    CK(cudaMalloc(&bb, sizeof(GBest) * grid));
    CK(cudaMalloc(&gd, sizeof(GBest)));
    CK(cudaMemset(gp, 0xff, 8));
    std::vector<GBest> hb(grid);
    GBest hg{0, 0, FLT_MAX};
    auto hostReduce = [&]() {
        CK(cudaMemcpy(hb.data(), bb, sizeof(GBest) * grid, cudaMemcpyDeviceToHost));
        for (int i = 0; i < grid; i++) {
            if (hb[i].f < hg.f) {
                hg = hb[i];
            }
        }
        CK(cudaMemcpy(gd, &hg, sizeof(GBest), cudaMemcpyHostToDevice));
    };
    initParticles<<<grid, BLK>>>(p, rng, n, 12345u);
    computeGlobalBest<<<grid, BLK>>>(p, gp, cpu ? bb : nullptr, n);
    if (cpu) {
        hostReduce();
    }
    CK(cudaDeviceSynchronize());
    const double start = now();
    for (int t = 0; t < iters; t++) {
        updateParticleVelocity<<<grid, BLK>>>(p, rng, gp, cpu ? gd : nullptr, n, 1.f, 2.f, 2.f);
        updateParticlePosition<<<grid, BLK>>>(p, n);
        computeGlobalBest<<<grid, BLK>>>(p, gp, cpu ? bb : nullptr, n);
        if (cpu) {
            hostReduce();
        }
    }
    CK(cudaDeviceSynchronize());
    CK(cudaGetLastError());
    const double seconds = now() - start;
    if (cpu) {
        *bestf = hg.f;
    } else {
        unsigned long long g;
        CK(cudaMemcpy(&g, gp, 8, cudaMemcpyDeviceToHost));
        uint32_t u = (uint32_t)(g >> 32);
        memcpy(bestf, &u, 4);
    }
    cudaFree(p);
    cudaFree(rng);
    cudaFree(gp);
    cudaFree(bb);
    cudaFree(gd);
    return seconds;
}

int main(int count, char** words) {
    const Options options(count, words);
    if (!options.wants("cpso_paper")) {
        return 0;
    }
    const int iterations = options.iterations(100000), fewer = std::max(200, iterations / 20);
    float best;
    run(1024, 200, false, &best);
    run(1024, 50, true, &best);
    for (int n = 32; n <= 65536; n *= 2) {
        std::vector<double> seconds;
        for (int r = 0; r < (options.quick ? 1 : 3); r++) {
            seconds.push_back(run(n, iterations, false, &best));
        }
        std::sort(seconds.begin(), seconds.end());
        const double median = seconds[seconds.size() / 2];
        print_line("paper_atomic", "cpso_paper", {n, 2}, iterations, median, best, "three kernels, 32 threads a block");
        const double slow = run(n, fewer, true, &best);
        print_line("paper_host", "cpso_paper", {n, 2}, fewer, slow, best, "once");
    }
}
