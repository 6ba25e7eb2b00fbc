// How likely points are under a mixture of Gaussians.
#include "bench.hpp"

#include <algorithm>
#include <cmath>

static double log_sum_exp(const std::vector<double>& xs) {
    const double greatest = *std::max_element(xs.begin(), xs.end());
    double sum = 0;
    for (double x : xs) sum += std::exp(x - greatest);
    return std::log(sum) + greatest;
}

int main(int argc, char** argv) {
    Bench bench(argc, argv);
    const auto xs = bench.array<double>(2);
    const auto alphas = bench.array<double>(1);
    const auto means = bench.array<double>(2);
    const auto qs = bench.array<double>(2);
    const auto ls = bench.array<double>(2);
    return bench.run<double>({}, [&](std::vector<double>& result) {
        const std::size_t n = xs.shape[0], d = xs.shape[1], k = alphas.shape[0], t = ls.shape[1];
        // What does not depend on the point is computed once.
        std::vector<double> diagonals(k * d), weights(k);
        for (std::size_t i = 0; i < k; i++) {
            weights[i] = alphas.data[i];
            for (std::size_t j = 0; j < d; j++) {
                diagonals[i * d + j] = std::exp(qs.data[i * d + j]);
                weights[i] += qs.data[i * d + j];
            }
        }
        std::vector<double> centred(d), terms(k);
        double total = 0;
        for (std::size_t p = 0; p < n; p++) {
            const double* x = &xs.data[p * d];
            for (std::size_t i = 0; i < k; i++) {
                for (std::size_t j = 0; j < d; j++) centred[j] = x[j] - means.data[i * d + j];
                const double* l = &ls.data[i * t];
                double square = 0;
                for (std::size_t j = 0; j < d; j++) {
                    double sum = diagonals[i * d + j] * centred[j];
                    for (std::size_t c = 0; c < j; c++) sum += *l++ * centred[c];
                    square += sum * sum;
                }
                terms[i] = weights[i] - square / 2;
            }
            total += log_sum_exp(terms);
        }
        double prior = 0;
        for (double x : diagonals) prior += x * x;
        for (double x : ls.data) prior += x * x;
        total += prior / 2 - double(n) * log_sum_exp(alphas.data);
        result[0] = total;
    });
}
