// Steps of a stencil of three points; those at the ends become what their neighbours become.
#include "bench.hpp"

int main(int argc, char** argv) {
    Bench bench(argc, argv);
    const auto steps = bench.scalar<std::int64_t>();
    const auto xs = bench.array<double>(1);
    return bench.run<double>(xs.shape, [&](std::vector<double>& result) {
        const std::size_t n = xs.data.size();
        std::vector<double> other(steps > 1 ? n : 0);
        const double* from = xs.data.data();
        for (std::int64_t t = 0; t < steps; t++) {
            double* to = result.data();
            for (std::size_t i = 1; i + 1 < n; i++) to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
            to[0] = to[1];
            to[n - 1] = to[n - 2];
            if (t + 1 < steps) {
                std::swap(result, other);
                from = other.data();
            }
        }
    });
}
