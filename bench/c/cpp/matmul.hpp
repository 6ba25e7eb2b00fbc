// The product of two matrices, as good as loops without blocks get: the innermost one runs along rows.
#pragma once

#include "bench.hpp"

#include <algorithm>

/// Sets c, of n by p elements, to the product of a, of n by m, and b, of m by p.
inline void matmul(const std::vector<double>& a, const std::vector<double>& b, std::size_t n, std::size_t m,
                   std::size_t p, std::vector<double>& c) {
    std::fill(c.begin(), c.end(), 0.0);
    for (std::size_t i = 0; i < n; i++)
        for (std::size_t k = 0; k < m; k++) {
            const double x = a[i * m + k];
            for (std::size_t j = 0; j < p; j++) c[i * p + j] += x * b[k * p + j];
        }
}
