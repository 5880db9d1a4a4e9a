// The yardstick: what a good programmer writes in an afternoon, to be compared with and never tuned.
//
// The forced line and all games with loops or piles are searched depth first, with an unordered_set
// of the exact positions seen; the search stops at the first win and otherwise finds the smallest
// remainder. A straight line with optional discards is decided by the plain cubic program on nested
// intervals. Nothing is shared with the search that it is compared with, so it is also a witness
// for its answers.
//
//     g++ -O3 -march=native -std=c++17 -o yardstick yardstick.cc
//     ./yardstick totals=10,20,30 reach=any pack=1,2,3,... deals=100000 seed=1
//     ./yardstick totals=10,20,30 reach=any < deals      one deal a line: values, blanks between
//
// Rules are given as field=number (max_cards=0 is no limit); those not given are the standard
// game's. With a pack it shuffles and solves, and prints one JSON object with processor time in
// microseconds a deal; without, it prints "winnable remaining" a deal (-1 where there is none).

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

using Cards = std::string;  // point values, one byte a card

struct Rules {
    std::vector<int> totals{10, 20, 30};
    int min_cards = 2;
    int max_cards = 0;
    bool wrap = false;
    std::string reach = "any";
    int piles = 1;
    int opening = 3;
    bool optional = false;
    bool recycle = false;
    int target = 0;
};

constexpr int kMostCards = 104;
constexpr int kNoRemainder = kMostCards + 1;

// Which totals make a set; those no cards can have are left out.
struct Totals {
    explicit Totals(const Rules& rules) {
        most = std::min(rules.totals.back(), 255 * kMostCards);
        is_set.assign(most + 1, false);
        for (int total : rules.totals)
            if (total <= most) is_set[total] = true;
    }

    int most;
    std::vector<char> is_set;
};

// -------------------------------------------------------------------------------- the forced line

class Line {
  public:
    explicit Line(const Rules& rules) : rules_(rules), totals_(rules) {
        longest_ = rules.max_cards ? rules.max_cards : kMostCards;
    }

    int solve(const Cards& deal) {
        seen_.clear();
        line_.clear();
        deal_ = deal;
        best_ = kNoRemainder;
        turn(0);
        return best_;
    }

  private:
    const Rules& rules_;
    const Totals totals_;
    int longest_;

    std::unordered_set<std::string> seen_;
    Cards deal_, line_;
    int best_;

    // Try everything from here on, with no set in the line. True once the game is won.
    bool turn(int dealt) {
        const int cards = static_cast<int>(deal_.size());
        if (dealt == cards) {
            best_ = std::min(best_, static_cast<int>(line_.size()));
            return best_ <= rules_.target;
        }
        std::string key = line_;
        key.push_back(static_cast<char>(dealt));
        if (!seen_.insert(key).second) return false;
        line_.push_back(deal_[dealt]);
        if (discard(dealt + 1)) return true;
        line_.pop_back();
        return false;
    }

    bool discard(int dealt) {
        const int live = std::min<int>(rules_.opening, static_cast<int>(deal_.size()));
        if (dealt < live) return turn(dealt);
        bool taken = false;
        const int size = static_cast<int>(line_.size());
        // Only when the line becomes live can a set end before the card just dealt.
        for (int end = size; end > (dealt == live ? 0 : size - 1); --end) {
            int total = 0;
            for (int start = end - 1; start >= 0 && end - start <= longest_; --start) {
                total += static_cast<uint8_t>(line_[start]);
                if (total > totals_.most) break;
                if (end - start < rules_.min_cards || !totals_.is_set[total]) continue;
                taken = true;
                const Cards tail = line_.substr(start);
                line_.erase(start, end - start);
                if (dealt == live ? discard(dealt) : turn(dealt)) return true;
                line_.resize(start);
                line_ += tail;
            }
        }
        return !taken && turn(dealt);
    }
};

// ------------------------------------------------------------------------------- loops and piles

class Search {
  public:
    explicit Search(const Rules& rules) : rules_(rules), totals_(rules) {
        longest_ = rules.max_cards ? rules.max_cards : kMostCards;
    }

    // The remainder of a win, or the smallest one; kNoRemainder if no play counts.
    int solve(const Cards& deal) {
        seen_.clear();
        piles_.assign(rules_.piles, Cards());
        received_.assign(rules_.piles, 0);
        stock_ = deal;
        next_card_ = 0;
        best_ = kNoRemainder;
        visit(-1);
        return best_;
    }

  private:
    struct Run {
        int pile, start, size;  // start + size may go beyond the pile's end: round the seam
    };

    const Rules& rules_;
    const Totals totals_;
    int longest_;

    std::unordered_set<std::string> seen_;
    std::vector<Cards> piles_;
    std::vector<int> received_;
    Cards stock_;
    size_t next_card_;
    int best_;
    std::string key_;

    bool stock_is_empty() const { return next_card_ == stock_.size(); }

    bool eliminated(int pile) const {
        return rules_.piles > 1 && piles_[pile].empty() && received_[pile] > 0;
    }

    bool cleared() const {
        for (int pile = 0; pile < rules_.piles; ++pile)
            if (!eliminated(pile)) return false;
        return true;
    }

    // Whether this position, with `last` the pile that was dealt to last, has not been seen yet.
    bool is_new(int last) {
        key_.clear();
        if (rules_.recycle)
            key_.append(stock_, next_card_, std::string::npos).push_back('\0');
        else
            key_.push_back(static_cast<char>(next_card_));
        if (rules_.piles > 1) {
            key_.push_back(static_cast<char>(last));
            for (int received : received_)
                key_.push_back(static_cast<char>(std::min(received, rules_.opening)));
        }
        for (const Cards& pile : piles_) key_.append(pile).push_back('\0');
        return seen_.insert(key_).second;
    }

    void add_if_set(std::vector<Run>& runs, int pile, int start, int size, int total) const {
        if (size >= rules_.min_cards && totals_.is_set[total]) runs.push_back({pile, start, size});
    }

    // Sets with the pile's last card: some cards of its back, in a loop with some of its front.
    void add_sets_with_last(std::vector<Run>& runs, int pile) const {
        const Cards& cards = piles_[pile];
        const int n = static_cast<int>(cards.size());
        int back_total = 0;
        for (int back = 1; back <= std::min(n, longest_); ++back) {
            back_total += static_cast<uint8_t>(cards[n - back]);
            if (back_total > totals_.most) break;
            add_if_set(runs, pile, n - back, back, back_total);
            if (!rules_.wrap) continue;
            int total = back_total;
            for (int front = 1; front < n - back && front + back <= longest_; ++front) {
                total += static_cast<uint8_t>(cards[front - 1]);
                if (total > totals_.most) break;
                add_if_set(runs, pile, n - back, back + front, total);
            }
        }
    }

    void add_all_sets(std::vector<Run>& runs, int pile) const {
        const Cards& cards = piles_[pile];
        const int n = static_cast<int>(cards.size());
        for (int start = 0; start < n; ++start) {
            const int room = rules_.wrap ? (start ? n - 1 : n) : n - start;
            int total = 0;
            for (int size = 1; size <= std::min(room, longest_); ++size) {
                const int place = start + size - 1;
                total += static_cast<uint8_t>(cards[place < n ? place : place - n]);
                if (total > totals_.most) break;
                if (rules_.reach == "ends" && start > 0 && start + size < n) continue;
                add_if_set(runs, pile, start, size, total);
            }
        }
    }

    // In a line that held no set before a card was dealt to it, each set contains that card.
    bool last_card_is_needed(int pile) const {
        if (rules_.reach == "top") return true;
        return !rules_.optional && !rules_.wrap && received_[pile] > rules_.opening;
    }

    std::vector<Run> legal_sets(int last) const {
        std::vector<Run> runs;
        const bool all = rules_.optional || stock_is_empty();
        for (int pile = all ? 0 : last; pile <= (all ? rules_.piles - 1 : last); ++pile) {
            if (!stock_is_empty() && received_[pile] < rules_.opening) continue;
            if (last_card_is_needed(pile))
                add_sets_with_last(runs, pile);
            else
                add_all_sets(runs, pile);
        }
        return runs;
    }

    void take(const Run& run) {
        Cards& pile = piles_[run.pile];
        const size_t end = run.start + run.size;
        const size_t front = end > pile.size() ? end - pile.size() : 0;
        if (rules_.recycle) {
            stock_.append(pile, 0, front);
            stock_.append(pile, run.start, run.size - front);
        }
        pile.erase(run.start, run.size - front);
        pile.erase(0, front);
    }

    // Try everything from this position on. True once the game is won.
    bool visit(int last) {
        if (cleared()) {
            best_ = 0;
            return true;
        }
        std::vector<Run> runs;
        if (last >= 0) runs = legal_sets(last);
        // In the middle of a turn a forced game has too few ways to go on to be worth remembering.
        const bool end_of_turn = runs.empty() || rules_.optional || stock_is_empty();
        if (end_of_turn && !is_new(last)) return false;
        for (const Run& run : runs) {
            const Cards before = piles_[run.pile];
            const size_t stock_size = stock_.size();
            take(run);
            if (visit(last)) return true;
            piles_[run.pile] = before;
            stock_.resize(stock_size);
        }
        if (!runs.empty() && !rules_.optional) return false;
        return stock_is_empty() ? end() : deal(last);
    }

    bool deal(int last) {
        int pile = last;
        do pile = (pile + 1) % rules_.piles;
        while (eliminated(pile));
        piles_[pile].push_back(stock_[next_card_++]);
        ++received_[pile];
        if (visit(pile)) return true;
        --received_[pile];
        --next_card_;
        piles_[pile].pop_back();
        return false;
    }

    bool end() {
        if (rules_.recycle) return false;
        int remaining = 0;
        for (const Cards& pile : piles_) remaining += static_cast<int>(pile.size());
        best_ = std::min(best_, remaining);
        return best_ <= rules_.target;
    }
};

// ------------------------------------------------------------------------------------- intervals

// A straight line, discards optional. rest[i][j] says to what the cards from i to j - 1 can be
// reduced with card i staying: a bit for each total, a word for each number of cards where that
// matters. All of them can go if such a rest is a set.
class Intervals {
  public:
    explicit Intervals(const Rules& rules) : rules_(rules) {
        if (rules.totals.back() > 63) throw std::runtime_error("totals over 63 in an interval");
        for (int total : rules.totals) totals_ |= uint64_t{1} << total;
        // A lone card is the only rest with its total, so a minimum of two needs no counting.
        counts_ = rules.max_cards ? rules.max_cards : rules.min_cards <= 2 ? 1 : rules.min_cards;
    }

    int solve(const Cards& deal) {
        const int n = static_cast<int>(deal.size());
        width_ = n + 1;
        goes_.assign(width_ * width_, false);
        rests_.assign(width_ * width_ * counts_, 0);
        for (int i = n; i >= 0; --i) {
            goes_[i * width_ + i] = true;
            for (int j = i + 1; j <= n; ++j) reduce(deal, i, j);
        }
        std::vector<int> least(width_);
        for (int j = 1; j <= n; ++j) {
            least[j] = least[j - 1] + 1;
            for (int i = 0; i < j; ++i)
                if (goes(i, j)) least[j] = std::min(least[j], least[i]);
        }
        return least[n];
    }

  private:
    const Rules& rules_;
    uint64_t totals_ = 0;
    int counts_;
    int width_ = 0;
    std::vector<char> goes_;
    std::vector<uint64_t> rests_;

    bool goes(int i, int j) const { return goes_[i * width_ + j]; }
    uint64_t* rest(int i, int j) { return &rests_[(i * width_ + j) * counts_]; }

    void reduce(const Cards& deal, int i, int j) {
        const int value = static_cast<uint8_t>(deal[i]);
        if (value > 63) return;
        uint64_t* found = rest(i, j);
        if (goes(i + 1, j)) found[0] |= uint64_t{1} << value;
        for (int k = i + 1; k < j; ++k) {
            if (!goes(i + 1, k)) continue;
            const uint64_t* further = rest(k, j);
            for (int count = 0; count < counts_; ++count) {
                const bool one_more = count + 1 < counts_;
                if (!one_more && rules_.max_cards) break;
                found[one_more ? count + 1 : count] |= further[count] << value;
            }
        }
        for (int count = 0; count < counts_; ++count) {
            uint64_t sets = found[count] & totals_;
            if (counts_ == 1 && rules_.min_cards == 2 && rules_.max_cards == 0)
                sets &= ~(uint64_t{1} << value);
            else if (count + 1 < rules_.min_cards)
                sets = 0;
            if (sets) goes_[i * width_ + j] = true;
        }
    }
};

// -------------------------------------------------------------------------------------- shuffling

class Generator {  // splitmix64
  public:
    explicit Generator(uint64_t seed) : state_(seed) {}

    uint32_t below(uint32_t bound) {
        uint64_t x = state_ += 0x9E3779B97F4A7C15;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
        x ^= x >> 31;
        return static_cast<uint32_t>(((x >> 32) * bound) >> 32);
    }

  private:
    uint64_t state_;
};

void shuffle(Cards& cards, Generator& generator) {
    for (size_t i = cards.size() - 1; i > 0; --i)
        std::swap(cards[i], cards[generator.below(static_cast<uint32_t>(i + 1))]);
}

// ------------------------------------------------------------------------------------ the program

class Solver {
  public:
    explicit Solver(const Rules& rules) : rules_(rules), line_(rules), search_(rules) {
        straight_ = rules.piles == 1 && !rules.wrap && rules.reach == "any";
    }

    int solve(const Cards& deal) {
        if (!straight_) return search_.solve(deal);
        return rules_.optional ? Intervals(rules_).solve(deal) : line_.solve(deal);
    }

    bool won(int remaining) const {
        return remaining <= (rules_.recycle ? 0 : rules_.target);
    }

  private:
    const Rules& rules_;
    Line line_;
    Search search_;
    bool straight_;
};

double cpu_seconds() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

void measure(Solver& solver, const Cards& pack, int deals, uint64_t seed) {
    constexpr int kBlock = 4096;
    Generator generator(seed);
    double shuffling = 0, solving = 0;
    int won = 0;
    std::vector<Cards> block;
    for (int done = 0; done < deals; done += static_cast<int>(block.size())) {
        block.assign(std::min(kBlock, deals - done), pack);
        const double start = cpu_seconds();
        for (Cards& deal : block) shuffle(deal, generator);
        const double shuffled = cpu_seconds();
        for (const Cards& deal : block) won += solver.won(solver.solve(deal));
        const double solved = cpu_seconds();
        shuffling += shuffled - start;
        solving += solved - shuffled;
    }
    std::printf("{\"deals\": %d, \"won\": %d, \"solve\": %.6f, \"with_shuffle\": %.6f}\n", deals,
                won, 1e6 * solving / deals, 1e6 * (solving + shuffling) / deals);
}

void answer(Solver& solver) {
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream in(line);
        Cards deal;
        for (int value; in >> value;) deal.push_back(static_cast<char>(value));
        const int remaining = solver.solve(deal);
        std::printf("%d %d\n", solver.won(remaining), remaining == kNoRemainder ? -1 : remaining);
    }
}

std::vector<int> numbers(const std::string& text) {
    std::vector<int> found;
    std::istringstream in(text);
    for (std::string number; std::getline(in, number, ',');) found.push_back(std::stoi(number));
    return found;
}

int main(int argc, char** argv) {
    // A recycling game can be as deep as it has positions.
    rlimit stack{};
    getrlimit(RLIMIT_STACK, &stack);
    stack.rlim_cur = std::min<rlim_t>(stack.rlim_max, 120 << 20);
    setrlimit(RLIMIT_STACK, &stack);

    std::map<std::string, std::string> given;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const size_t equals = argument.find('=');
        if (equals == std::string::npos) throw std::runtime_error("not name=value: " + argument);
        given[argument.substr(0, equals)] = argument.substr(equals + 1);
    }
    Rules rules;
    auto number = [&given](const char* name, int otherwise) {
        return given.count(name) ? std::stoi(given[name]) : otherwise;
    };
    if (given.count("totals")) rules.totals = numbers(given["totals"]);
    std::sort(rules.totals.begin(), rules.totals.end());
    if (given.count("reach")) rules.reach = given["reach"];
    rules.min_cards = number("min_cards", rules.min_cards);
    rules.max_cards = number("max_cards", rules.max_cards);
    rules.wrap = number("wrap", rules.wrap);
    rules.piles = number("piles", rules.piles);
    rules.opening = number("opening", rules.opening);
    rules.optional = number("optional", rules.optional);
    rules.recycle = number("recycle", rules.recycle);
    rules.target = number("target", rules.target);

    Solver solver(rules);
    if (!given.count("pack")) {
        answer(solver);
        return 0;
    }
    Cards pack;
    for (int value : numbers(given["pack"])) pack.push_back(static_cast<char>(value));
    measure(solver, pack, number("deals", 1000), std::stoull(given.count("seed") ? given["seed"] : "1"));
}
