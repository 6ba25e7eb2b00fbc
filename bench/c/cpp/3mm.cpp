// (A B) (C D), for square matrices A, B, C and D.
#include "matmul.hpp"

int main(int argc, char** argv) {
    Bench bench(argc, argv);
    const auto a = bench.array<double>(2);
    const auto b = bench.array<double>(2);
    const auto c = bench.array<double>(2);
    const auto d = bench.array<double>(2);
    return bench.run<double>(a.shape, [&](std::vector<double>& result) {
        const std::size_t n = a.shape[0];
        std::vector<double> ab(n * n), cd(n * n);
        matmul(a.data, b.data, n, n, n, ab);
        matmul(c.data, d.data, n, n, n, cd);
        matmul(ab, cd, n, n, n, result);
    });
}
