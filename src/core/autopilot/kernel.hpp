// All stored cases vote with exp(-distance), and the weights of the distance are learned from held-out answers.
//
// A symbolic feature costs a table entry (query's value, stored value), a numeric feature the weighted difference of
// two coordinates (a place in the range and a rank).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/autopilot/forest.hpp"
#include "core/functions.hpp"
#include "core/parallel.hpp"
#include "core/types.hpp"

namespace casebase {

struct KernelMemory {
  std::size_t n_stored, n_symbolic, n_coordinates, n_classes;
  const Code* codes;         // [symbolic feature][stored case]
  const float* coordinates;  // [coordinate][stored case]
  const Label* labels;
  const double* weights;  // of the votes; null if all are 1
};

struct KernelQuestion {
  const float* const* costs;  // [symbolic feature]: the cost of each stored value
  const float* coordinates;   // [coordinate]
  const float* scale;         // weight of each coordinate
  Row left_out;               // a stored case that does not vote, or 0xFFFFFFFF
};

inline void kernel_distances(const KernelMemory& memory, const KernelQuestion& question, float* distance) {
  std::fill(distance, distance + memory.n_stored, 0.0f);
  for (std::size_t f = 0; f < memory.n_symbolic; ++f) {
    const float* cost = question.costs[f];
    const Code* code = memory.codes + f * memory.n_stored;
    for (std::size_t z = 0; z < memory.n_stored; ++z) distance[z] += cost[code[z]];
  }
  for (std::size_t f = 0; f < memory.n_coordinates; ++f) {
    const float x = question.coordinates[f], scale = question.scale[f];
    const float* at = memory.coordinates + f * memory.n_stored;
    for (std::size_t z = 0; z < memory.n_stored; ++z) distance[z] += scale * std::fabs(x - at[z]);
  }
}

// The votes by class, of which the nearest case has 1, and their sum; if `each` is given, the vote of every case.
inline double kernel_votes(const KernelMemory& memory, const KernelQuestion& question, float* distance, double* votes,
                           double* each) {
  constexpr float kFar = 40.0f;  // exp(-40) adds nothing to a double sum of fewer than 10^16 parts
  kernel_distances(memory, question, distance);
  if (question.left_out < memory.n_stored) distance[question.left_out] = 1e30f;
  float nearest = 1e30f;
  for (std::size_t z = 0; z < memory.n_stored; ++z) nearest = std::min(nearest, distance[z]);
  std::fill(votes, votes + memory.n_classes, 0.0);
  double sum = 0.0;
  for (std::size_t z = 0; z < memory.n_stored; ++z) {
    const float beyond = distance[z] - nearest;
    double vote = 0.0;
    if (beyond < kFar && distance[z] < 1e29f)
      vote = static_cast<double>(portable_exp(-beyond)) * (memory.weights == nullptr ? 1.0 : memory.weights[z]);
    votes[memory.labels[z]] += vote;
    sum += vote;
    if (each != nullptr) each[z] = vote;
  }
  return sum;
}

// Differences between the cases of a sample, [component][query][other]: the distance is their weighted sum.
struct KernelSample {
  const float* differences;
  const Label* labels;
  std::size_t n_components, n_cases, n_classes;
};

// The mean held-out log loss of a sample for log-weights, and its gradient. A small part of the vote is uniform, so
// that a case without like neighbours costs no infinite loss.
inline double kernel_loss(const KernelSample& sample, const double* log_weights, double* gradient, unsigned n_threads) {
  constexpr double kUniform = 1e-3;
  const std::size_t n = sample.n_cases, n_components = sample.n_components;
  std::vector<float> weights(n_components);
  for (std::size_t f = 0; f < n_components; ++f) weights[f] = static_cast<float>(portable_exp(log_weights[f]));
  std::vector<double> losses(n, 0.0), gradients(n * n_components, 0.0);
  for_blocks(
      n, 8, n_threads, [&] { return std::vector<float>(n); },
      [&](std::vector<float>& distance, std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          std::fill(distance.begin(), distance.end(), 0.0f);
          for (std::size_t f = 0; f < n_components; ++f) {
            const float* d = sample.differences + (f * n + i) * n;
            const float w = weights[f];
            for (std::size_t z = 0; z < n; ++z) distance[z] += w * d[z];
          }
          distance[i] = 1e30f;
          const float nearest = *std::min_element(distance.begin(), distance.end());
          double all = 0.0, own = 0.0;
          for (std::size_t z = 0; z < n; ++z) {
            const float vote = z == i ? 0.0f : portable_exp(nearest - distance[z]);
            distance[z] = vote;
            all += vote;
            if (sample.labels[z] == sample.labels[i]) own += vote;
          }
          const double uniform = kUniform / static_cast<double>(sample.n_classes);
          losses[i] = -portable_log((own + uniform * all) / (all * (1.0 + kUniform)));
          const double by_all = 1.0 / all, by_own = 1.0 / (own + uniform * all);
          // How the loss falls with each distance, in place of the votes.
          for (std::size_t z = 0; z < n; ++z) {
            const double slope = by_all - ((sample.labels[z] == sample.labels[i] ? 1.0 : 0.0) + uniform) * by_own;
            distance[z] *= static_cast<float>(-slope);
          }
          for (std::size_t f = 0; f < n_components; ++f) {
            const float* d = sample.differences + (f * n + i) * n;
            float parts[8] = {};
            std::size_t z = 0;
            for (; z + 8 <= n; z += 8)
              for (std::size_t p = 0; p < 8; ++p) parts[p] += distance[z + p] * d[z + p];
            double sum = 0.0;
            for (const float part : parts) sum += part;
            for (; z < n; ++z) sum += distance[z] * d[z];
            gradients[i * n_components + f] = sum * weights[f];
          }
        }
      });
  std::fill(gradient, gradient + n_components, 0.0);
  double loss = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    loss += losses[i] / static_cast<double>(n);
    for (std::size_t f = 0; f < n_components; ++f)
      gradient[f] += gradients[i * n_components + f] / static_cast<double>(n);
  }
  return loss;
}

}  // namespace casebase
