// Synchronous PSO with a global best, as fast as we could write it by hand in CUDA C++. The GPU backend is compared
// with it. For each case, the program tries several launch shapes, and measures the fastest one three times.
//
//     nvcc -O3 -std=c++17 -arch=sm_90 -o fused fused.cu && ./fused [--quick] [--only CASE,CASE]
//
// The cases are those of `cargo xtask bench gpu`. `cpso_paper` is the CPSO paper's table (w = 1, c1 = c2 = 2,
// unbounded). The others minimise the sphere in two dimensions, and Rastrigin's function in more, clamped to [-R, 0.9
// R]; those with `_f64` use double.

#include <algorithm>
#include <functional>
#include <vector>

#include "common.cuh"
#include "persistent.cuh"
#include "streaming.cuh"

static uint4* g_slots;
static void *g_gpos, *g_outf, *g_outx;
static uint32_t g_seq = 0;
static int g_sms;

// Coefficients, bounds and velocity limit.
template <class Real>
struct Setting {
    Real w, c, lo, hi, vmax;
};

constexpr double W = 0.7298, C = 1.49618;
constexpr Setting<float> PAPER{1.f, 2.f, -100.f, 100.f, 1.f}, SPHERE{(float)W, (float)C, -100.f, 90.f, 90.f};
template <class Real>
constexpr Real R1 = Real(0.9) * Real(5.12);
template <class Real>
constexpr Setting<Real> RASTRIGIN{Real(W), Real(C), Real(-5.12), R1<Real>, R1<Real>};

// A launch shape. Running it gives the seconds of some iterations and the best value; the seconds are negative if the
// device cannot run it.
struct Candidate {
    std::string name;
    std::function<double(int iterations, double* best)> run;
};

template <class Real, int L, int DPL, int PPT, int FN, int COMM, bool GREG, int MAXT, int MINB = 1, int PS = 0,
          int VS = 0>
static Candidate shape(int N, int D, int threads, int blocks, Setting<Real> s) {
    static_assert(PS <= DPL && VS <= DPL);
    constexpr int SHARED = PPT * (PS + VS) * MAXT * sizeof(Real);
    char name[96];
    snprintf(name, sizeof name, "%s/b%d/t%d/L%d/P%d", COMM == BLOCK ? "block" : COMM == CLUSTER ? "cluster" : "grid",
             blocks, threads, L, PPT);
    std::string named = name;
    if (MINB > 1) {
        named += "/M" + std::to_string(MINB);
    }
    if (PS + VS > 0) {
        named += "/S" + std::to_string(PS) + "," + std::to_string(VS);
    }
    return {named, [=](int iterations, double* best) -> double {
                auto kernel = pso_persist<Real, L, DPL, PPT, FN, COMM, GREG, MAXT, MINB, PS, VS>;
                Params<Real> P{};
                P.N = N, P.D = D, P.iters = iterations;
                P.w = s.w, P.c1 = P.c2 = s.c, P.lo = s.lo, P.hi = s.hi, P.vmax = s.vmax;
                P.seed = 12345u, P.nblk = blocks;
                P.slots = g_slots, P.gpos = (Real*)g_gpos;
                P.outf = (Real*)g_outf, P.outx = (Real*)g_outx;
                P.seqbase = g_seq;
                g_seq += iterations + 2;
                cudaError_t e = cudaSuccess;
                if (SHARED > 0) {
                    e = cudaFuncSetAttribute((const void*)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED);
                }
                CK(cudaDeviceSynchronize());
                const double start = now();
                if (e != cudaSuccess) {
                } else if (COMM == BLOCK) {
                    kernel<<<blocks, threads, SHARED>>>(P);
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
                    launch.gridDim = dim3(blocks), launch.blockDim = dim3(threads), launch.dynamicSmemBytes = SHARED;
                    launch.attrs = attribute, launch.numAttrs = 1;
                    if (e == cudaSuccess) {
                        e = cudaLaunchKernelEx(&launch, kernel, P);
                    }
                } else {
                    if (blocks > g_sms || blocks > 160) {
                        return -1;
                    }
                    void* arguments[] = {(void*)&P};
                    const dim3 grid(blocks), block(threads);
                    e = cudaLaunchCooperativeKernel((const void*)kernel, grid, block, arguments, SHARED, 0);
                }
                if (e != cudaSuccess) {
                    cudaGetLastError();
                    fprintf(stderr, "# %s: %s\n", named.c_str(), cudaGetErrorString(e));
                    return -1;
                }
                CK(cudaDeviceSynchronize());
                const double seconds = now() - start;
                Real found;
                CK(cudaMemcpy(&found, g_outf, sizeof found, cudaMemcpyDeviceToHost));
                *best = found;
                return seconds;
            }};
}

// The median of three runs of the fastest shape.
static void report(const char* name, Size size, int iterations, int probe, const std::vector<Candidate>& candidates) {
    double best = 0;
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
    return shape<float, 1, 2, PPT, F_EUCLID, COMM, true, 1024>(n, 2, threads, blocks, PAPER);
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
    return shape<float, 1, 2, PPT, F_SPHERE, COMM, true, 1024>(n, 2, threads, blocks, SPHERE);
}

template <int L, int DPL, int PPT, int COMM, bool GREG, int MAXT>
static Candidate rastrigin(int n, int d, int threads, int blocks) {
    return shape<float, L, DPL, PPT, F_RASTRIGIN, COMM, GREG, MAXT>(n, d, threads, blocks, RASTRIGIN<float>);
}

// With at least MINB blocks per multiprocessor. PS and VS coordinates are in shared memory, which needs exactly MAXT
// threads.
template <int L, int DPL, int PPT, int COMM, bool GREG, int MAXT, int MINB = 1, int PS = 0, int VS = 0>
static Candidate rastrigin_f64(int n, int d, int threads, int blocks) {
    constexpr Setting<double> s = RASTRIGIN<double>;
    return shape<double, L, DPL, PPT, F_RASTRIGIN, COMM, GREG, MAXT, MINB, PS, VS>(n, d, threads, blocks, s);
}

template <class Real, int FN, int R>
static double stream_run(SParams<Real> P, int blocks_per_multiprocessor, int iterations, double* best) {
    const int blocks = g_sms * blocks_per_multiprocessor;
    CK(cudaMemset(P.best, 0xff, 8));  // nobody
    CK(cudaMemset(P.done, 0, 4));
    pso_stream<Real, FN, R><<<blocks, 256>>>(P, 0);
    CK(cudaDeviceSynchronize());
    const double start = now();
    for (int t = 1; t <= iterations; t++) {
        pso_stream<Real, FN, R><<<blocks, 256>>>(P, t);
    }
    CK(cudaDeviceSynchronize());
    CK(cudaGetLastError());
    const double seconds = now() - start;
    Real found;
    CK(cudaMemcpy(&found, P.gf + ((iterations & 1) ^ 1), sizeof found, cudaMemcpyDeviceToHost));
    *best = found;
    return seconds;
}

// The number of rows that a warp processes at a time, and of blocks per multiprocessor, at most 8.
template <class Real>
struct Rows {
    int rows, blocks;
    double (*run)(SParams<Real>, int blocks, int iterations, double* best);
};

template <class Real, int R>
static Rows<Real> rows(int blocks) {
    return {R, blocks, stream_run<Real, F_RASTRIGIN, R>};
}

template <class Real>
static void streaming(const char* name, int N, int D, int iterations, const std::vector<Rows<Real>>& shapes) {
    SParams<Real> P{};
    const size_t bytes = (size_t)N * D * sizeof(Real);
    CK(cudaMalloc(&P.x, bytes));
    CK(cudaMalloc(&P.v, bytes));
    CK(cudaMalloc(&P.p, bytes));
    CK(cudaMalloc(&P.pf, N * sizeof(Real)));
    CK(cudaMalloc(&P.best, 8 * g_sms * sizeof(Found<Real>)));
    CK(cudaMalloc(&P.g, 2 * D * sizeof(Real)));
    CK(cudaMalloc(&P.gf, 2 * sizeof(Real)));
    CK(cudaMalloc(&P.done, 4));
    CK(cudaMemset(P.p, 0, bytes));
    constexpr Setting<Real> s = RASTRIGIN<Real>;
    P.N = N, P.D = D, P.w = s.w, P.c1 = P.c2 = s.c, P.lo = s.lo, P.hi = s.hi, P.vmax = s.vmax, P.seed = 777u;
    std::vector<Candidate> all;
    for (const Rows<Real>& shape : shapes) {
        all.push_back({"stream/R" + std::to_string(shape.rows) + "/" + std::to_string(shape.blocks),
                       [=](int n, double* best) { return shape.run(P, shape.blocks, n, best); }});
    }
    report(name, {N, D}, iterations, 20, all);
    for (void* memory : {(void*)P.x, (void*)P.v, (void*)P.p}) {
        CK(cudaFree(memory));
    }
}

int main(int count, char** words) {
    const Options options(count, words);
    cudaDeviceProp device;
    CK(cudaGetDeviceProperties(&device, 0));
    g_sms = device.multiProcessorCount;
    printf("# %s, %d multiprocessors\n", device.name, g_sms);
    CK(cudaMalloc(&g_slots, 2 * 256 * sizeof(uint4)));
    CK(cudaMemset(g_slots, 0, 2 * 256 * sizeof(uint4)));
    CK(cudaMalloc(&g_gpos, 2 * 256 * 64 * 8));
    CK(cudaMalloc(&g_outf, 65536 * 8));
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
        streaming<float>("n1m_d100", 1048576, 100, options.iterations(100),
                         {rows<float, 1>(8), rows<float, 2>(6), rows<float, 2>(4), rows<float, 4>(3)});
    }
    if (options.wants("n64k_d30_f64")) {
        // Registers can hold at most 34 of 47 MB: the variants use shared memory, or let the compiler spill.
        report("n64k_d30_f64", {65536, 30}, large,
               {rastrigin_f64<1, 30, 1, GRID, false, 512, 1, 30, 22>(65536, 30, 512, 128),
                rastrigin_f64<1, 30, 1, GRID, false, 512, 1, 30, 0>(65536, 30, 512, 128),
                rastrigin_f64<1, 30, 1, GRID, false, 512>(65536, 30, 512, 128),
                rastrigin_f64<2, 15, 1, GRID, false, 1024, 1, 15, 11>(65536, 30, 1024, 128),
                rastrigin_f64<2, 15, 1, GRID, false, 1024>(65536, 30, 1024, 128),
                rastrigin_f64<2, 15, 2, GRID, false, 512, 1, 15, 11>(65536, 30, 512, 128)});
    }
    if (options.wants("batch1000_f64")) {
        report("batch1000_f64", {64, 10, 1000}, large,
               {rastrigin_f64<2, 5, 1, BLOCK, true, 128>(64, 10, 128, 1000),
                rastrigin_f64<2, 5, 1, BLOCK, true, 128, 8>(64, 10, 128, 1000),
                rastrigin_f64<2, 5, 1, BLOCK, true, 128, 8, 5>(64, 10, 128, 1000),
                rastrigin_f64<1, 10, 1, BLOCK, true, 64>(64, 10, 64, 1000),
                rastrigin_f64<1, 10, 1, BLOCK, true, 64, 8>(64, 10, 64, 1000),
                rastrigin_f64<4, 3, 1, BLOCK, true, 256>(64, 10, 256, 1000)});
    }
    if (options.wants("n1m_d100_f64")) {
        streaming<double>("n1m_d100_f64", 1048576, 100, options.iterations(100),
                          {rows<double, 1>(8), rows<double, 1>(6), rows<double, 1>(4), rows<double, 2>(4),
                           rows<double, 2>(3), rows<double, 2>(2)});
    }
}
