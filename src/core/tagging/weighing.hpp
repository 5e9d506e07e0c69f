// Words with several candidate tags, weighed side by side by a committee.
//
// A search through large trees waits for memory most of the time. So all memories are searched for many words at once,
// step by step, and what the next step reads is asked for one round before. The logarithms of all estimates are taken
// in one loop.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/simd.hpp"
#include "core/tagging/child_index.hpp"
#include "core/tagging/committee.hpp"

namespace casebase {

// The natural logarithm of a positive normal number, within two units in the last place: without branches, so that
// loops of it become vectors.
CASEBASE_INLINE double vector_log(double x) {
  constexpr std::uint64_t kRootOfHalf = 0x3FE6A09E667F3BCD, kOne = 0x3FF0000000000000, kMantissa = 0xFFFFFFFFFFFFF;
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits += kOne - kRootOfHalf;
  const std::uint64_t exponent_bits = (bits >> 52) | 0x4330000000000000;  // 2^52 plus the exponent
  const std::uint64_t mantissa_bits = (bits & kMantissa) + kRootOfHalf;
  double exponent, mantissa;
  std::memcpy(&exponent, &exponent_bits, sizeof exponent);
  std::memcpy(&mantissa, &mantissa_bits, sizeof mantissa);
  exponent -= 4503599627370496.0 + 1023.0;
  // ln(1 + f) = 2 artanh(s) with s = f / (2 + f): a series in s², |s| < 0.172.
  const double f = mantissa - 1.0, s = f / (2.0 + f), z = s * s;
  double series = 1.0 / 19.0;
  series = series * z + 1.0 / 17.0;
  series = series * z + 1.0 / 15.0;
  series = series * z + 1.0 / 13.0;
  series = series * z + 1.0 / 11.0;
  series = series * z + 1.0 / 9.0;
  series = series * z + 1.0 / 7.0;
  series = series * z + 1.0 / 5.0;
  series = series * z + 1.0 / 3.0;
  return exponent * 0.6931471805599453 + 2.0 * (s + s * z * series);
}

inline void take_logs(double* numbers, std::size_t n) {
  best_version(
      [](double* all, std::size_t n_all) CASEBASE_INLINE_LAMBDA {
        for (std::size_t i = 0; i < n_all; ++i) all[i] = vector_log(all[i]);
      },
      numbers, n);
}

class Weighing {
 public:
  std::size_t size() const { return questions_.size(); }
  const CandidateList& candidates(std::size_t question) const { return *questions_[question].candidates; }

  void clear() {
    questions_.clear();
    values_.clear();
    searches_.clear();
  }

  // Asks about a token; `tags` are those of the words before.
  void ask(const MemoryGroup& group, const CandidateList& candidates, std::size_t token, std::size_t begin,
           std::size_t end, const std::uint32_t* tags) {
    const Question question{&group, &candidates, values_.size(), 0, 0, 0, 0};
    for (const ContextMemory& memory : group.memories) {
      const auto next = static_cast<std::uint32_t>(values_.size());
      searches_.push_back({&memory.tree, next, next + static_cast<std::uint32_t>(memory.levels.size())});
      for (const ContextFeature& feature : memory.levels) values_.push_back(feature.value(token, begin, end, tags));
    }
    questions_.push_back(question);
  }

  // Finds the scores of all candidates that were asked about.
  void answer() {
    find_contexts();
    list_contexts();
    estimate();
    take_logs(logs_.data(), n_logs_);
    score();
  }

  // The joint log score of each candidate over all memories, up to a constant.
  const double* scores(std::size_t question) const { return scores_.data() + questions_[question].first_score; }

  // Calls `work(memory, level, node, logs, before)` for each context of a question that was met, memory by memory, with
  // the logs of the candidates' estimates in this context and in the next wider one.
  template <class Work>
  void for_contexts(std::size_t question, const Work& work) const {
    const Question& asked = questions_[question];
    const std::size_t n = asked.candidates->size();
    const double* logs = logs_.data() + asked.first_log;
    std::size_t place = asked.first_value;
    for (const ContextMemory& memory : asked.group->memories) {
      const double* before = asked.candidates->logs();
      for (std::size_t level = 0; level < memory.levels.size(); ++level) {
        if (nodes_[place + level] == ContextTreeView::kNone) break;
        work(memory, level, nodes_[place + level], logs, before);
        before = logs;
        logs += n;
      }
      place += memory.levels.size();
    }
  }

 private:
  struct Question {
    const MemoryGroup* group;
    const CandidateList* candidates;
    std::size_t first_value, first_log, first_score;
    std::size_t first_met, end_met;
  };

  // The way of one question through the tree of one memory: the values from `next` to `end` are not looked up yet.
  struct Search {
    const ContextTreeView* tree;
    std::uint32_t next, end;
    std::uint32_t node = 0;
    std::uint32_t found = ContextTreeView::kNone;  // perhaps the child with the next value
  };

  // A context of a question that was met.
  struct Met {
    const ContextTreeView* tree;
    const ContextNode* node;
    double weight;
    bool is_widest;  // of its memory
  };

  // Writes the nodes of all contexts that were met; behind the narrowest one of a memory follow kNone.
  void find_contexts() {
    nodes_.assign(values_.size(), ContextTreeView::kNone);
    std::size_t n_left = searches_.size();
    while (n_left > 0) {
      for (std::size_t i = 0; i < n_left; ++i) begin_level(searches_[i]);
      for (std::size_t i = 0; i < n_left; ++i) look(searches_[i]);
      std::size_t n_next = 0;
      for (std::size_t i = 0; i < n_left; ++i)
        if (end_level(searches_[i])) searches_[n_next++] = searches_[i];
      n_left = n_next;
    }
  }

  // The children with codes that are consecutive need no search, and few ones no index.
  static bool is_in_place(const Search& search) { return search.tree->is_dense && search.node == 0; }
  static bool is_indexed(const Search& search, std::size_t n_children) {
    return search.tree->index != nullptr && n_children > ChildIndex::kFew;
  }

  void begin_level(const Search& search) const {
    if (is_in_place(search)) return;
    const ContextNode& node = search.tree->nodes[search.node];
    const std::size_t n = node.end_child - node.first_child;
    if (is_indexed(search, n)) return search.tree->index->will_look(search.node, values_[search.next]);
    will_read(search.tree->values + node.first_child + n / 2);
  }

  void look(Search& search) const {
    const ContextTreeView& tree = *search.tree;
    const ContextNode& node = tree.nodes[search.node];
    const std::uint32_t wanted = values_[search.next];
    const std::size_t n = node.end_child - node.first_child;
    if (is_in_place(search)) {
      search.found = wanted < n ? node.first_child + wanted : ContextTreeView::kNone;
    } else if (is_indexed(search, n)) {
      search.found = tree.index->find(search.node, wanted, [](std::uint32_t) { return true; });
      will_read(tree.values + search.found);
    } else {
      search.found = tree.child(search.node, wanted);
    }
    will_read(tree.nodes + search.found);
  }

  // Takes what was found; whether there is another level to search.
  bool end_level(Search& search) {
    if (search.found == ContextTreeView::kNone) return false;
    const ContextTreeView& tree = *search.tree;
    const ContextNode& above = tree.nodes[search.node];
    const std::uint32_t wanted = values_[search.next];
    const auto is_wanted = [&](std::uint32_t child) {
      return tree.values[child] == wanted && child >= above.first_child && child < above.end_child;
    };
    if (is_indexed(search, above.end_child - above.first_child) && !is_in_place(search) && !is_wanted(search.found)) {
      search.found = tree.index->find(search.node, wanted, is_wanted);
      if (search.found == ContextTreeView::kNone) return false;
    }
    search.node = nodes_[search.next] = search.found;
    return ++search.next < search.end;
  }

  // Lists the contexts that were met, by question and memory, and asks for what their estimates read.
  void list_contexts() {
    met_.clear();
    n_logs_ = 0;
    for (Question& question : questions_) {
      question.first_met = met_.size();
      question.first_log = n_logs_;
      const std::uint32_t* const candidates = question.candidates->tags();
      const std::size_t n = question.candidates->size();
      const std::uint32_t* node = nodes_.data() + question.first_value;
      for (const ContextMemory& memory : question.group->memories) {
        const std::size_t n_levels = memory.levels.size();
        for (std::size_t level = 0; level < n_levels && node[level] != ContextTreeView::kNone; ++level) {
          const ContextNode& met = memory.tree.nodes[node[level]];
          met_.push_back({&memory.tree, &met, memory.weights[level], level == 0});
          if (const std::uint32_t* const row = memory.tree.row_of(met)) {
            for (std::size_t c = 0; c < n; ++c) will_read(row + candidates[c]);
          } else {
            will_read(memory.tree.counts + met.first_count);
            will_read(memory.tree.counts + met.end_count - 1);
          }
        }
        node += n_levels;
      }
      question.end_met = met_.size();
      n_logs_ += (question.end_met - question.first_met) * n;
    }
    if (logs_.size() < n_logs_) logs_.resize(n_logs_);
  }

  // Calls `work` for a question with the number of its candidates, which for most is known to the compiler.
  template <class Work>
  static void for_number(const Question& question, const Work& work) {
    switch (question.candidates->size()) {
      case 2:
        return work(std::integral_constant<std::size_t, 2>{});
      case 3:
        return work(std::integral_constant<std::size_t, 3>{});
      case 4:
        return work(std::integral_constant<std::size_t, 4>{});
      default:
        return work(question.candidates->size());
    }
  }

  // Writes the estimates of the candidates in all contexts that were met.
  void estimate() {
    for (const Question& question : questions_)
      for_number(question, [&](auto n) {
        const Caution& caution = question.group->caution;
        const std::uint32_t* const candidates = question.candidates->tags();
        const double* const shares = question.candidates->shares();
        double* after = logs_.data() + question.first_log;
        for (std::size_t i = question.first_met; i < question.end_met; ++i, after += n)
          correct(caution, met_[i], candidates, n, met_[i].is_widest ? shares : after - n, after);
      });
  }

  // The estimates of candidates, by ascending tag, in a context, from those in the wider one.
  template <class Number>
  static void correct(const Caution& caution, const Met& met, const std::uint32_t* candidates, Number n,
                      const double* before, double* after) {
    const ContextNode& node = *met.node;
    const std::size_t n_counts = node.end_count - node.first_count;
    const auto [unit, kept] = caution.shares(n_counts, node.total);
    if (const std::uint32_t* const row = met.tree->row_of(node)) {
      for (std::size_t c = 0; c < n; ++c) after[c] = before[c] * kept + row[candidates[c]] * unit;
      return;
    }
    const TagCount* const counts = met.tree->counts + node.first_count;
    constexpr std::size_t kFew = 8;
    if constexpr (!std::is_same_v<Number, std::size_t>) {
      if (n_counts <= kFew) {  // one loop over the counts for all candidates
        std::uint32_t found[Number::value] = {};
        for (std::size_t i = 0; i < n_counts; ++i)
          for (std::size_t c = 0; c < n; ++c) found[c] |= counts[i].tag == candidates[c] ? counts[i].count : 0;
        for (std::size_t c = 0; c < n; ++c) after[c] = before[c] * kept + found[c] * unit;
        return;
      }
    }
    for (std::size_t c = 0; c < n; ++c) after[c] = before[c] * kept + count_of(candidates[c], counts, n_counts) * unit;
  }

  void score() {
    std::size_t n_scores = 0;
    for (Question& question : questions_) {
      question.first_score = n_scores;
      n_scores += question.candidates->size();
    }
    scores_.resize(n_scores);
    for (const Question& question : questions_)
      for_number(question, [&](auto n) {
        const double* const of_word = question.candidates->logs();
        double* const scores = scores_.data() + question.first_score;
        for (std::size_t c = 0; c < n; ++c) scores[c] = question.group->start * of_word[c];
        const double* now = logs_.data() + question.first_log;
        for (std::size_t i = question.first_met; i < question.end_met; ++i, now += n) {
          const double* const before = met_[i].is_widest ? of_word : now - n;
          for (std::size_t c = 0; c < n; ++c) scores[c] += met_[i].weight * (now[c] - before[c]);
        }
      });
  }

  std::vector<Question> questions_;
  std::vector<std::uint32_t> values_, nodes_;  // by question, memory and level
  std::vector<Search> searches_;
  std::vector<Met> met_;
  std::size_t n_logs_ = 0;
  std::vector<double> logs_, scores_;
};

}  // namespace casebase
