// A growing list of feature sets that answers superset queries: which members contain a given set?
//
// The list is stored by feature: in blocks of 512 members, each feature has one bit per member. The members that
// contain a set have their bit set in all of its features: a few ANDs of 512 bits test 512 members, and usually no bit
// is left after the first few.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "core/simd.hpp"
#include "core/types.hpp"

namespace casebase {

class MaskSet {
 public:
  explicit MaskSet(std::size_t n_features) : n_features_(n_features) {}

  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }

  void add(const std::vector<std::uint32_t>& features) {
    const std::size_t block = size_ / kMembers, member = size_ % kMembers;
    if (member == 0) {
      const std::size_t begin = block * n_features_;
      if (blocks_.size() < begin + n_features_) blocks_.resize(begin + n_features_);
      for (std::size_t f = 0; f < n_features_; ++f) blocks_[begin + f].fill(0);
    }
    for (const auto f : features) blocks_[block * n_features_ + f][member / 64] |= std::uint64_t{1} << member % 64;
    ++size_;
  }

  // Calls use(member) for the members that contain all these features, until it returns false.
  template <class Use>
  void for_supersets(const std::vector<std::uint32_t>& features, Use&& use) const {
    for (std::size_t first = 0; first < size_; first += kMembers) {
      Bits found;
      if (!intersect(first / kMembers, features, found)) continue;
      for (std::size_t w = 0; w < found.size(); ++w)
        for (auto bits = found[w]; bits; bits &= bits - 1)
          if (!use(first + 64 * w + static_cast<std::size_t>(std::countr_zero(bits)))) return;
    }
  }

  bool has_superset(const std::vector<std::uint32_t>& features) const {
    Bits found;
    for (std::size_t block = 0; block * kMembers < size_; ++block)
      if (intersect(block, features, found)) return true;
    return false;
  }

 private:
  static constexpr std::size_t kMembers = 512;
  static constexpr std::size_t kBetweenLooks = 4;  // ANDs between two tests whether any bit is left
  using Bits = std::array<std::uint64_t, kMembers / 64>;

  // The members of a block that have all features; false if there is none.
  bool intersect(std::size_t block, const std::vector<std::uint32_t>& features, Bits& found) const {
    return best_version(
        [](const Bits* of_feature, const std::uint32_t* f, std::size_t n, Bits* out) CASEBASE_INLINE_LAMBDA {
          Bits all = of_feature[f[0]];
          for (std::size_t i = 1;;) {
            for (const std::size_t end = std::min(n, i + kBetweenLooks); i < end; ++i)
              for (std::size_t w = 0; w < all.size(); ++w) all[w] &= of_feature[f[i]][w];
            std::uint64_t any = 0;
            for (std::size_t w = 0; w < all.size(); ++w) any |= all[w];
            if (any == 0) return false;
            if (i == n) break;
          }
          *out = all;
          return true;
        },
        blocks_.data() + block * n_features_, features.data(), features.size(), &found);
  }

  std::size_t n_features_, size_ = 0;
  std::vector<Bits> blocks_;  // block by block, one entry per feature
};

}  // namespace casebase
