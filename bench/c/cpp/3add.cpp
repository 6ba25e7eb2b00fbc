// The sum of three vectors.
#include "bench.hpp"

int main(int argc, char** argv) {
    Bench bench(argc, argv);
    const auto xs = bench.array<double>(1);
    const auto ys = bench.array<double>(1);
    const auto zs = bench.array<double>(1);
    return bench.run<double>(xs.shape, [&](std::vector<double>& result) {
        const std::size_t n = xs.data.size();
        for (std::size_t i = 0; i < n; i++) result[i] = xs.data[i] + ys.data[i] + zs.data[i];
    });
}
