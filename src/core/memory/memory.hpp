// The stored cases as the search sees them.
//
// Cases are stored in segments, each sorted by the symbolic features, the heaviest first. A fitted memory has one
// segment; cases that are inserted later form further segments, and removed cases are only marked. The search treats
// all segments as one memory: rows are numbered consecutively, and a bound found in one segment holds in the next.
#pragma once

#include <memory>
#include <vector>

#include "core/types.hpp"

namespace casebase {

// The form of a segment that a graded search reads: see layout.hpp.
struct Layout {
  std::size_t n_in_stem = 0;                      // number of features that the rows of a stem share
  std::vector<Row> starts;                        // the first row of each stem, and the end of the last one
  std::vector<Row> stem_of;                       // the stem of each row
  std::vector<Column> columns;                    // the values of stems, or rows
  std::vector<Column> grades;                     // the grades of these values, by which costs are looked up
  std::vector<std::shared_ptr<const void>> kept;  // keeps the arrays behind these views alive
};

struct Segment {
  std::vector<Column> columns;  // in order of search: the symbolic ones by which rows are sorted, then the numeric ones
  std::size_t n_rows = 0;
  Row first_row = 0;                      // the number of its first row in the memory
  const std::uint8_t* removed = nullptr;  // per row, not 0 for a removed case
  const double* divisors = nullptr;       // per row, the divisor of its distance
  const Label* labels = nullptr;          // per row, for questions that exclude a class
  Layout layout = {};                     // for graded searches

  bool is_removed(Row row) const { return removed != nullptr && removed[row] != 0; }
};

struct Memory {
  std::vector<Segment> segments;
  std::size_t n_features = 0;
  std::size_t n_symbolic = 0;
};

// The class of a case and its weight, by its number in the memory.
struct LabelledSegment {
  Row first_row;
  const Label* labels;
  const double* counts;  // nullptr: each case counts once
};

struct Labelled {
  std::vector<LabelledSegment> segments;

  const LabelledSegment& of(Row row) const {
    std::size_t s = segments.size() - 1;
    while (segments[s].first_row > row) --s;
    return segments[s];
  }
};

}  // namespace casebase
