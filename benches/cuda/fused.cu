// Synchronous PSO with a global best, as fast as we could write it by hand in CUDA C++: what the GPU backend is
// measured against. Of each case a few shapes of launch are tried, and the fastest is measured, three times.
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -o fused fused.cu && ./fused [--quick] [--only CASE,CASE]
//
// Cases are those of `cargo xtask bench gpu`: `cpso_paper` the CPSO paper's table (w = 1, c1 = c2 = 2, unbounded), the
// others the sphere in two dimensions and Rastrigin's function in more, clamped to [-R, 0.9 R].

#include <algorithm>
#include <functional>
#include <vector>

#include "common.cuh"
#include "persistent.cuh"
#include "streaming.cuh"

static uint4* g_slots;
static float *g_gpos, *g_outf, *g_outx;
static uint32_t g_seq = 0;
static int g_sms;

// Coefficients, box and highest velocity.
struct Setting {
    float w, c, lo, hi, vmax;
};

constexpr float W = 0.7298f, C = 1.49618f, R0 = -5.12f, R1 = 0.9f * 5.12f;
constexpr Setting PAPER{1.f, 2.f, -100.f, 100.f, 1.f}, SPHERE{W, C, -100.f, 90.f, 90.f}, RASTRIGIN{W, C, R0, R1, R1};

// A shape of launch: seconds of so many iterations, and the best value; negative where the device cannot run it.
struct Candidate {
    std::string name;
    std::function<double(int iterations, float* best)> run;
};

template <int L, int DPL, int PPT, int FN, int COMM, bool GREG, int MAXT>
static Candidate shape(int N, int D, int threads, int blocks, Setting s) {
    char name[96];
    snprintf(name, sizeof name, "%s/b%d/t%d/L%d/P%d", COMM == BLOCK ? "block" : COMM == CLUSTER ? "cluster" : "grid",
             blocks, threads, L, PPT);
    std::string named = name;
    return {named, [=](int iterations, float* best) -> double {
                auto kernel = pso_persist<L, DPL, PPT, FN, COMM, GREG, MAXT>;
                Params P{};
                P.N = N, P.D = D, P.iters = iterations;
                P.w = s.w, P.c1 = P.c2 = s.c, P.lo = s.lo, P.hi = s.hi, P.vmax = s.vmax;
                P.seed = 12345u, P.nblk = blocks;
                P.slots = g_slots, P.gpos = g_gpos, P.outf = g_outf, P.outx = g_outx;
                P.seqbase = g_seq;
                g_seq += iterations + 2;
                CK(cudaDeviceSynchronize());
                const double start = now();
                cudaError_t e = cudaSuccess;
                if (COMM == BLOCK) {
                    kernel<<<blocks, threads>>>(P);
                    e = cudaGetLastError();
                } else if (COMM == CLUSTER) {
                    if (blocks > 8) {
                        const auto large = cudaFuncAttributeNonPortableClusterSizeAllowed;
                        e = cudaFuncSetAttribute((const void*)kernel, large, 1);
                    }
                    cudaLaunchAttribute attribute[1];
                    attribute[0].id = cudaLaunchAttributeClusterDimension;
                    attribute[0].val.clusterDim.x = blocks;
                    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
                    cudaLaunchConfig_t launch{};
                    launch.gridDim = dim3(blocks), launch.blockDim = dim3(threads);
                    launch.attrs = attribute, launch.numAttrs = 1;
                    if (e == cudaSuccess) {
                        e = cudaLaunchKernelEx(&launch, kernel, P);
                    }
                } else {
                    if (blocks > g_sms || blocks > 160) {
                        return -1;
                    }
                    void* arguments[] = {(void*)&P};
                    e = cudaLaunchCooperativeKernel((const void*)kernel, dim3(blocks), dim3(threads), arguments, 0, 0);
                }
                if (e != cudaSuccess) {
                    cudaGetLastError();
                    fprintf(stderr, "# %s: %s\n", named.c_str(), cudaGetErrorString(e));
                    return -1;
                }
                CK(cudaDeviceSynchronize());
                const double seconds = now() - start;
                CK(cudaMemcpy(best, g_outf, 4, cudaMemcpyDeviceToHost));
                return seconds;
            }};
}

// The median of three runs of the fastest shape.
static void report(const char* name, Size size, int iterations, int probe, const std::vector<Candidate>& candidates) {
    float best = 0;
    const Candidate* fastest = nullptr;
    double least = 1e30;
    for (const Candidate& candidate : candidates) {
        if (candidate.run(probe, &best) < 0) {
            continue;
        }
        const double seconds = std::min(candidate.run(probe, &best), candidate.run(probe, &best));
        printf("#   try %s %s: %.3f us/iteration\n", name, candidate.name.c_str(), seconds / probe * 1e6);
        if (seconds < least) {
            least = seconds, fastest = &candidate;
        }
    }
    if (!fastest) {
        printf("cuda_fused %s %s %d FAILED no shape can be launched\n", name, size.words().c_str(), iterations);
        return;
    }
    std::vector<double> seconds;
    for (int r = 0; r < 3; r++) {
        seconds.push_back(fastest->run(iterations, &best));
    }
    std::sort(seconds.begin(), seconds.end());
    print_line("cuda_fused", name, size, iterations, seconds[1], best, fastest->name.c_str());
}

static void report(const char* name, Size size, int iterations, const std::vector<Candidate>& candidates) {
    report(name, size, iterations, std::max(10, iterations / 20), candidates);
}

template <int PPT, int COMM>
static Candidate paper_shape(int n, int threads, int blocks) {
    return shape<1, 2, PPT, F_EUCLID, COMM, true, 1024>(n, 2, threads, blocks, PAPER);
}

static std::vector<Candidate> paper_shapes(int n) {
    std::vector<Candidate> all;
    if (n <= 1024) {
        all.push_back(paper_shape<1, BLOCK>(n, n, 1));
    }
    if (n >= 64 && n <= 2048) {
        all.push_back(paper_shape<2, BLOCK>(n, n / 2, 1));
    }
    if (n >= 512 && n <= 4096) {
        all.push_back(paper_shape<4, BLOCK>(n, n / 4, 1));
    }
    const auto within = [](int threads, int least) { return threads >= least && threads <= 1024; };
    for (int blocks = 4; n >= 1024 && blocks <= 16; blocks *= 2) {
        const int one = n / blocks, two = one / 2, four = two / 2;
        if (within(one, 128)) {
            all.push_back(paper_shape<1, CLUSTER>(n, one, blocks));
        }
        if (within(two, 128)) {
            all.push_back(paper_shape<2, CLUSTER>(n, two, blocks));
        }
        if (within(four, 512)) {
            all.push_back(paper_shape<4, CLUSTER>(n, four, blocks));
        }
    }
    for (int blocks = 32; n >= 4096 && blocks <= 128; blocks *= 2) {
        const int one = n / blocks, two = one / 2;
        if (within(one, 64)) {
            all.push_back(paper_shape<1, GRID>(n, one, blocks));
        }
        if (within(two, 64)) {
            all.push_back(paper_shape<2, GRID>(n, two, blocks));
        }
    }
    return all;
}

template <int PPT, int COMM>
static Candidate sphere(int n, int threads, int blocks) {
    return shape<1, 2, PPT, F_SPHERE, COMM, true, 1024>(n, 2, threads, blocks, SPHERE);
}

template <int L, int DPL, int PPT, int COMM, bool GREG, int MAXT>
static Candidate rastrigin(int n, int d, int threads, int blocks) {
    return shape<L, DPL, PPT, F_RASTRIGIN, COMM, GREG, MAXT>(n, d, threads, blocks, RASTRIGIN);
}

template <int FN, int R>
static double stream_run(SParams P, int blocks_per_multiprocessor, int iterations, float* best) {
    const unsigned long long nobody = ~0ull;
    const int blocks = g_sms * blocks_per_multiprocessor;
    CK(cudaMemcpy(P.best, &nobody, 8, cudaMemcpyHostToDevice));
    CK(cudaMemset(P.done, 0, 4));
    pso_stream<FN, R><<<blocks, 256>>>(P, 0);
    CK(cudaDeviceSynchronize());
    const double start = now();
    for (int t = 1; t <= iterations; t++) {
        pso_stream<FN, R><<<blocks, 256>>>(P, t);
    }
    CK(cudaDeviceSynchronize());
    CK(cudaGetLastError());
    const double seconds = now() - start;
    CK(cudaMemcpy(best, P.gf + ((iterations & 1) ^ 1), 4, cudaMemcpyDeviceToHost));
    return seconds;
}

static void streaming(const char* name, int N, int D, int iterations) {
    SParams P{};
    const size_t bytes = (size_t)N * D * 4;
    CK(cudaMalloc(&P.x, bytes));
    CK(cudaMalloc(&P.v, bytes));
    CK(cudaMalloc(&P.p, bytes));
    CK(cudaMalloc(&P.pf, N * 4));
    CK(cudaMalloc(&P.best, 24));
    CK(cudaMalloc(&P.g, 2 * D * 4));
    CK(cudaMalloc(&P.gf, 8));
    CK(cudaMalloc(&P.done, 4));
    CK(cudaMemset(P.p, 0, bytes));
    P.N = N, P.D = D, P.w = W, P.c1 = P.c2 = C, P.lo = R0, P.hi = R1, P.vmax = R1, P.seed = 777u;
    const auto rows = [=](auto run, int blocks) {
        return [=](int n, float* best) { return run(P, blocks, n, best); };
    };
    report(name, {N, D}, iterations, 20,
           {{"stream/R1/8", rows(stream_run<F_RASTRIGIN, 1>, 8)},
            {"stream/R2/6", rows(stream_run<F_RASTRIGIN, 2>, 6)},
            {"stream/R2/4", rows(stream_run<F_RASTRIGIN, 2>, 4)},
            {"stream/R4/3", rows(stream_run<F_RASTRIGIN, 4>, 3)}});
}

int main(int count, char** words) {
    const Options options(count, words);
    cudaDeviceProp device;
    CK(cudaGetDeviceProperties(&device, 0));
    g_sms = device.multiProcessorCount;
    printf("# %s, %d multiprocessors\n", device.name, g_sms);
    CK(cudaMalloc(&g_slots, 2 * 256 * sizeof(uint4)));
    CK(cudaMemset(g_slots, 0, 2 * 256 * sizeof(uint4)));
    CK(cudaMalloc(&g_gpos, 2 * 256 * 64 * 4));
    CK(cudaMalloc(&g_outf, 65536 * 4));
    CK(cudaMalloc(&g_outx, 4096));
    if (options.wants("cpso_paper")) {
        for (int n = 32; n <= 65536; n *= 2) {
            report("cpso_paper", {n, 2}, options.iterations(100000), paper_shapes(n));
        }
    }
    const int small = options.iterations(10000), large = options.iterations(1000);
    if (options.wants("n64k_d2")) {
        report("n64k_d2", {65536, 2}, small,
               {sphere<1, GRID>(65536, 512, 128), sphere<2, GRID>(65536, 256, 128), sphere<1, GRID>(65536, 1024, 64),
                sphere<4, CLUSTER>(65536, 1024, 16)});
    }
    if (options.wants("n1k_d2")) {
        report("n1k_d2", {1024, 2}, small,
               {sphere<1, BLOCK>(1024, 1024, 1), sphere<2, BLOCK>(1024, 512, 1), sphere<4, BLOCK>(1024, 256, 1),
                sphere<1, CLUSTER>(1024, 256, 4)});
    }
    if (options.wants("n32_d2")) {
        report("n32_d2", {32, 2}, small, {sphere<1, BLOCK>(32, 32, 1)});
    }
    if (options.wants("n768_d30")) {
        report("n768_d30", {768, 30}, large,
               {rastrigin<8, 4, 1, CLUSTER, true, 512>(768, 30, 384, 16),
                rastrigin<8, 4, 1, CLUSTER, true, 1024>(768, 30, 768, 8),
                rastrigin<16, 2, 1, CLUSTER, true, 1024>(768, 30, 768, 16),
                rastrigin<8, 4, 1, GRID, true, 512>(768, 30, 96, 64),
                rastrigin<32, 1, 1, GRID, true, 512>(768, 30, 192, 128),
                rastrigin<4, 8, 1, CLUSTER, true, 512>(768, 30, 192, 16)});
    }
    if (options.wants("n64k_d30")) {
        report("n64k_d30", {65536, 30}, large,
               {rastrigin<1, 30, 1, GRID, false, 512>(65536, 30, 512, 128),
                rastrigin<2, 15, 1, GRID, false, 1024>(65536, 30, 1024, 128),
                rastrigin<2, 15, 2, GRID, false, 512>(65536, 30, 512, 128)});
    }
    if (options.wants("batch1000")) {
        report("batch1000", {64, 10, 1000}, large,
               {rastrigin<2, 5, 1, BLOCK, true, 128>(64, 10, 128, 1000),
                rastrigin<1, 10, 1, BLOCK, true, 64>(64, 10, 64, 1000),
                rastrigin<4, 3, 1, BLOCK, true, 256>(64, 10, 256, 1000)});
    }
    if (options.wants("n1m_d100")) {
        streaming("n1m_d100", 1048576, 100, options.iterations(100));
    }
}
