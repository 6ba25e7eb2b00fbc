// alpha A B C + beta D, for square matrices A, B, C and D.
#include "matmul.hpp"

int main(int argc, char** argv) {
    Bench bench(argc, argv);
    const auto alpha = bench.scalar<double>();
    const auto beta = bench.scalar<double>();
    const auto a = bench.array<double>(2);
    const auto b = bench.array<double>(2);
    const auto c = bench.array<double>(2);
    const auto d = bench.array<double>(2);
    return bench.run<double>(a.shape, [&](std::vector<double>& result) {
        const std::size_t n = a.shape[0];
        std::vector<double> ab(n * n);
        matmul(a.data, b.data, n, n, n, ab);
        for (double& x : ab) x *= alpha;
        matmul(ab, c.data, n, n, n, result);
        for (std::size_t i = 0; i < result.size(); i++) result[i] += beta * d.data[i];
    });
}
