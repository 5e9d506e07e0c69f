// Lists of numbers by key, all made at once and then added to: the tokens of each word, the words of each value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace casebase {

class Postings {
 public:
  Postings() = default;

  // The numbers of the keys, from 0, by key; keys that are not below `n_keys` have no list.
  Postings(const std::vector<std::uint32_t>& keys, std::size_t n_keys) : first_(n_keys + 1) {
    for (const std::uint32_t one : keys)
      if (one < n_keys) ++first_[one + 1];
    for (std::size_t i = 1; i <= n_keys; ++i) first_[i] += first_[i - 1];
    items_.resize(first_[n_keys]);
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] < n_keys) items_[next[keys[i]]++] = static_cast<std::uint32_t>(i);
  }

  void add(std::uint32_t key, std::uint32_t item) { added_[key].push_back(item); }

  std::size_t size(std::uint32_t key) const {
    const auto more = added_.find(key);
    const std::size_t n = key + 1 < first_.size() ? first_[key + 1] - first_[key] : 0;
    return more == added_.end() ? n : n + more->second.size();
  }

  template <class Work>
  void each(std::uint32_t key, const Work& work) const {
    if (key + 1 < first_.size())
      for (std::uint32_t i = first_[key]; i < first_[key + 1]; ++i) work(items_[i]);
    if (const auto more = added_.find(key); more != added_.end())
      for (const std::uint32_t item : more->second) work(item);
  }

 private:
  std::vector<std::uint32_t> first_, items_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> added_;
};

}  // namespace casebase
