// What one feature of a question costs against every stored value.
//
// Where values just agree or not, that is one number. Where they differ more or less, it is a row of numbers, one
// per stored value, in steps for the scan. Rows are made when a search first needs them and kept for the next
// question with the same value: values of language repeat. Of features with very many values only those are compared
// that are left when all other features have been looked at.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/differences.hpp"
#include "core/scan.hpp"
#include "core/texts.hpp"
#include "core/types.hpp"

namespace casebase {

inline constexpr std::size_t kMostInAdvance = 4096;

// How the values of one feature are compared.
struct Comparison {
  enum class Kind : std::uint8_t {
    overlap,          // equal or not
    difference,       // by the classes with which values occur
    text,             // by their letters
    numeric,          // |x − y| / range
    squared,          // (|x − y| / range)²
    root_of_squares,  // √|x² − y²| / range
  };
  Kind kind = Kind::overlap;
  const ValueDifference* difference = nullptr;
  const TextDistance* text = nullptr;
  const Texts* asked_texts = nullptr;  // asked values that are not stored: codes from text->n_values() on

  bool is_graded() const { return kind == Kind::difference || kind == Kind::text; }
  double cap() const { return kind == Kind::difference ? difference->cap() : kind == Kind::text ? text->cap() : 1.0; }
  // Values that are too many to be compared with each asked one in advance: pairs are when the search comes to them.
  bool is_late() const { return kind == Kind::difference && difference->n_values() > kMostInAdvance; }
  std::size_t n_values() const { return kind == Kind::difference ? difference->n_values() : text->n_values(); }
};

struct CostRow {
  std::vector<Step> steps;    // per stored value: what it costs at least
  std::vector<double> exact;  // per stored value, the difference as it is; negative: not looked at yet
  Step least = 0;             // of the values that are not the asked one
};

class CostRows {
 public:
  explicit CostRows(const std::vector<Comparison>& comparisons)
      : comparisons_(comparisons), rows_(comparisons.size()) {}

  void clear() {
    for (auto& rows : rows_) rows.clear();
    n_kept_ = 0;
  }

  // Asked texts that are not stored have other codes the next time.
  void forget_unknown_texts() {
    for (std::size_t f = 0; f < rows_.size(); ++f)
      if (comparisons_[f].kind == Comparison::Kind::text)
        std::erase_if(rows_[f], [&](const auto& row) { return row.first >= comparisons_[f].n_values(); });
  }

  // To be called between questions: rows that are in use must stay.
  void make_room() {
    if (n_kept_ > kMostKept) clear();
  }

  // The row of an asked value if it is kept, or nullptr.
  CostRow* find(std::size_t f, std::uint32_t code) {
    const auto found = rows_[f].find(code);
    return found == rows_[f].end() ? nullptr : found->second.get();
  }

  // Makes the row of an asked value from differences, or numbers below them; `factor` turns these into steps.
  template <class FillDifferences>
  CostRow* make(std::size_t f, std::uint32_t code, double factor, FillDifferences&& fill_differences) {
    auto& row = rows_[f][code];
    row = std::make_unique<CostRow>();
    const std::size_t n = comparisons_[f].n_values();
    const double cap = comparisons_[f].cap();
    differences_.resize(n);
    fill_differences(differences_.data());
    if (code < n) differences_[code] = 0.0;
    row->exact.assign(n, -1.0);
    row->steps.resize(n);
    for (std::size_t v = 0; v < n; ++v) row->steps[v] = static_cast<Step>(std::min(differences_[v], cap) * factor);
    row->least = 0xFFFF;
    for (std::size_t v = 0; v < n; ++v)
      if (v != code) row->least = std::min(row->least, row->steps[v]);
    if (n <= 1 && code < n) row->least = 0;
    n_kept_ += n * (sizeof(Step) + sizeof(double));
    return row.get();
  }

 private:
  static constexpr std::size_t kMostKept = std::size_t{64} << 20;  // bytes

  const std::vector<Comparison>& comparisons_;
  std::vector<std::unordered_map<std::uint32_t, std::unique_ptr<CostRow>>> rows_;
  std::vector<double> differences_;
  std::size_t n_kept_ = 0;
};

}  // namespace casebase
