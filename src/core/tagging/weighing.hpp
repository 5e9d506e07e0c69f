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
#include <vector>

#include "core/simd.hpp"
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
    Question question{&group, &candidates, values_.size(), 0, 0};
    for (const ContextMemory& memory : group.memories) {
      searches_.push_back({&memory.tree, values_.size(), values_.size() + memory.levels.size()});
      for (const ContextFeature& feature : memory.levels) values_.push_back(feature.value(token, begin, end, tags));
    }
    questions_.push_back(question);
  }

  // Finds the scores of all candidates that were asked about.
  void answer() {
    find_contexts();
    estimate();
    take_logs(logs_.data(), logs_.size());
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
  };

  // The way of one question through the tree of one memory: the values from `next` to `end` are not looked up yet.
  struct Search {
    const ContextTreeView* tree;
    std::size_t next, end;
    std::uint32_t node = 0;
    const std::uint32_t* among = nullptr;  // the children's values that may be the wanted one
    std::size_t n_among = 0;
  };

  // Writes the nodes of all contexts that were met; behind the narrowest one of a memory follow kNone.
  void find_contexts() {
    nodes_.assign(values_.size(), ContextTreeView::kNone);
    std::size_t n_left = searches_.size();
    while (n_left > 0) {
      for (std::size_t i = 0; i < n_left; ++i) begin_level(searches_[i]);
      for (std::size_t i = 0; i < n_left; ++i) look_at_place(searches_[i]);
      for (bool is_any = true; is_any;) {
        is_any = false;
        for (std::size_t i = 0; i < n_left; ++i) is_any |= narrow(searches_[i]);
      }
      std::size_t n_next = 0;
      for (std::size_t i = 0; i < n_left; ++i)
        if (end_level(searches_[i])) searches_[n_next++] = searches_[i];
      n_left = n_next;
    }
  }

  void begin_level(Search& search) const {
    const ContextTreeView& tree = *search.tree;
    const ContextNode& node = tree.nodes[search.node];
    search.among = tree.values + node.first_child;
    search.n_among = node.end_child - node.first_child;
    const std::uint32_t wanted = values_[search.next];
    will_read(search.among + (wanted < search.n_among ? wanted : search.n_among / 2));
  }

  // Codes that are consecutive need no search.
  void look_at_place(Search& search) const {
    const std::uint32_t wanted = values_[search.next];
    if (wanted < search.n_among && search.among[wanted] == wanted) {
      search.among += wanted;
      search.n_among = 1;
    } else {
      will_read(search.among + search.n_among / 2);
    }
  }

  // One step of a binary search; whether another one follows.
  bool narrow(Search& search) const {
    if (search.n_among <= 1) return false;
    const std::size_t half = search.n_among / 2;
    search.among += half * static_cast<std::size_t>(search.among[half - 1] < values_[search.next]);
    search.n_among -= half;
    will_read(search.among + search.n_among / 2);
    return search.n_among > 1;
  }

  // Takes what was found; whether there is another level to search.
  bool end_level(Search& search) {
    const ContextTreeView& tree = *search.tree;
    const std::uint32_t wanted = values_[search.next];
    const std::uint32_t grown = search.n_among == 0 ? ContextTreeView::kNone : tree.at(search.among, wanted);
    search.node = tree.met(search.node, wanted, grown);
    if (search.node == ContextTreeView::kNone) return false;
    nodes_[search.next] = search.node;
    will_read(tree.nodes + search.node);
    return ++search.next < search.end;
  }

  // Writes the estimates of the candidates in all contexts that were met.
  void estimate() {
    for_nodes([this](const ContextMemory& memory, std::uint32_t node, const Question& question) {
      const ContextNode& met = memory.tree.nodes[node];
      const std::uint32_t* const row = memory.tree.row_of(met);
      if (row == nullptr) {
        const TagCount* const counts = memory.tree.counts;
        will_read(counts + met.first_count);
        return will_read(counts + met.end_count - 1);
      }
      const std::uint32_t* const candidates = question.candidates->tags();
      for (std::size_t c = 0; c < question.candidates->size(); ++c) will_read(row + candidates[c]);
    });
    logs_.clear();
    const Question* last = nullptr;
    const ContextMemory* of = nullptr;
    for_nodes([&](const ContextMemory& memory, std::uint32_t node, Question& question) {
      if (last != &question) question.first_log = logs_.size();
      const bool is_first = last != &question || of != &memory;
      last = &question;
      of = &memory;
      const std::size_t n = question.candidates->size(), at = logs_.size();
      logs_.resize(at + n);
      const double* before = is_first ? question.candidates->shares() : logs_.data() + at - n;
      correct(question.group->caution, memory.tree, node, question.candidates->tags(), n, before, logs_.data() + at);
    });
  }

  template <class Work>
  void for_nodes(const Work& work) {
    for (Question& question : questions_) {
      std::size_t place = question.first_value;
      for (const ContextMemory& memory : question.group->memories) {
        for (std::size_t level = 0; level < memory.levels.size(); ++level) {
          if (nodes_[place + level] == ContextTreeView::kNone) break;
          work(memory, nodes_[place + level], question);
        }
        place += memory.levels.size();
      }
    }
  }

  // The estimates of candidates, by ascending tag, in a context, from those in the wider one.
  static void correct(const Caution& caution, const ContextTreeView& tree, std::uint32_t node,
                      const std::uint32_t* candidates, std::size_t n, const double* before, double* after) {
    const ContextNode& met = tree.nodes[node];
    const TagCount* counts = tree.counts + met.first_count;
    const std::size_t n_counts = met.end_count - met.first_count;
    const auto [unit, kept] = caution.shares(n_counts, met.total);
    if (const std::uint32_t* const row = tree.row_of(met)) {
      for (std::size_t c = 0; c < n; ++c) after[c] = before[c] * kept + row[candidates[c]] * unit;
      return;
    }
    for (std::size_t c = 0; c < n; ++c) after[c] = before[c] * kept + count_of(candidates[c], counts, n_counts) * unit;
  }

  void score() {
    scores_.clear();
    for (std::size_t q = 0; q < questions_.size(); ++q) {
      Question& question = questions_[q];
      const std::size_t n = question.candidates->size();
      question.first_score = scores_.size();
      scores_.resize(scores_.size() + n);
      double* scores = scores_.data() + question.first_score;
      const double* logs = question.candidates->logs();
      for (std::size_t c = 0; c < n; ++c) scores[c] = question.group->start * logs[c];
      for_contexts(q, [&](const ContextMemory& memory, std::size_t level, std::uint32_t, const double* now,
                          const double* before) {
        for (std::size_t c = 0; c < n; ++c) scores[c] += memory.weights[level] * (now[c] - before[c]);
      });
    }
  }

  std::vector<Question> questions_;
  std::vector<std::uint32_t> values_, nodes_;  // by question, memory and level
  std::vector<Search> searches_;
  std::vector<double> logs_, scores_;
};

}  // namespace casebase
