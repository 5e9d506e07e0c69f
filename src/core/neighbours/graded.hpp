// The search for graded metrics: values differ by degrees, by their classes or by their letters, and costs are looked
// up.
//
// It descends the sorted rows as the plain search does, but every other value has a cost of its own: runs of values
// past the k-th distance are skipped. Rows that share the heaviest features are first examined together, as one stem
// (layout.hpp). The features of a stem or row are looked up one after the other, until it is past the bound.
#pragma once

#include <algorithm>
#include <vector>

#include "core/memory/memory.hpp"
#include "core/memory/runs.hpp"
#include "core/neighbours/question.hpp"
#include "core/neighbours/reach.hpp"
#include "core/neighbours/seeds.hpp"
#include "core/neighbours/shortlist.hpp"
#include "core/neighbours/waiting.hpp"
#include "core/simd.hpp"
#include "core/types.hpp"

namespace casebase {

class GradedSearch {
 public:
  GradedSearch(const Memory& memory, Question& question, Reach& reach)
      : memory_(memory), question_(question), reach_(reach), seeds_of_(memory.segments.size()) {
    if (memory.n_symbolic == 0 || !question.comparisons().features[0].is_graded()) return;
    const std::size_t n_grades = question.comparisons().features[0].n_grades();
    for (const Segment& segment : memory.segments)
      first_runs_.emplace_back(segment.layout, n_positions(segment), n_grades);
  }

  // The parts still to be searched are kept on a stack, the most promising on top: there may be more features
  // than a thread has room for nested calls.
  void run(const Segment& segment, std::uint32_t first_feature) {
    segment_ = &segment;
    layout_ = &segment.layout;
    telling_stems_.forget();
    telling_rows_.forget();
    waiting_.begin(reach_.n_distances(), slack() + steps_of_ties());
    seeds_ = &seeds_of_[static_cast<std::size_t>(segment_ - memory_.segments.data())];
    if (first_feature == 0) look_at_seeds();
    const auto [begin, end] = first_feature < layout_->n_in_stem
                                  ? that_agree(question_, layout_->columns, n_positions(segment), first_feature)
                                  : that_agree(question_, segment.columns, segment.n_rows, first_feature);
    parts_.assign(1, Part{begin, end, first_feature, question_.base(), false});
    while (!parts_.empty()) {
      const Part part = parts_.back();
      parts_.pop_back();
      if (part.begin == part.end || part.base > reach_.steps()) continue;
      if (part.disagrees && part.f == 0 && question_.costs()[0].costs != nullptr)
        widen_by_cost(part);
      else if (part.disagrees)
        widen(part);
      else if (part.f >= memory_.n_symbolic || part.end - part.begin <= kScanFewBelow)
        scan(part.begin, part.end, part.f, part.base);
      else
        descend(part);
    }
    settle();
  }

 private:
  static constexpr std::size_t kScanBelow = 2 * kBlock;
  static constexpr std::size_t kScanFewBelow = 128;
  static constexpr std::size_t kFirstRows = 32;
  static constexpr std::size_t kTogether = 64;
  static constexpr std::size_t kMostToWait = 32;  // distances
  static constexpr Row kShortRun = 16;  // finding the end of such a run takes longer than looking up its costs

  static std::size_t n_positions(const Segment& segment) {
    return segment.layout.n_in_stem > 0 ? segment.layout.starts.size() - 1 : segment.n_rows;
  }

  // A first bound, before any other row is looked at.
  void look_at_seeds() {
    if (!may_wait() || !question_.may_be_tight()) return;
    seeds_->sums(question_, memory_.n_symbolic, memory_.n_features, [&](Row row, Step sum) {
      if (sum <= reach_.steps() && question_.is_candidate(row) && question_.is_tight(row, sum))
        tighten(waiting_.bound_by(sum));
    });
  }

  // The first position, at feature f + 1, of a position at f: they differ where stems end and rows begin.
  Row at_next(std::uint32_t f, Row position) const {
    return f + 1 == layout_->n_in_stem ? layout_->starts[position] : position;
  }

  // The positions begin … end - 1 at f, which agree there too.
  Part deeper(Row begin, Row end, std::uint32_t f, Step base) const {
    return {at_next(f, begin), at_next(f, end), f + 1, base, false};
  }

  // First the rows that agree at f too, then the rows on either side of them.
  void descend(const Part& part) {
    const auto [same_begin, same_end] =
        rows_with(layout_->columns[part.f], question_.code(part.f), part.begin, part.end);
    if (part.f == 0) question_.make_ready(0);
    if (part.f == 0 && question_.costs()[0].costs != nullptr) {
      same_ = same_begin < same_end ? same_begin : kNoRow;
      parts_.push_back({part.begin, part.end, 0, part.base, true});
      return parts_.push_back(deeper(same_begin, same_end, 0, part.base));
    }
    parts_.push_back({same_end, part.end, part.f, part.base, true});
    parts_.push_back({part.begin, same_begin, part.f, part.base, true});
    parts_.push_back(deeper(same_begin, same_end, part.f, part.base));
  }

  // Rows that all disagree with the query at f: a long run of one value is searched like the rest, short ones are
  // scanned together.
  void widen(Part part) {
    question_.make_ready(part.f);
    if (question_.costs()[part.f].costs != nullptr) return widen_by_runs(part);
    const Column& column = layout_->columns[part.f];
    const bool is_late = question_.is_late(part.f);
    while (part.begin < part.end && part.base + question_.least(part.f) <= reach_.steps()) {
      const std::size_t probe = part.begin + kScanBelow;
      if (probe < part.end && column.code(probe) == column.code(part.begin)) {
        const Row next = run_end(column, part.begin, part.end);
        const Step step = question_.step_of(part.f, part.begin);
        parts_.push_back({next, part.end, part.f, part.base, true});
        parts_.push_back(deeper(part.begin, next, part.f, static_cast<Step>(part.base + step)));
        return;
      }
      const Row next = std::min<Row>(part.end, part.begin + static_cast<Row>(kBlock));
      if (is_late)
        scan(part.begin, next, part.f, part.base);
      else
        scan(at_next(part.f, part.begin), at_next(part.f, next), part.f + 1,
             static_cast<Step>(part.base + question_.least(part.f)));
      part.begin = next;
    }
  }

  // The runs of equal values of the first feature, by their grades.
  struct FirstRuns {
    struct Run {
      Row begin, end;
    };
    std::vector<Run> runs;
    std::vector<std::uint32_t> first;  // of each grade, and the end of the last one

    FirstRuns(const Layout& layout, std::size_t n_positions, std::size_t n_grades) : first(n_grades + 1, 0) {
      const auto end = static_cast<Row>(n_positions);
      std::vector<Run> found;
      for (Row begin = 0; begin < end; begin = found.back().end) {
        found.push_back({begin, run_end(layout.columns[0], begin, end)});
        ++first[layout.grades[0].code(begin) + 1];
      }
      for (std::size_t g = 0; g < n_grades; ++g) first[g + 1] += first[g];
      runs.resize(found.size());
      std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
      for (const Run& run : found) runs[next[layout.grades[0].code(run.begin)]++] = run;
    }
  };

  // Positions that disagree with the query at the first feature, the cheapest values first: near rows give a tight
  // bound. The part stands for all values whose costs are at least part.base, whatever its positions. Those of the next
  // costs are searched, and the others are left for another part, which the bound may discard.
  void widen_by_cost(const Part& part) {
    const Step base = question_.base();
    const auto from = static_cast<Step>(part.base - base);
    const std::uint32_t within = reach_.is_open() ? 0 : reach_.steps() - base;
    const std::uint32_t next = std::max<std::uint32_t>({2u * from, question_.least(0), within / 4});
    const auto upto =
        static_cast<Step>(std::min<std::uint32_t>(next, (reach_.is_open() ? 0xFFFF : reach_.steps()) - base));
    list_grades(from, upto);
    if (base + upto < 0xFFFF) parts_.push_back({0, 1, 0, static_cast<Step>(base + upto + 1), true});
    const std::size_t n_parts = parts_.size();
    const FirstRuns& first = first_runs_[static_cast<std::size_t>(segment_ - memory_.segments.data())];
    Shortlist& near = layout_->n_in_stem > 1 ? stems_ : rows_;
    near.clear();
    for (std::size_t listed = 0; listed < n_listed_; ++listed) {
      const auto grade = static_cast<std::uint32_t>(grades_[listed]);
      const Step sum = static_cast<Step>(base + (grades_[listed] >> 32));
      if (sum > reach_.steps()) break;
      for (auto i = first.first[grade]; i < first.first[grade + 1]; ++i) {
        if (first.runs[i].begin == same_) continue;
        const Part run = deeper(first.runs[i].begin, first.runs[i].end, 0, sum);
        if (run.end - run.begin > kScanFewBelow) {
          parts_.push_back(run);
          continue;
        }
        for (Row at = run.begin; at < run.end; ++at) {
          near.add(at, sum);
          if (near.size() >= n_at_once()) look_at_near();
        }
      }
    }
    look_at_near();
    std::reverse(parts_.begin() + static_cast<std::ptrdiff_t>(n_parts), parts_.end());  // the nearest on top
  }

  // Lists the grades of the first feature with these costs, the cheapest first.
  void list_grades(Step from, Step upto) {
    const std::size_t n = question_.comparisons().features[0].n_grades();
    grades_.resize(n);
    n_listed_ = best_version(
        [](const Step* costs, std::size_t n, Step from, Step width, std::uint64_t* grades) CASEBASE_INLINE_LAMBDA {
          std::size_t n_listed = 0;
          for (std::size_t begin = 0; begin < n; begin += kTogether) {
            const std::size_t end = std::min(n, begin + kTogether);
            Step lowest = 0xFFFF;
            for (std::size_t g = begin; g < end; ++g) lowest = std::min(lowest, static_cast<Step>(costs[g] - from));
            if (lowest > width) continue;
            for (std::size_t g = begin; g < end; ++g)
              if (static_cast<Step>(costs[g] - from) <= width) grades[n_listed++] = std::uint64_t{costs[g]} << 32 | g;
          }
          return n_listed;
        },
        question_.costs()[0].costs, n, from, static_cast<Step>(upto - from), grades_.data());
    std::sort(grades_.begin(), grades_.begin() + static_cast<std::ptrdiff_t>(n_listed_));
  }

  void look_at_near() {
    if (layout_->n_in_stem <= 1) {
      look_at_rows(1);
      return rows_.clear();
    }
    if (stems_.size() == 0) return;
    stems_.add_features(question_,
                        telling_stems_.order(question_, 1, layout_->n_in_stem, stems_.size(),
                                             [&](std::size_t i) { return stems_.at(i); }),
                        reach_.steps());
    look_at_stems();
    stems_.clear();
  }

  // Runs of values past the bound are skipped.
  void widen_by_runs(Part part) {
    const Column& grades = layout_->grades[part.f];
    const Step* costs = question_.costs()[part.f].costs;
    detail::with_codes(layout_->columns[part.f], [&](const auto* codes) {
      Row pending = part.begin;  // positions from here to part.begin still have to be scanned
      while (part.begin < part.end && part.base + question_.least(part.f) <= reach_.steps()) {
        const bool is_whole = part.begin + kShortRun < part.end && codes[part.begin] == codes[part.begin + kShortRun];
        const Row next = is_whole ? static_cast<Row>(detail::run_end(codes, part.begin, part.end))
                                  : std::min(part.end, part.begin + kShortRun);
        const Step base = static_cast<Step>(part.base + (is_whole ? costs[grades.code(part.begin)] : 0));
        const bool is_long = is_whole && next - part.begin > kScanFewBelow;
        if (base > reach_.steps() || is_long) {
          if (pending < part.begin) scan(pending, part.begin, part.f, part.base);
          pending = next;
        }
        if (is_long && base <= reach_.steps()) {
          parts_.push_back({next, part.end, part.f, part.base, true});
          parts_.push_back(deeper(part.begin, next, part.f, base));
          return;
        }
        part.begin = next;
      }
      scan(pending, part.begin, part.f, part.base);
    });
  }

  void scan(Row begin, Row end, std::uint32_t f, Step base) {
    std::size_t n = 0;
    for (Row block = begin; block < end; block += static_cast<Row>(n)) {
      n = std::min<std::size_t>(f < layout_->n_in_stem ? kBlock : n_at_once(), end - block);
      scan_few(block, n, f, base);
    }
  }

  // Without a bound all costs of all rows must be looked up; a few rows suffice to find a bound.
  std::size_t n_at_once() const { return reach_.is_open() ? kFirstRows : kBlock; }

  // Positions whose costs are looked up one by one: rows, or stems and then their rows.
  void scan_few(Row block, std::size_t n, std::uint32_t f, Step base) {
    const auto position_at = [=](std::size_t i) { return block + static_cast<Row>(i); };
    if (f >= layout_->n_in_stem) {
      rows_.assign(block, n, base, question_, telling_rows_.order(question_, f, memory_.n_symbolic, n, position_at),
                   reach_.steps());
      return consider_listed();
    }
    stems_.assign(block, n, base, question_, telling_stems_.order(question_, f, layout_->n_in_stem, n, position_at),
                  reach_.steps());
    look_at_stems();
  }

  void look_at_stems() {
    if (reach_.is_open()) stems_.sort();  // near rows give a tight bound
    const auto next = static_cast<std::uint32_t>(layout_->n_in_stem);
    rows_.clear();
    for (std::size_t i = 0; i < stems_.size(); ++i) {
      const Row begin = layout_->starts[stems_.at(i)], end = layout_->starts[stems_.at(i) + 1];
      if (end - begin > kScanFewBelow) {
        parts_.push_back({begin, end, next, stems_.sum(i), false});
        continue;
      }
      for (Row row = begin; row < end && stems_.sum(i) <= reach_.steps(); ++row) {
        rows_.add(row, stems_.sum(i));
        if (rows_.size() < n_at_once()) continue;
        look_at_rows(next);
        rows_.clear();
      }
    }
    look_at_rows(next);
  }

  void look_at_rows(std::uint32_t f) {
    if (rows_.size() == 0) return;
    rows_.add_features(
        question_,
        telling_rows_.order(question_, f, memory_.n_symbolic, rows_.size(), [&](std::size_t i) { return rows_.at(i); }),
        reach_.steps());
    consider_listed();
  }

  // Examines the rows that are left when all symbolic features have been added.
  void consider_listed() {
    if (rows_.size() == 0) return;
    for (std::size_t number = memory_.n_symbolic; number < memory_.n_features; ++number)
      rows_.add_number(question_, number, reach_.steps());
    rows_.sort();
    for (std::size_t i = 0; i < rows_.size() && rows_.sum(i) <= reach_.steps(); ++i)
      consider(rows_.at(i), rows_.sum(i));
  }

  // A row waits for its exact distance as long as sums of steps bound the k-th one.
  void consider(Row row, Step sum) {
    if (!question_.is_candidate(row)) return;
    if (!may_wait() || sum == 0xFFFF || !question_.is_tight(row, sum)) return reach_.measure(row);
    tighten(waiting_.add(row, sum));
    if (waiting_.are_many()) settle();
  }

  // Whether sums of steps can bound the k-th distance at all.
  bool may_wait() const { return reach_.n_distances() <= kMostToWait && segment_->divisors == nullptr; }

  void tighten(std::uint32_t kth_sum) {
    if (kth_sum != WaitingRows::kNone) reach_.tighten((kth_sum + slack()) / question_.scale());
  }

  void settle() {
    waiting_.settle([&] { return reach_.steps(); },
                    [&](const Row* rows, std::size_t n) {
                      for (std::size_t i = 0; i < n; ++i) seeds_->add(rows[i]);
                      reach_.measure(rows, n);
                    });
  }

  // A step per feature, and one for rounding.
  std::uint32_t slack() const { return static_cast<std::uint32_t>(memory_.n_features) + 1; }

  // The whole steps within which distances are equal: many where all weights are tiny.
  std::uint32_t steps_of_ties() const {
    return static_cast<std::uint32_t>(std::min(kEpsilon * question_.scale(), kStepsInAll));
  }

  const Memory& memory_;
  Question& question_;
  Reach& reach_;
  std::vector<FirstRuns> first_runs_;  // by segment
  const Segment* segment_ = nullptr;   // the current one
  const Layout* layout_ = nullptr;     // of that segment
  Row same_ = 0;                       // the first position that agrees with the query at the first feature
  std::vector<std::uint64_t> grades_;  // steps in the high bits, a grade in the low bits
  std::size_t n_listed_ = 0;           // of these
  Telling telling_stems_, telling_rows_;
  Shortlist stems_, rows_;
  WaitingRows waiting_;
  std::vector<Seeds> seeds_of_;  // by segment
  Seeds* seeds_ = nullptr;       // of the current one
  std::vector<Part> parts_;
};

}  // namespace casebase
