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

  // The share of a class that an asked value has lost with the case left out, where such classes stay listed: TiMBL
  // then adds nothing for them to Jeffrey's divergence.
  static constexpr double kEmptied = -1.0;

  // Value v occurs count[i] times with class label[i], for i from start[v] to start[v + 1], labels ascending.
  // A value with fewer cases than `threshold` is 1 away from every other; one never seen is `unknown_cost` away.
  ValueDifference(Kind kind, const std::vector<std::uint64_t>& start, const std::vector<Label>& label,
                  const std::vector<double>& count, std::size_t n_classes, double threshold, double unknown_cost,
                  bool lists_emptied)
      : kind_(kind),
        n_classes_(n_classes),
        threshold_(threshold),
        unknown_cost_(unknown_cost),
        lists_emptied_(lists_emptied && kind == Kind::jeffrey) {
    const std::size_t n_values = start.size() - 1;
    for (std::size_t v = 0; v < n_values; ++v) {
      double total = 0.0;
      for (auto i = start[v]; i < start[v + 1]; ++i) total += count[i];
      values_.push_back({start[v], total});
      for (auto i = start[v]; i < start[v + 1]; ++i) {
        const double share = count[i] / total;
        cells_.push_back({count[i], share, std::log2(share), label[i]});
        rough_.push_back({static_cast<float>(share), static_cast<float>(std::log2(share)), label[i]});
      }
    }
    values_.push_back({start[n_values], 0.0});
  }

  std::size_t n_values() const { return values_.size() - 1; }
  std::size_t n_classes() const { return n_classes_; }

  // The largest difference that matters for a bound; Jeffrey's divergence has no largest.
  double cap() const { return kind_ == Kind::jeffrey ? 4.0 : 1.0; }

  // A value that is asked about. `constant` is its difference from all other values if that is one number.
  struct Asked {
    std::vector<Label> label;
    std::vector<double> share, log;
    double constant = -1.0;  // negative: it depends on the other value
  };

  // The value `code`, less the count `own_count` that a case left out has in class `own_label`. A negative count is
  // only left out of the question whether the value is known and frequent enough; its classes stay as they are.
  void ask(std::uint32_t code, Label own_label, double own_count, Asked& asked) const {
    asked.label.clear();
    asked.share.clear();
    asked.log.clear();
    asked.constant = -1.0;
    if (code >= n_values()) {
      asked.constant = unknown_cost_;
      return;
    }
    const double without = values_[code].frequency - std::abs(own_count);
    if (without <= 0.0 || without < threshold_) {
      asked.constant = without <= 0.0 ? unknown_cost_ : 1.0;
      return;
    }
    own_count = std::max(0.0, own_count);
    const double total = values_[code].frequency - own_count;
    for (auto i = values_[code].start; i < values_[code + 1].start; ++i) {
      const double count =
          own_count != 0.0 && cells_[i].label == own_label ? cells_[i].count - own_count : cells_[i].count;
      if (count <= 0.0) {
        if (!lists_emptied_) continue;
        asked.label.push_back(cells_[i].label);
        asked.share.push_back(kEmptied);
        asked.log.push_back(0.0);
        continue;
      }
      asked.label.push_back(cells_[i].label);
      asked.share.push_back(count / total);
      asked.log.push_back(own_count == 0.0 ? cells_[i].log : std::log2(count / total));
    }
  }

  // The difference from a stored value that is not the asked one, classes taken in ascending order.
  double between(const Asked& asked, std::uint32_t other) const {
    if (asked.constant >= 0.0) return asked.constant;
    if (values_[other].frequency < threshold_) return 1.0;
    double in_asked = 0.0, in_other = 0.0;  // the terms of one distribution and of the other
    std::size_t a = 0;
    auto o = values_[other].start;
    const auto end = values_[other + 1].start;
    while (a < asked.label.size() || o < end) {
      if (o == end || (a < asked.label.size() && asked.label[a] < cells_[o].label)) {
        in_asked += std::max(0.0, asked.share[a++]);
      } else if (a == asked.label.size() || cells_[o].label < asked.label[a]) {
        (kind_ == Kind::mvdm ? in_asked : in_other) += cells_[o++].share;
      } else {
        const double p = asked.share[a++], q = cells_[o++].share;
        if (p == kEmptied) {
          // adds nothing
        } else if (kind_ == Kind::mvdm) {
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
    // Of distributions that are the same but for rounding the terms may cancel to a little less than nothing.
    return std::max(0.0, (in_asked + in_other) / 2.0);
  }

  // An asked value spread out over all classes, to be compared with many stored ones.
  struct Spread {
    std::vector<double> share, log;  // per class; 0 where the asked value has no cases
    std::vector<Label> listed;       // its classes, ascending
    double all = 0.0;

    void set(const Asked& asked, std::size_t n_classes) {
      share.resize(n_classes);
      log.resize(n_classes);
      for (const Label label : listed) share[label] = log[label] = 0.0;
      listed = asked.label;
      all = 0.0;
      for (std::size_t a = 0; a < asked.label.size(); ++a) {
        share[asked.label[a]] = asked.share[a];
        log[asked.label[a]] = asked.log[a];
        all += std::max(0.0, asked.share[a]);
      }
    }
  };

  // The difference from a stored value, roughly.
  double roughly(const Spread& asked, std::uint32_t other) const {
    switch (kind_) {
      case Kind::mvdm:
        return difference<Kind::mvdm>(asked, other);
      case Kind::jeffrey:
        return difference<Kind::jeffrey>(asked, other);
      default:
        return difference<Kind::jensen_shannon>(asked, other);
    }
  }

  // Differences from all stored values, roughly.
  void from_all(const Spread& asked, double* out) const {
    auto fill = [&]<Kind kind>() {
      for (std::uint32_t v = 0; v < n_values(); ++v) out[v] = difference<kind>(asked, v);
    };
    switch (kind_) {
      case Kind::mvdm:
        return fill.template operator()<Kind::mvdm>();
      case Kind::jeffrey:
        return fill.template operator()<Kind::jeffrey>();
      default:
        return fill.template operator()<Kind::jensen_shannon>();
    }
  }

 private:
  // What a class that two values share adds to their difference, beyond what it would if they did not share it.
  template <Kind kind>
  static double shared(double p, double log_p, double q, double log_q) {
    if (p == kEmptied) return -q;
    if constexpr (kind == Kind::mvdm)
      return std::abs(p - q) - p - q;
    else if constexpr (kind == Kind::jeffrey)
      return (p - q) * (log_p - log_q) - p - q;
    else
      return p * log_p + q * log_q - (p + q) * std::log2(p + q);
  }

  static constexpr std::size_t kFewer = 16;  // times as many classes are worth a search among them

  // Only classes that both values have are visited, by way of the one that has fewer.
  template <Kind kind>
  double difference(const Spread& asked, std::uint32_t other) const {
    if (values_[other].frequency < threshold_) return 1.0;
    const RoughCell* begin = rough_.data() + values_[other].start;
    const RoughCell* end = rough_.data() + values_[other + 1].start;
    double sum = asked.all + 1.0;
    if (static_cast<std::size_t>(end - begin) <= kFewer * asked.listed.size() + kFewer) {
      for (const RoughCell* cell = begin; cell < end; ++cell) {
        const double p = asked.share[cell->label];
        if (kind == Kind::mvdm || p != 0.0)  // of a class that is not shared MVDM adds nothing anyway
          sum += shared<kind>(p, asked.log[cell->label], cell->share, cell->log);
      }
    } else {
      for (const Label label : asked.listed) {
        begin = std::lower_bound(begin, end, label, [](const RoughCell& cell, Label l) { return cell.label < l; });
        if (begin == end) break;
        if (begin->label == label) sum += shared<kind>(asked.share[label], asked.log[label], begin->share, begin->log);
      }
    }
    return std::max(0.0, 0.5 * sum);
  }

  // For rough differences single precision is enough, and takes less room in the cache. The error of a sum is far
  // below the step to which bounds are rounded.
  struct RoughCell {
    float share, log;
    Label label;
  };

  Kind kind_;
  // What is looked up together lies together.
  struct Cell {
    double count, share, log;
    Label label;
  };
  struct Value {
    std::uint64_t start;
    double frequency;
  };
  std::vector<Value> values_;  // one more than there are values
  std::vector<Cell> cells_;
  std::vector<RoughCell> rough_;
  std::size_t n_classes_;
  double threshold_, unknown_cost_;
  bool lists_emptied_;
};

}  // namespace casebase
