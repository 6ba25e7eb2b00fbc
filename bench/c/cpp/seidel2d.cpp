// Steps of a stencil of nine points; those at the borders become what their neighbours become.
#include "bench.hpp"

#include <algorithm>

int main(int argc, char** argv) {
    Bench bench(argc, argv);
    const auto steps = bench.scalar<std::int64_t>();
    const auto grid = bench.array<double>(2);
    return bench.run<double>(grid.shape, [&](std::vector<double>& result) {
        const std::size_t n = grid.shape[0], m = grid.shape[1];
        std::vector<double> other(steps > 1 ? n * m : 0);
        const double* from = grid.data.data();
        for (std::int64_t t = 0; t < steps; t++) {
            double* to = result.data();
            for (std::size_t i = 1; i + 1 < n; i++) {
                for (std::size_t j = 1; j + 1 < m; j++) {
                    const std::size_t at = i * m + j;
                    to[at] = (from[at - m - 1] + from[at - m] + from[at - m + 1] +
                              from[at - 1] + from[at] + from[at + 1] +
                              from[at + m - 1] + from[at + m] + from[at + m + 1]) / 9;
                }
                to[i * m] = to[i * m + 1];
                to[i * m + m - 1] = to[i * m + m - 2];
            }
            std::copy_n(to + m, m, to);
            std::copy_n(to + (n - 2) * m, m, to + (n - 1) * m);
            if (t + 1 < steps) {
                std::swap(result, other);
                from = other.data();
            }
        }
    });
}
