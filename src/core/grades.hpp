// The columns by which rows of costs are looked up.
//
// Values that are compared by their classes cost what their profile costs. The profiles of a segment's values are
// written down as columns of their own, so that the search need not go by way of the value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "core/costs.hpp"
#include "core/memory.hpp"
#include "core/types.hpp"

namespace casebase {

// Gives a segment its grades, and keeps what they are made of.
class Grades {
 public:
  void add_to(Segment& segment, const std::vector<Comparison>& comparisons) {
    segment.grades = segment.columns;
    for (std::size_t f = 0; f < comparisons.size(); ++f) {
      if (comparisons[f].kind != Comparison::Kind::difference) continue;
      const std::size_t n_grades = comparisons[f].n_grades();
      const bool is_narrow = n_grades < std::numeric_limits<std::uint8_t>::max();
      const bool is_wide = n_grades >= std::numeric_limits<std::uint16_t>::max();
      segment.grades[f] = is_narrow ? made<std::uint8_t>(segment, f, comparisons[f], Column::Width::u8)
                          : is_wide ? made<std::uint32_t>(segment, f, comparisons[f], Column::Width::u32)
                                    : made<std::uint16_t>(segment, f, comparisons[f], Column::Width::u16);
    }
  }

 private:
  template <class Code>
  Column made(const Segment& segment, std::size_t f, const Comparison& comparison, Column::Width width) {
    auto codes = std::make_shared<std::vector<Code>>(segment.n_rows);
    for (std::size_t row = 0; row < segment.n_rows; ++row)
      (*codes)[row] = static_cast<Code>(comparison.grade(segment.columns[f].code(row)));
    kept_.push_back(codes);
    return {codes->data(), width};
  }

  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace casebase
