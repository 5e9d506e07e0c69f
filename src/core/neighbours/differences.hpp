// Value difference metrics: two values of a feature differ as much as their class distributions.
//
// There are three differences of distributions p and q: the modified value difference metric ½·Σ|p − q|, the Jeffrey
// divergence and the Jensen-Shannon divergence, in the finite form in which a class that occurs with only one of the
// values adds its share (all logarithms to base 2).
//
// Values with the same distribution have the same difference from every other value. They share a profile, so it is
// computed once for all of them: most words occur with one class only, so thousands of words have a few hundred
// profiles.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/simd.hpp"
#include "core/types.hpp"

namespace casebase {

class ValueDifference {
 public:
  enum class Kind : std::uint8_t { mvdm, jeffrey, jensen_shannon };

  // Marks a class that the value loses with the held-out case, where such classes stay listed: TiMBL adds nothing for
  // them to the Jeffrey divergence.
  static constexpr double kEmptied = -1.0;

  // Value v occurs count[i] times with class label[i], for i from start[v] to start[v + 1], labels ascending.
  // A value with fewer cases than `threshold` is at distance 1 from every other, an unknown one at `unknown_cost`.
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
      }
    }
    values_.push_back({start[n_values], 0.0});
    find_profiles();
  }

  std::size_t n_values() const { return values_.size() - 1; }
  std::size_t n_classes() const { return n_classes_; }
  std::size_t n_profiles() const { return profiles_.size() - 1; }
  std::uint32_t profile(std::uint32_t value) const { return profile_of_[value]; }
  bool is_shared(std::uint32_t profile) const { return profiles_[profile].n_values > 1; }

  // The largest difference that matters for a bound; the Jeffrey divergence has no maximum.
  double cap() const { return kind_ == Kind::jeffrey ? 8.0 : 1.0; }

  // The difference of a value from all others if it is the same for all, as for unknown and rare values; otherwise
  // negative. `own_count` cases are held out; the sign does not matter here.
  double constant(std::uint32_t code, double own_count) const {
    if (code >= n_values()) return unknown_cost_;
    const double without = values_[code].frequency - std::abs(own_count);
    return without <= 0.0 ? unknown_cost_ : without < threshold_ ? 1.0 : -1.0;
  }

  // The value of a question. `constant` is its difference from all other values if it is the same for all.
  struct Asked {
    std::vector<Label> label;
    std::vector<double> share, log;
    double constant = -1.0;  // negative: it depends on the other value
  };

  // The value `code` without the `own_count` of a held-out case of class `own_label`. A negative count is subtracted
  // only to decide whether the value is known and frequent enough; the class distribution then includes the case.
  void ask(std::uint32_t code, Label own_label, double own_count, Asked& asked) const {
    asked.label.clear();
    asked.share.clear();
    asked.log.clear();
    asked.constant = constant(code, own_count);
    if (asked.constant >= 0.0) return;
    own_count = std::max(0.0, own_count);
    if (own_count == 0.0) {
      for (auto i = values_[code].start; i < values_[code + 1].start; ++i) {
        asked.label.push_back(cells_[i].label);
        asked.share.push_back(cells_[i].share);
        asked.log.push_back(cells_[i].log);
      }
      return;
    }
    const double total = values_[code].frequency - own_count;
    for (auto i = values_[code].start; i < values_[code + 1].start; ++i) {
      const double count = cells_[i].label == own_label ? cells_[i].count - own_count : cells_[i].count;
      if (count <= 0.0) {
        if (!lists_emptied_) continue;
        asked.label.push_back(cells_[i].label);
        asked.share.push_back(kEmptied);
        asked.log.push_back(0.0);
        continue;
      }
      asked.label.push_back(cells_[i].label);
      asked.share.push_back(count / total);
      asked.log.push_back(std::log2(count / total));
    }
  }

  // The difference from the other stored values of a profile, summed over the classes in ascending order.
  double between(const Asked& asked, std::uint32_t profile) const {
    if (asked.constant >= 0.0) return asked.constant;
    if (profile == rare_profile_) return 1.0;
    switch (kind_) {
      case Kind::mvdm:
        return exactly<Kind::mvdm>(asked, profile);
      case Kind::jeffrey:
        return exactly<Kind::jeffrey>(asked, profile);
      default:
        return exactly<Kind::jensen_shannon>(asked, profile);
    }
  }

  // The value of a question as a dense distribution over all classes, to be compared with many stored ones.
  struct Spread {
    std::vector<double> share, log;  // per class; 0 where the value has no cases
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

  // The approximate difference from the stored values of a profile.
  double roughly(const Spread& asked, std::uint32_t profile) const {
    switch (kind_) {
      case Kind::mvdm:
        return difference<Kind::mvdm>(asked, profile);
      case Kind::jeffrey:
        return difference<Kind::jeffrey>(asked, profile);
      default:
        return difference<Kind::jensen_shannon>(asked, profile);
    }
  }

  // Approximate differences from the stored values of every profile: class by class, so that profiles that share no
  // class with the value are not visited.
  void from_all(const Asked& asked, double* out) const {
    auto fill = [&]<Kind kind>() {
      double all = 1.0;
      for (const double share : asked.share) all += std::max(0.0, share);
      std::fill(out, out + n_profiles(), all);
      for (std::size_t a = 0; a < asked.label.size(); ++a) {
        const std::uint64_t end = class_start_[asked.label[a] + 1];
        for (auto begin = class_start_[asked.label[a]]; begin < end; begin += kAtOnce)
          add_shared<kind>(static_cast<float>(asked.share[a]), static_cast<float>(asked.log[a]), begin,
                           std::min<std::size_t>(kAtOnce, end - begin), out);
      }
    };
    switch (kind_) {
      case Kind::mvdm:
        fill.template operator()<Kind::mvdm>();
        break;
      case Kind::jeffrey:
        fill.template operator()<Kind::jeffrey>();
        break;
      default:
        fill.template operator()<Kind::jensen_shannon>();
        break;
    }
    for (std::size_t p = 0; p < n_profiles(); ++p) out[p] = std::max(0.0, 0.5 * out[p]);
    if (rare_profile_ < n_profiles()) out[rare_profile_] = 1.0;
  }

 private:
  static constexpr std::size_t kAtOnce = 64;

  // Adds to the differences of n profiles of a class what that class contributes: the terms are computed together.
  template <Kind kind>
  void add_shared(float p, float log_p, std::size_t begin, std::size_t n, double* out) const {
    std::array<float, kAtOnce> terms;
    best_version(
        [](const float* shares, const float* logs, std::size_t n, float p, float log_p, float* terms)
            CASEBASE_INLINE_LAMBDA {
              for (std::size_t i = 0; i < n; ++i) terms[i] = shared<kind>(p, log_p, shares[i], logs[i]);
            },
        class_share_.data() + begin, class_log_.data() + begin, n, p, log_p, terms.data());
    for (std::size_t i = 0; i < n; ++i) out[class_profile_[begin + i]] += static_cast<double>(terms[i]);
  }

  template <Kind kind>
  double exactly(const Asked& asked, std::uint32_t profile) const {
    double in_asked = 0.0, in_other = 0.0;  // the terms of one distribution and of the other
    double& of_other_only = kind == Kind::mvdm ? in_asked : in_other;
    const std::size_t n = asked.label.size();
    std::size_t a = 0;
    const ProfileCell* other = profile_cells_.data() + profiles_[profile].start;
    const ProfileCell* end = profile_cells_.data() + profiles_[profile + 1].start;
    while (a < n && other < end) {
      if (asked.label[a] < other->label) {
        in_asked += std::max(0.0, asked.share[a++]);
      } else if (other->label < asked.label[a]) {
        of_other_only += (other++)->share;
      } else {
        const double p = asked.share[a++], q = (other++)->share;
        if (p == kEmptied) {
          // adds nothing
        } else if constexpr (kind == Kind::mvdm) {
          in_asked += std::abs(p - q);
        } else if constexpr (kind == Kind::jeffrey) {
          in_asked += p * std::log2(p / q);
          in_other += q * std::log2(q / p);
        } else {
          in_asked += p * std::log2(2.0 * p / (p + q));
          in_other += q * std::log2(2.0 * q / (p + q));
        }
      }
    }
    for (; a < n; ++a) in_asked += std::max(0.0, asked.share[a]);
    for (; other < end; ++other) of_other_only += other->share;
    // If two distributions are equal except for rounding, the terms may cancel to a number slightly below 0.
    return std::max(0.0, (in_asked + in_other) / 2.0);
  }

  bool is_rare(std::uint32_t value) const { return values_[value].frequency < threshold_; }

  bool have_one_profile(std::uint32_t v, std::uint32_t w) const {
    if (is_rare(v) || is_rare(w)) return is_rare(v) == is_rare(w);
    return std::equal(cells_.begin() + values_[v].start, cells_.begin() + values_[v + 1].start,
                      cells_.begin() + values_[w].start, cells_.begin() + values_[w + 1].start,
                      [](const Cell& x, const Cell& y) { return x.label == y.label && x.share == y.share; });
  }

  // Numbers the profiles in the order of their first values. All rare values share one: they are far from any other.
  void find_profiles() {
    std::unordered_multimap<std::uint64_t, std::uint32_t> known;
    for (std::uint32_t v = 0; v < n_values(); ++v) {
      std::uint64_t hash = 0;
      for (auto i = values_[v].start; !is_rare(v) && i < values_[v + 1].start; ++i)
        hash = (hash ^ cells_[i].label ^ std::bit_cast<std::uint64_t>(cells_[i].share)) * 0x9E3779B97F4A7C15ull;
      const auto [first, last] = known.equal_range(hash);
      const auto found = std::find_if(
          first, last, [&](const auto& p) { return have_one_profile(v, profiles_[p.second].first_value); });
      const std::uint32_t profile = found != last ? found->second : static_cast<std::uint32_t>(profiles_.size());
      if (found == last) {
        known.emplace(hash, profile);
        if (is_rare(v)) rare_profile_ = profile;
        profiles_.push_back({v, 0, profile_cells_.size()});
        for (auto i = values_[v].start; i < values_[v + 1].start; ++i)
          profile_cells_.push_back({cells_[i].share, static_cast<float>(cells_[i].log), cells_[i].label});
      }
      ++profiles_[profile].n_values;
      profile_of_.push_back(profile);
    }
    profiles_.push_back({0, 0, profile_cells_.size()});
    sort_by_class();
  }

  void sort_by_class() {
    class_start_.assign(n_classes_ + 1, 0);
    for (const ProfileCell& cell : profile_cells_) ++class_start_[cell.label + 1];
    for (std::size_t c = 0; c < n_classes_; ++c) class_start_[c + 1] += class_start_[c];
    std::vector<std::uint64_t> next(class_start_.begin(), class_start_.end() - 1);
    class_share_.resize(profile_cells_.size());
    class_log_.resize(profile_cells_.size());
    class_profile_.resize(profile_cells_.size());
    for (std::uint32_t p = 0; p < n_profiles(); ++p)
      for (auto i = profiles_[p].start; i < profiles_[p + 1].start; ++i) {
        const std::uint64_t place = next[profile_cells_[i].label]++;
        class_share_[place] = static_cast<float>(profile_cells_[i].share);
        class_log_[place] = profile_cells_[i].log;
        class_profile_[place] = p;
      }
  }

  // The contribution of a class that two values share, minus what it would add if they did not share it.
  template <Kind kind, class Real>
  static CASEBASE_INLINE Real shared(Real p, Real log_p, Real q, Real log_q) {
    if (p == Real{kEmptied}) return -q;
    if constexpr (kind == Kind::mvdm)
      return std::abs(p - q) - p - q;
    else if constexpr (kind == Kind::jeffrey)
      return (p - q) * (log_p - log_q) - p - q;
    else
      return p * log_p + q * log_q - (p + q) * std::log2(p + q);
  }

  static constexpr std::size_t kFewer = 16;  // above this ratio of classes, binary search beats visiting all

  // Visits only the classes that both values have, starting from the value with fewer classes.
  template <Kind kind>
  double difference(const Spread& asked, std::uint32_t profile) const {
    if (profile == rare_profile_) return 1.0;
    const ProfileCell* begin = profile_cells_.data() + profiles_[profile].start;
    const ProfileCell* end = profile_cells_.data() + profiles_[profile + 1].start;
    double sum = asked.all + 1.0;
    if (static_cast<std::size_t>(end - begin) <= kFewer * asked.listed.size() + kFewer) {
      for (const ProfileCell* cell = begin; cell < end; ++cell) {
        const double p = asked.share[cell->label];
        if (kind == Kind::mvdm || p != 0.0)  // MVDM adds nothing here for a class that is not shared
          sum += shared<kind, double>(p, asked.log[cell->label], cell->share, cell->log);
      }
    } else {
      for (const Label label : asked.listed) {
        begin = std::lower_bound(begin, end, label, [](const ProfileCell& cell, Label l) { return cell.label < l; });
        if (begin == end) break;
        if (begin->label == label)
          sum += shared<kind, double>(asked.share[label], asked.log[label], begin->share, begin->log);
      }
    }
    return std::max(0.0, 0.5 * sum);
  }

  // Single precision is enough for approximate differences and takes less space in the cache. The error of a sum is far
  // below the step to which bounds are rounded.
  struct ProfileCell {
    double share;
    float log;
    Label label;
  };

  Kind kind_;
  // Fields that are read together are stored together.
  struct Cell {
    double count, share, log;
    Label label;
  };
  struct Value {
    std::uint64_t start;
    double frequency;
  };
  struct Profile {
    std::uint32_t first_value, n_values;
    std::uint64_t start;
  };
  std::vector<Value> values_;  // one more than there are values
  std::vector<std::uint32_t> profile_of_;
  std::vector<Profile> profiles_;  // one more than there are profiles
  std::vector<Cell> cells_;
  std::vector<ProfileCell> profile_cells_;
  std::vector<float> class_share_, class_log_;  // the same by class, then by profile
  std::vector<std::uint32_t> class_profile_;
  std::vector<std::uint64_t> class_start_;  // one more than there are classes
  std::uint32_t rare_profile_ = 0xFFFFFFFFu;
  std::size_t n_classes_;
  double threshold_, unknown_cost_;
  bool lists_emptied_;
};

}  // namespace casebase
