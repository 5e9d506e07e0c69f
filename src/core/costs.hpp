// What one feature of a question costs against every stored value.
//
// Where values just agree or not, that is one number. Where they differ more or less, it is a row of numbers, one
// per stored value, in steps for the scan. Rows are made when a search first needs them and kept for the next
// question with the same value: values of language repeat.
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
  std::size_t n_values() const { return kind == Kind::difference ? difference->n_values() : text->n_values(); }
};

struct CostRow {
  std::vector<Step> steps;    // per stored value
  std::vector<double> exact;  // per stored value, where the row holds differences as they are
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

  // To be called between questions: rows that are in use must stay.
  void make_room() {
    if (n_kept_ > kMostKept) clear();
  }

  // The row of an asked value; `factor` turns a difference into steps.
  const CostRow& of(std::size_t f, std::uint32_t code, const ValueDifference::Asked& asked, double factor,
                    bool may_be_kept) {
    if (!may_be_kept) {
      auto& row = rows_[f][kNotKept];
      row = std::make_unique<CostRow>();
      fill(f, code, asked, factor, *row);
      return *row;
    }
    auto& row = rows_[f][code];
    if (!row) {
      row = std::make_unique<CostRow>();
      fill(f, code, asked, factor, *row);
      n_kept_ += row->steps.size() * sizeof(Step) + row->exact.size() * sizeof(double);
    }
    return *row;
  }

 private:
  static constexpr std::size_t kMostKept = std::size_t{64} << 20;  // bytes
  static constexpr std::uint32_t kNotKept = 0xFFFFFFFFu;

  void fill(std::size_t f, std::uint32_t code, const ValueDifference::Asked& asked, double factor, CostRow& row) {
    const Comparison& comparison = comparisons_[f];
    const std::size_t n = comparison.n_values();
    const double cap = comparison.cap();
    differences_.resize(n);
    if (comparison.kind == Comparison::Kind::difference) {
      comparison.difference->from_all(asked, dense_, differences_.data());
    } else {
      const Text text = code < n ? comparison.text->text(code) : Text(*comparison.asked_texts, code - n);
      comparison.text->from_all(text, differences_.data());
      row.exact = differences_;
    }
    if (code < n) differences_[code] = 0.0;
    row.steps.resize(n);
    for (std::size_t v = 0; v < n; ++v) row.steps[v] = static_cast<Step>(std::min(differences_[v], cap) * factor);
    row.least = 0xFFFF;
    for (std::size_t v = 0; v < n; ++v)
      if (v != code) row.least = std::min(row.least, row.steps[v]);
    if (n <= 1 && code < n) row.least = 0;
  }

  const std::vector<Comparison>& comparisons_;
  std::vector<std::unordered_map<std::uint32_t, std::unique_ptr<CostRow>>> rows_;
  std::vector<double> differences_, dense_;
  std::size_t n_kept_ = 0;
};

}  // namespace casebase
