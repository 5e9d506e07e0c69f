// How different two values of a feature are, judged by the classes with which they occur.
//
// A value is the distribution of classes among the cases that have it. Three differences of distributions p and q:
// the modified value difference ½·Σ|p − q|; Jeffrey's divergence and Jensen and Shannon's, in the finite form in
// which a class that only one of the two has adds its share (all logarithms to base 2).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/types.hpp"

namespace casebase {

class ValueDifference {
 public:
  enum class Kind : std::uint8_t { mvdm, jeffrey, jensen_shannon };

  // Value v occurs count[i] times with class label[i], for i from start[v] to start[v + 1], labels ascending.
  // A value with fewer cases than `threshold` is 1 away from every other; one never seen is `unknown_cost` away.
  ValueDifference(Kind kind, std::vector<std::uint64_t> start, std::vector<Label> label, std::vector<double> count,
                  std::size_t n_classes, double threshold, double unknown_cost)
      : kind_(kind),
        start_(std::move(start)),
        label_(std::move(label)),
        count_(std::move(count)),
        n_classes_(n_classes),
        threshold_(threshold),
        unknown_cost_(unknown_cost) {
    share_.resize(count_.size());
    log_.resize(count_.size());
    for (std::size_t v = 0; v < n_values(); ++v) {
      double total = 0.0;
      for (auto i = start_[v]; i < start_[v + 1]; ++i) total += count_[i];
      frequency_.push_back(total);
      for (auto i = start_[v]; i < start_[v + 1]; ++i) {
        share_[i] = count_[i] / total;
        log_[i] = std::log2(share_[i]);
      }
    }
  }

  std::size_t n_values() const { return start_.size() - 1; }
  std::size_t n_classes() const { return n_classes_; }

  // The largest difference that matters for a bound; Jeffrey's divergence has no largest.
  double cap() const { return kind_ == Kind::jeffrey ? 4.0 : 1.0; }

  // A value that is asked about. `constant` is its difference from all other values if that is one number.
  struct Asked {
    std::vector<Label> label;
    std::vector<double> share;
    double constant = -1.0;  // negative: it depends on the other value
  };

  // The value `code`, less the count `own_count` that a case left out has in class `own_label`.
  void ask(std::uint32_t code, Label own_label, double own_count, Asked& asked) const {
    asked.label.clear();
    asked.share.clear();
    asked.constant = -1.0;
    if (code >= n_values()) {
      asked.constant = unknown_cost_;
      return;
    }
    const double total = frequency_[code] - own_count;
    if (total <= 0.0 || total < threshold_) {
      asked.constant = total <= 0.0 ? unknown_cost_ : 1.0;
      return;
    }
    for (auto i = start_[code]; i < start_[code + 1]; ++i) {
      const double count = own_count != 0.0 && label_[i] == own_label ? count_[i] - own_count : count_[i];
      if (count <= 0.0) continue;
      asked.label.push_back(label_[i]);
      asked.share.push_back(count / total);
    }
  }

  // The difference from a stored value that is not the asked one, classes taken in ascending order.
  double between(const Asked& asked, std::uint32_t other) const {
    if (asked.constant >= 0.0) return asked.constant;
    if (frequency_[other] < threshold_) return 1.0;
    double in_asked = 0.0, in_other = 0.0;  // the terms of one distribution and of the other
    std::size_t a = 0;
    auto o = start_[other];
    const auto end = start_[other + 1];
    while (a < asked.label.size() || o < end) {
      if (o == end || (a < asked.label.size() && asked.label[a] < label_[o])) {
        in_asked += asked.share[a++];
      } else if (a == asked.label.size() || label_[o] < asked.label[a]) {
        (kind_ == Kind::mvdm ? in_asked : in_other) += share_[o++];
      } else {
        const double p = asked.share[a++], q = share_[o++];
        if (kind_ == Kind::mvdm) {
          in_asked += std::abs(p - q);
        } else if (kind_ == Kind::jeffrey) {
          in_asked += p * std::log2(p / q);
          in_other += q * std::log2(q / p);
        } else {
          in_asked += p * std::log2(2.0 * p / (p + q));
          in_other += q * std::log2(2.0 * q / (p + q));
        }
      }
    }
    return (in_asked + in_other) / 2.0;
  }

  // Differences from all stored values, up to rounding. `dense` has room for two numbers per class.
  void from_all(const Asked& asked, std::vector<double>& dense, double* out) const {
    dense.assign(2 * n_classes_, 0.0);
    double* share = dense.data();
    double* logs = dense.data() + n_classes_;
    double all = 0.0;
    for (std::size_t a = 0; a < asked.label.size(); ++a) {
      share[asked.label[a]] = asked.share[a];
      logs[asked.label[a]] = std::log2(asked.share[a]);
      all += asked.share[a];
    }
    switch (kind_) {
      case Kind::mvdm:
        return sum_terms(out, all, [=](double q, double, Label c) { return std::abs(share[c] - q) - share[c]; });
      case Kind::jeffrey:
        return sum_terms(out, all, [=](double q, double log_q, Label c) {
          const double p = share[c];
          return p > 0.0 ? (p - q) * (logs[c] - log_q) - p : q;
        });
      default:
        return sum_terms(out, all, [=](double q, double log_q, Label c) {
          const double p = share[c];
          if (p <= 0.0) return q;
          return p * (logs[c] + 1.0) + q * (log_q + 1.0) - (p + q) * std::log2(p + q) - p;
        });
    }
  }

 private:
  template <class Term>
  void sum_terms(double* out, double all, Term term) const {
    for (std::size_t v = 0; v < n_values(); ++v) {
      double sum = all;
      for (auto i = start_[v]; i < start_[v + 1]; ++i) sum += term(share_[i], log_[i], label_[i]);
      out[v] = frequency_[v] < threshold_ ? 1.0 : std::max(0.0, 0.5 * sum);
    }
  }

  Kind kind_;
  std::vector<std::uint64_t> start_;
  std::vector<Label> label_;
  std::vector<double> count_, share_, log_, frequency_;
  std::size_t n_classes_;
  double threshold_, unknown_cost_;
};

}  // namespace casebase
