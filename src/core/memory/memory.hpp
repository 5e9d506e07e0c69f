// The stored cases as the search sees them.
//
// Cases lie in segments, each sorted by the symbolic features, the heaviest first. A memory that is fitted has one
// segment; cases that come later form further ones, and cases that go are only marked. The search treats all
// segments as one memory: rows are numbered through, and bounds found in one hold in the next.
#pragma once

#include <memory>
#include <vector>

#include "core/types.hpp"

namespace casebase {

// What a search reads of a segment: see layout.hpp.
struct Layout {
  std::size_t n_in_stem = 0;    // the features that the rows of a stem share; those after them are of rows
  std::vector<Row> starts;      // the first row of each stem, and the end of the last one
  std::vector<Row> stem_of;     // the stem of each row
  std::vector<Column> columns;  // the values of stems, or rows
  std::vector<Column> grades;   // the same as what their costs are looked up by
  std::vector<std::shared_ptr<const void>> kept;  // what these are made of
};

struct Segment {
  std::vector<Column> columns;  // in order of search: the symbolic ones by which rows are sorted, then the numeric ones
  std::size_t n_rows = 0;
  Row first_row = 0;                      // the number of its first row in the memory
  const std::uint8_t* removed = nullptr;  // per row, not 0 for a case that has been taken out
  const double* divisors = nullptr;       // per row, what its distance is divided by
  const Label* labels = nullptr;          // per row, for questions that leave a class out
  Layout layout = {};                     // what a search for neighbours reads

  bool is_removed(Row row) const { return removed != nullptr && removed[row] != 0; }
};

struct Memory {
  std::vector<Segment> segments;
  std::size_t n_features = 0;
  std::size_t n_symbolic = 0;
};

// A case's class, and how many cases it counts for, by its number in the memory.
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
