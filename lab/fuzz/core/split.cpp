// libFuzzer harness of the splitter of texts (`make fuzz-core`): any bytes, with every rule, one thread against three.
//
// The sanitisers watch the memory; what several threads read must equal what one reads.
#include "core/formats/split.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "core/formats/listed.hpp"
#include "core/formats/quoted.hpp"

namespace {

bool are_equal(const casebase::SplitText& one, const casebase::SplitText& other) {
  if (one.problem.has_value() != other.problem.has_value()) return false;
  if (one.problem) return true;
  if (one.columns.size() != other.columns.size() || one.n_lines != other.n_lines) return false;
  for (std::size_t i = 0; i < one.columns.size(); ++i) {
    const casebase::SplitColumn& a = one.columns[i];
    const casebase::SplitColumn& b = other.columns[i];
    if (a.codes != b.codes || a.values.bytes != b.values.bytes || a.values.offsets != b.values.offsets) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  using Kind = casebase::SplitRule::Kind;
  const casebase::SplitRule rules[] = {
      {.kind = Kind::blanks},
      {.kind = Kind::separator, .separator = static_cast<char>(data[1])},
      {.kind = Kind::separator, .separator = ',', .trim = true, .final_dot = true},
      {.kind = Kind::width, .width = 1 + data[1] % 4u},
      {.kind = Kind::arff},
  };
  const casebase::SplitRule& rule = rules[data[0] % 5];
  const std::size_t n_fields = data[0] & 0x80 ? data[0] % 16u : 0;
  const char* begin = reinterpret_cast<const char*>(data) + 2;
  const char* end = reinterpret_cast<const char*>(data) + size;
  const casebase::SplitText one = casebase::split_text(begin, end, rule, n_fields, 1);
  // Threads are slow to start: a third of the inputs is split by them.
  if (size % 3 == 0 && !are_equal(one, casebase::split_text(begin, end, rule, n_fields, 3))) std::abort();
  const casebase::ListedRule listed{data[0] % 2 == 0, data[1] % 2 == 0, 1 + data[1] % 16u, "0"};
  const casebase::ListedText lines = casebase::split_listed(begin, end, listed, size % 5 == 0 ? 3 : 1);
  for (const casebase::ListedFeature& feature : lines.features)
    if (!lines.problem && casebase::dense_codes(feature, lines.n_rows).size() != lines.n_rows) std::abort();
  const casebase::RowEnds ends = casebase::row_ends(begin, end, static_cast<char>(data[1]));
  if (ends.last > size - 2 || (ends.last && begin[ends.last - 1] != '\n')) std::abort();
  return 0;
}
