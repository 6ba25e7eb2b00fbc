// The cross products of pairs of vectors.
#include "bench.hpp"

int main(int argc, char** argv) {
    Bench bench(argc, argv);
    const auto as = bench.array<double>(2);
    const auto bs = bench.array<double>(2);
    return bench.run<double>(as.shape, [&](std::vector<double>& result) {
        const std::size_t n = as.data.size() / 3;
        for (std::size_t i = 0; i < n; i++) {
            const double* a = &as.data[3 * i];
            const double* b = &bs.data[3 * i];
            double* c = &result[3 * i];
            c[0] = a[1] * b[2] - a[2] * b[1];
            c[1] = a[2] * b[0] - a[0] * b[2];
            c[2] = a[0] * b[1] - a[1] * b[0];
        }
    });
}
