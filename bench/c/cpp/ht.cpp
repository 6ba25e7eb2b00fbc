// Hand tracking: the rotation matrices of vectors whose direction is the axis and whose length the angle.
#include "bench.hpp"

#include <cmath>

static void rotation(const double* v, double* m) {
    const double angle = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (angle < 0.0001) {
        for (int i = 0; i < 9; i++) m[i] = i % 4 == 0;
        return;
    }
    const double x = v[0] / angle, y = v[1] / angle, z = v[2] / angle, s = std::sin(angle), c = std::cos(angle);
    m[0] = x * x + (1 - x * x) * c;
    m[1] = x * y * (1 - c) - z * s;
    m[2] = x * z * (1 - c) + y * s;
    m[3] = x * y * (1 - c) + z * s;
    m[4] = y * y + (1 - y * y) * c;
    m[5] = y * z * (1 - c) - x * s;
    m[6] = x * z * (1 - c) - y * s;
    m[7] = z * y * (1 - c) + x * s;
    m[8] = z * z + (1 - z * z) * c;
}

int main(int argc, char** argv) {
    Bench bench(argc, argv);
    const auto vs = bench.array<double>(2);
    return bench.run<double>({vs.shape[0], 3, 3}, [&](std::vector<double>& result) {
        const std::size_t n = vs.shape[0];
        for (std::size_t i = 0; i < n; i++) rotation(&vs.data[3 * i], &result[9 * i]);
    });
}
