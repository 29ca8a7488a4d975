// Code shared by the programs in this folder: errors, time, command line, random numbers, order of fitnesses,
// objectives.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#define CK(e) \
    do { \
        cudaError_t _e = (e); \
        if (_e != cudaSuccess) { \
            fprintf(stderr, "CUDA error %s at %s:%d\n", cudaGetErrorString(_e), __FILE__, __LINE__); \
            exit(1); \
        } \
    } while (0)

static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// [--quick] [--only CASE,CASE]: a tenth of the iterations; only these cases.
struct Options {
    bool quick = false;
    std::string only;

    Options(int count, char** words) {
        for (int i = 1; i < count; i++) {
            if (!strcmp(words[i], "--quick")) {
                quick = true;
            } else if (!strcmp(words[i], "--only") && i + 1 < count) {
                only = std::string(",") + words[++i] + ",";
            }
        }
    }

    bool wants(const std::string& name) const { return only.empty() || only.find("," + name + ",") != only.npos; }

    int iterations(int all) const { return quick ? all / 10 : all; }
};

struct Size {
    int particles, dimensions, runs = 1;

    // The size in an output line: 64x1000 10 means a thousand runs of 64 particles in 10 dimensions.
    std::string words() const {
        const std::string each = std::to_string(particles), all = runs > 1 ? "x" + std::to_string(runs) : "";
        return each + all + " " + std::to_string(dimensions);
    }
};

// The line that `cargo xtask bench gpu` reads.
static void print_line(const char* system, const char* name, Size size, int iterations, double seconds, double best,
                       const char* how) {
    printf("%s %s %s %d %.6f %.1f %.6g  # %s\n", system, name, size.words().c_str(), iterations, seconds,
           iterations / seconds, best, how);
    fflush(stdout);
}
