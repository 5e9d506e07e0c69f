// What one feature of a question costs against every stored value.
//
// Where values just agree or not, that is one number. Where they differ more or less, it is a row of numbers, one
// per grade, in steps for the scan. A stored value's grade is its profile where values are compared by their classes,
// and the value itself where they are texts. Rows are made when a search first needs them and kept for the next
// question with a value of that grade: values of language repeat. In rows of features with very many grades only those
// are compared that are left when all other features have been looked at.
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

inline constexpr std::size_t kMostInAdvance = 1024;

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
  // Grades that are too many to be compared with each asked one in advance: pairs are when the search comes to them.
  bool is_late() const { return kind == Kind::difference && difference->n_profiles() > kMostInAdvance; }
  std::size_t n_values() const { return kind == Kind::difference ? difference->n_values() : text->n_values(); }
  std::size_t n_grades() const { return kind == Kind::difference ? difference->n_profiles() : text->n_values(); }
  // The grade of a value; of a text that is not stored the code itself, which is no grade.
  std::uint32_t grade(std::uint32_t code) const { return kind == Kind::difference ? difference->profile(code) : code; }
  bool is_shared(std::uint32_t grade) const { return kind == Kind::difference && difference->is_shared(grade); }
};

struct CostRow {
  static constexpr Step kUnknown = 0xFFFF;  // of a grade that has not been compared yet

  std::vector<Step> steps;    // per grade: what its values cost at least
  std::vector<double> exact;  // per grade, the difference as it is; negative: not looked at yet
  std::unordered_map<std::uint32_t, double> exact_late;  // the same of a late feature, of grades that were looked at
  Step least = 0;                                        // of the values that are not the asked one
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

  // The row of an asked grade if it is kept, or nullptr.
  CostRow* find(std::size_t f, std::uint32_t grade) {
    const auto found = rows_[f].find(grade);
    return found == rows_[f].end() ? nullptr : found->second.get();
  }

  // Makes the row of an asked grade of a late feature: all but the grade itself is still to be compared.
  CostRow* make_late(std::size_t f, std::uint32_t grade) {
    auto& row = rows_[f][grade];
    row = std::make_unique<CostRow>();
    row->steps.assign(comparisons_[f].n_grades(), CostRow::kUnknown);
    row->steps[grade] = 0;
    n_kept_ += row->steps.size() * sizeof(Step);
    return row.get();
  }

  // Notes a difference that a late feature has been looked at for.
  double note_exact(CostRow& row, std::uint32_t grade, double difference) {
    n_kept_ += kBytesOfPair;
    return row.exact_late[grade] = difference;
  }

  // Makes the row of an asked grade from differences, or numbers below them; `factor` turns these into steps.
  template <class FillDifferences>
  CostRow* make(std::size_t f, std::uint32_t grade, double factor, FillDifferences&& fill_differences) {
    auto& row = rows_[f][grade];
    row = std::make_unique<CostRow>();
    const std::size_t n = comparisons_[f].n_grades();
    const double cap = comparisons_[f].cap();
    differences_.resize(n);
    fill_differences(differences_.data());
    if (grade < n) differences_[grade] = 0.0;
    row->exact.assign(n, -1.0);
    row->steps.resize(n);
    for (std::size_t g = 0; g < n; ++g) row->steps[g] = static_cast<Step>(std::min(differences_[g], cap) * factor);
    row->least = 0xFFFF;
    for (std::size_t g = 0; g < n; ++g)
      if (g != grade || comparisons_[f].is_shared(grade)) row->least = std::min(row->least, row->steps[g]);
    if (n <= 1 && grade < n) row->least = 0;
    n_kept_ += n * (sizeof(Step) + sizeof(double));
    return row.get();
  }

 private:
  static constexpr std::size_t kMostKept = std::size_t{64} << 20;  // bytes
  static constexpr std::size_t kBytesOfPair = 48;                  // an entry of a map, about

  const std::vector<Comparison>& comparisons_;
  std::vector<std::unordered_map<std::uint32_t, std::unique_ptr<CostRow>>> rows_;
  std::vector<double> differences_;
  std::size_t n_kept_ = 0;
};

}  // namespace casebase
