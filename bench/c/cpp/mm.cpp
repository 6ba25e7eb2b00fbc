// The product of two matrices.
#include "matmul.hpp"

int main(int argc, char** argv) {
    Bench bench(argc, argv);
    const auto a = bench.array<double>(2);
    const auto b = bench.array<double>(2);
    return bench.run<double>({a.shape[0], b.shape[1]}, [&](std::vector<double>& result) {
        matmul(a.data, b.data, a.shape[0], a.shape[1], b.shape[1], result);
    });
}
