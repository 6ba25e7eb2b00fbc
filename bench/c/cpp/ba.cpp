// Bundle adjustment: where cameras see points, for many pairs of a camera and a point.
#include "bench.hpp"

#include <array>
#include <cmath>

using Vec2 = std::array<double, 2>;
using Vec3 = std::array<double, 3>;

static double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

static Vec3 rotate(const Vec3& axis, const Vec3& x) {
    const double square = dot(axis, axis);
    Vec3 result;
    if (square == 0) {
        const Vec3 turned = cross(axis, x);
        for (int i = 0; i < 3; i++) result[i] = x[i] + turned[i];
        return result;
    }
    const double angle = std::sqrt(square), c = std::cos(angle), s = std::sin(angle), inverse = 1 / angle;
    const Vec3 w = {axis[0] * inverse, axis[1] * inverse, axis[2] * inverse};
    const Vec3 turned = cross(w, x);
    const double along = dot(w, x) * (1 - c);
    for (int i = 0; i < 3; i++) result[i] = x[i] * c + turned[i] * s + w[i] * along;
    return result;
}

static Vec2 project(const double* camera, const double* point) {
    const Vec3 axis = {camera[0], camera[1], camera[2]};
    const Vec3 from_centre = {point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]};
    const Vec3 seen = rotate(axis, from_centre);
    const double inverse = 1 / seen[2], x = seen[0] * inverse, y = seen[1] * inverse, r = x * x + y * y;
    const double factor = camera[6] * (1 + camera[9] * r + camera[10] * r * r);
    return {camera[7] + factor * x, camera[8] + factor * y};
}

int main(int argc, char** argv) {
    Bench bench(argc, argv);
    const auto cameras = bench.array<double>(2);
    const auto points = bench.array<double>(2);
    const auto camera = bench.array<std::uint16_t>(1);
    const auto point = bench.array<std::uint16_t>(1);
    return bench.run<double>({camera.shape[0], 2}, [&](std::vector<double>& result) {
        const std::size_t n = camera.data.size();
        for (std::size_t i = 0; i < n; i++) {
            const Vec2 p = project(&cameras.data[11 * camera.data[i]], &points.data[3 * point.data[i]]);
            result[2 * i] = p[0];
            result[2 * i + 1] = p[1];
        }
    });
}
