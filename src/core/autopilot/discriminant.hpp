// Regularised discriminant analysis (Friedman, 1989): a normal distribution per class, whose covariance is between the
// class's own and the pooled one.
//
// The scatter of a class is (1 - lambda) * own + lambda * pooled + gamma * identity. Without one case, all scatters
// change by a matrix of rank one, so that held-out densities follow from the same factors (Sherman and Morrison, 1950).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/functions.hpp"

namespace casebase {

// The Cholesky factor of a symmetric positive definite matrix, row by row; returns the logarithm of the determinant.
inline double factorise(std::vector<double>& matrix, std::size_t n) {
  double log_determinant = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= matrix[i * n + k] * matrix[j * n + k];
      if (i == j) {
        matrix[i * n + i] = std::sqrt(std::max(sum, 1e-12));
        log_determinant += 2.0 * portable_log(matrix[i * n + i]);
      } else {
        matrix[i * n + j] = sum / matrix[j * n + j];
      }
    }
  }
  return log_determinant;
}

// Replaces x by the solution of factor * y = x.
inline void solve_lower(const double* factor, std::size_t n, double* x) {
  for (std::size_t i = 0; i < n; ++i) {
    double sum = x[i];
    const double* row = factor + i * n;
    for (std::size_t k = 0; k < i; ++k) sum -= row[k] * x[k];
    x[i] = sum / row[i];
  }
}

inline double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace casebase
