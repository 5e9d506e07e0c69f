// The cost of one feature of a question against every stored value.
//
// With overlap this is one number. With a graded metric it is a row of numbers, one per grade, in steps for the scan.
// The grade of a stored value is its profile where values are compared by their classes, and the value itself where
// they are texts. A row is computed when a search first needs it, and kept for the next question with a value of that
// grade: in language data values repeat. Features with very many grades come last, and only the grades of the rows that
// are left then are compared. Rows hold lower bounds; exact differences are computed for a few grades only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/neighbours/differences.hpp"
#include "core/neighbours/scan.hpp"
#include "core/neighbours/texts.hpp"
#include "core/simd.hpp"
#include "core/types.hpp"

namespace casebase {

inline constexpr std::size_t kMostInAdvance = 8192;

// How the values of one feature are compared.
struct Comparison {
  enum class Kind : std::uint8_t {
    overlap,          // 0 if equal, 1 otherwise
    difference,       // by the class distributions of the values
    text,             // by their letters
    numeric,          // |x − y| / range
    squared,          // (|x − y| / range)²
    root_of_squares,  // √|x² − y²| / range
  };
  Kind kind = Kind::overlap;
  const ValueDifference* difference = nullptr;
  const TextDistance* text = nullptr;
  const Texts* asked_texts = nullptr;  // values of questions that are not stored: codes from text->n_values() on

  bool is_graded() const { return kind == Kind::difference || kind == Kind::text; }
  double cap() const { return kind == Kind::difference ? difference->cap() : kind == Kind::text ? text->cap() : 1.0; }
  // Too many grades to compare all of them with each value in advance: a pair is compared when the search needs it.
  bool is_late() const { return kind == Kind::difference && difference->n_profiles() > kMostInAdvance; }
  std::size_t n_values() const { return kind == Kind::difference ? difference->n_values() : text->n_values(); }
  std::size_t n_grades() const { return kind == Kind::difference ? difference->n_profiles() : text->n_values(); }
  // The grade of a value; for a text that is not stored, its code, which is not a grade.
  std::uint32_t grade(std::uint32_t code) const { return kind == Kind::difference ? difference->profile(code) : code; }
  bool is_shared(std::uint32_t grade) const { return kind == Kind::difference && difference->is_shared(grade); }
};

// Exact differences of a grade from others, as far as they were computed. There are few of them, so a small hash table
// is enough.
class ExactDifferences {
 public:
  // The difference from a grade; if it is negative, it is not known yet, and the caller must set it.
  double& operator[](std::uint32_t grade) {
    if (!entries_.empty()) {
      Entry& entry = place(grade);
      if (entry.grade == grade) return entry.difference;
    }
    if (2 * n_ >= entries_.size()) grow();
    ++n_;
    Entry& entry = place(grade);
    entry.grade = grade;
    return entry.difference;
  }

  std::size_t n_bytes() const { return entries_.size() * sizeof(Entry); }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  struct Entry {
    std::uint32_t grade = kNone;
    double difference = -1.0;
  };

  Entry& place(std::uint32_t grade) {
    const std::size_t mask = entries_.size() - 1;  // sizes are powers of two
    std::size_t i = (grade * 0x9E3779B97F4A7C15ull >> 32) & mask;
    while (entries_[i].grade != grade && entries_[i].grade != kNone) i = (i + 1) & mask;
    return entries_[i];
  }

  void grow() {
    std::vector<Entry> old(std::max<std::size_t>(16, 2 * entries_.size()));
    old.swap(entries_);
    for (const Entry& entry : old)
      if (entry.grade != kNone) place(entry.grade) = entry;
  }

  std::vector<Entry> entries_;
  std::size_t n_ = 0;
};

struct CostRow {
  static constexpr Step kUnknown = 0xFFFF;  // of a grade that has not been compared yet

  std::vector<Step> steps;  // per grade: what its values cost at least
  ExactDifferences exact;
  Step least = 0;          // over the values that differ from the question's
  bool is_capped = false;  // whether some values differ by more than the cap, and their steps do not say by how much
};

class CostRows {
 public:
  explicit CostRows(const std::vector<Comparison>& comparisons)
      : comparisons_(comparisons), rows_(comparisons.size()) {}

  void clear() {
    for (const auto& [f, grade] : made_) rows_[f][grade].reset();
    made_.clear();
    n_kept_ = 0;
  }

  // Drops the rows of texts that are not stored: their codes mean other texts in the next batch.
  void forget_unknown_texts() {
    for (std::size_t f = 0; f < rows_.size(); ++f)
      if (comparisons_[f].kind == Comparison::Kind::text)
        for (std::size_t grade = comparisons_[f].n_grades(); grade < rows_[f].size(); ++grade) rows_[f][grade].reset();
  }

  // May only be called between questions: rows that are in use must stay.
  void make_room() {
    if (n_kept_ > kMostKept) clear();
  }

  // The row of a grade if it is kept, or nullptr.
  CostRow* find(std::size_t f, std::uint32_t grade) {
    return grade < rows_[f].size() ? rows_[f][grade].get() : nullptr;
  }

  // Makes an empty row for a grade of a late feature: only the cost of the grade itself is known.
  CostRow* make_late(std::size_t f, std::uint32_t grade) {
    CostRow* row = new_row(f, grade);
    row->steps.assign(comparisons_[f].n_grades(), CostRow::kUnknown);
    row->steps[grade] = 0;
    n_kept_ += row->steps.size() * sizeof(Step);
    return row;
  }

  // As CostRow keeps it: the difference from a grade; if it is negative, the caller must set it.
  double& exact(CostRow& row, std::uint32_t grade) {
    n_kept_ -= row.exact.n_bytes();
    double& difference = row.exact[grade];
    n_kept_ += row.exact.n_bytes();
    return difference;
  }

  // Makes the row of a grade from differences, or lower bounds of them; `factor` converts these into steps.
  template <class FillDifferences>
  CostRow* make(std::size_t f, std::uint32_t grade, double factor, FillDifferences&& fill_differences) {
    const std::size_t n = comparisons_[f].n_grades();
    const double cap = comparisons_[f].cap();
    differences_.resize(n);
    fill_differences(differences_.data());
    CostRow* row = new_row(f, grade);  // now: what was interrupted is not kept
    if (grade < n) differences_[grade] = cap;
    row->steps.resize(n);
    row->is_capped = largest(differences_.data(), n) > cap * (1.0 + kRounding);
    row->least = to_steps(differences_.data(), n, cap, factor, row->steps.data());
    if (grade < n) row->steps[grade] = 0;
    if (comparisons_[f].is_shared(grade) || (n <= 1 && grade < n)) row->least = 0;
    n_kept_ += n * sizeof(Step);
    return row;
  }

 private:
  CostRow* new_row(std::size_t f, std::uint32_t grade) {
    if (grade >= rows_[f].size()) rows_[f].resize(std::max<std::size_t>(comparisons_[f].n_grades(), grade + 1));
    made_.emplace_back(f, grade);
    rows_[f][grade] = std::make_unique<CostRow>();
    return rows_[f][grade].get();
  }

  static double largest(const double* differences, std::size_t n) {
    return best_version(
        [](const double* differences, std::size_t n) CASEBASE_INLINE_LAMBDA {
          constexpr std::size_t kLanes = 8;  // a maximum each, which the compiler keeps in registers
          double most[kLanes] = {};
          std::size_t g = 0;
          for (; g + kLanes <= n; g += kLanes)
            for (std::size_t i = 0; i < kLanes; ++i)
              most[i] = most[i] < differences[g + i] ? differences[g + i] : most[i];
          for (; g < n; ++g) most[0] = most[0] < differences[g] ? differences[g] : most[0];
          return *std::max_element(most, most + kLanes);
        },
        differences, n);
  }

  // Converts differences into steps and returns the smallest of these.
  static Step to_steps(const double* differences, std::size_t n, double cap, double factor, Step* steps) {
    return best_version(
        [](const double* differences, std::size_t n, double cap, double factor, Step* steps) CASEBASE_INLINE_LAMBDA {
          for (std::size_t g = 0; g < n; ++g) {
            const double difference = differences[g] < cap ? differences[g] : cap;
            steps[g] = static_cast<Step>(static_cast<std::int32_t>(difference * factor));
          }
          Step least = 0xFFFF;
          for (std::size_t g = 0; g < n; ++g) least = steps[g] < least ? steps[g] : least;
          return least;
        },
        differences, n, cap, factor, steps);
  }

  static constexpr double kRounding = 1e-6;
  static constexpr std::size_t kMostKept = std::size_t{64} << 20;  // bytes

  const std::vector<Comparison>& comparisons_;
  std::vector<std::vector<std::unique_ptr<CostRow>>> rows_;  // by feature and asked grade
  std::vector<std::pair<std::size_t, std::uint32_t>> made_;
  std::vector<double> differences_;
  std::size_t n_kept_ = 0;
};

}  // namespace casebase
