// The logarithmic opinion pool (Genest and Zidek, 1986): shares are the normalised product of opinions, each raised to
// a power. Its log loss is convex in the exponents.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/functions.hpp"
#include "core/parallel.hpp"
#include "core/types.hpp"

namespace casebase {

// Opinion j about class c of case i is opinions[(i * n_classes + c) * n_opinions + j], a logarithm.
struct Opinions {
  const double* opinions;
  const Label* labels;
  const double* weights;  // of the cases; null if all are 1
  std::size_t n_cases, n_classes, n_opinions;
};

constexpr std::size_t kCasesAtOnce = 64;

// The shares of one case: exp of the sum of exponents times opinions, plus a bias per class, normalised.
inline void pooled(const Opinions& all, std::size_t i, const double* exponents, const double* bias, double* shares) {
  double most = -1e300;
  for (std::size_t c = 0; c < all.n_classes; ++c) {
    const double* opinion = all.opinions + (i * all.n_classes + c) * all.n_opinions;
    double sum = bias == nullptr ? 0.0 : bias[c];
    for (std::size_t j = 0; j < all.n_opinions; ++j) sum += exponents[j] * opinion[j];
    shares[c] = sum;
    most = std::max(most, sum);
  }
  double total = 0.0;
  for (std::size_t c = 0; c < all.n_classes; ++c) total += shares[c] = portable_exp(shares[c] - most);
  for (std::size_t c = 0; c < all.n_classes; ++c) shares[c] /= total;
}

// The summed log loss and its gradient: by exponent, then by bias. The sums are taken block by block, in a fixed order.
inline double pool_loss(const Opinions& all, const double* exponents, const double* bias, double* gradient,
                        unsigned n_threads) {
  const std::size_t n_parameters = all.n_opinions + all.n_classes;
  const std::size_t n_blocks = (all.n_cases + kCasesAtOnce - 1) / kCasesAtOnce;
  std::vector<double> losses(n_blocks, 0.0), gradients(n_blocks * n_parameters, 0.0);
  for_blocks(
      all.n_cases, kCasesAtOnce, n_threads, [&] { return std::vector<double>(all.n_classes); },
      [&](std::vector<double>& shares, std::size_t block, std::size_t begin, std::size_t end) {
        double* mine = &gradients[block * n_parameters];
        for (std::size_t i = begin; i < end; ++i) {
          const double weight = all.weights == nullptr ? 1.0 : all.weights[i];
          pooled(all, i, exponents, bias, shares.data());
          losses[block] -= weight * portable_log(std::max(shares[all.labels[i]], 1e-300));
          shares[all.labels[i]] -= 1.0;
          for (std::size_t c = 0; c < all.n_classes; ++c) {
            const double* opinion = all.opinions + (i * all.n_classes + c) * all.n_opinions;
            const double slope = weight * shares[c];
            for (std::size_t j = 0; j < all.n_opinions; ++j) mine[j] += slope * opinion[j];
            mine[all.n_opinions + c] += slope;
          }
        }
      });
  std::fill(gradient, gradient + n_parameters, 0.0);
  double loss = 0.0;
  for (std::size_t block = 0; block < n_blocks; ++block) {
    loss += losses[block];
    for (std::size_t p = 0; p < n_parameters; ++p) gradient[p] += gradients[block * n_parameters + p];
  }
  return loss;
}

}  // namespace casebase
