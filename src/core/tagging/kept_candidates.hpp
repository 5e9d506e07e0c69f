// Lists of candidate tags, and those of the words of a lexicon, which all texts share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace casebase {

// Candidates by ascending tag: their estimates without context, and the logarithms of these. One block of memory, which
// most words need a line of the cache of.
class CandidateList {
 public:
  CandidateList(const std::uint32_t* tags, const double* shares, const double* logs, std::size_t n)
      : n_(n), block_(new std::byte[n * (2 * sizeof(double) + sizeof(std::uint32_t))]) {
    std::memcpy(block_.get(), shares, n * sizeof(double));
    std::memcpy(block_.get() + n * sizeof(double), logs, n * sizeof(double));
    std::memcpy(block_.get() + 2 * n * sizeof(double), tags, n * sizeof(std::uint32_t));
  }

  std::size_t size() const { return n_; }
  const double* shares() const { return reinterpret_cast<const double*>(block_.get()); }
  const double* logs() const { return shares() + n_; }
  const std::uint32_t* tags() const { return reinterpret_cast<const std::uint32_t*>(shares() + 2 * n_); }

 private:
  std::size_t n_;
  std::unique_ptr<std::byte[]> block_;
};

// The candidates of the words of a lexicon, each found when it is first asked for. Threads may ask at the same time: if
// two find the same list, the first one stays.
class KeptCandidates {
 public:
  explicit KeptCandidates(std::size_t n_words) : lists_(n_words) {}
  KeptCandidates(const KeptCandidates&) = delete;
  ~KeptCandidates() {
    for (const auto& list : lists_) delete list.load();
  }

  std::size_t n_words() const { return lists_.size(); }

  // nullptr if they were not found yet.
  const CandidateList* of(std::size_t word) const { return lists_[word].load(std::memory_order_acquire); }

  const CandidateList* keep(std::size_t word, std::unique_ptr<const CandidateList> list) {
    const CandidateList* before = nullptr;
    if (!lists_[word].compare_exchange_strong(before, list.get())) return before;
    return list.release();
  }

 private:
  std::vector<std::atomic<const CandidateList*>> lists_;
};

}  // namespace casebase
