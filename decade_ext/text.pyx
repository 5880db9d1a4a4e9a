"""Lines of text into deals, and deals into rows of text, thousands at a time without the GIL.

Most lines of a big file are plain: cards in ASCII, perhaps with a plain name before them. Those are read
here. Every other line, and every line with a slip in it, is refused whole and left to
``decade.cards.Deal.parse_line``, so that there is one place for rules and messages, and this is only a
short cut. Rows go the same way: names that need no quoting are copied, everything else comes ready made.

A card is a byte:

    bit    7         6 5 4                          3 2 1 0
           plain 10  suit: 0 none, 1 C 2 D 3 H 4 S  rank, 1 (ace) to 13 (king)
"""

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int16_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memchr, memcpy


cdef enum:
    CARDS = 104
    PACK = 52
    SUITED = 0x70
    PLAIN_TEN = 0x8a
    DIGITS = 20             # of the longest whole number of 64 bits
    SLACK = 32
    LONGEST = 1 << 16       # bytes of a line that is looked at


LONGEST_LINE = LONGEST


cdef enum Line:
    # What became of a line.
    TAKEN, BLANK, REFUSED

cdef uint8_t RANK[256]      # of a character, 0 for none; "1" goes on with a digit, perhaps
cdef uint8_t SUIT[256]      # the suit's bits
cdef uint8_t CARD[65536]    # the card that two characters are, as they are printed; 0 for none
cdef bint PLAIN[256]        # whether a name with this character needs no quoting in any format
cdef bint FORMULA[256]      # whether a spreadsheet takes a cell that begins so for a formula
cdef uint8_t TOKEN[256][4]  # a card as text, and a blank
cdef uint8_t LENGTH[256]    # of both


cdef extern from *:
    int ones "__builtin_popcountll"(uint64_t word) nogil


cdef inline uint16_t two(const uint8_t* at) noexcept nogil:
    cdef uint16_t both
    memcpy(&both, at, 2)
    return both


def _tables():
    cdef int code, i
    for rank, letter in enumerate("A23456789TJQK", 1):
        for character in {letter, letter.lower()}:
            RANK[<Py_ssize_t>ord(character)] = rank
    RANK[c"1"] = 1
    for suit, letter in enumerate("CDHS", 1):
        for character in (letter, letter.lower()):
            SUIT[<Py_ssize_t>ord(character)] = suit << 4
    for code in range(32, 127):
        PLAIN[code] = chr(code) not in '",\\#'
    for character in "=+-@'":
        FORMULA[<Py_ssize_t>ord(character)] = True
    for code in range(256):
        rank = code & 15
        token = b""
        if code == PLAIN_TEN:
            token = b"10"
        elif 1 <= rank <= 13 and code >> 4 <= 4:
            token = b" A23456789TJQK"[rank:rank + 1] + b" CDHS"[code >> 4:(code >> 4) + 1].strip()
        LENGTH[code] = len(token) + 1
        for i, byte in enumerate(token + b" "):
            TOKEN[code][i] = byte
        if len(token) == 2 and code != PLAIN_TEN:
            CARD[two(TOKEN[code])] = code


_tables()


cdef inline bint blank(uint8_t character) noexcept nogil:
    return character == c" " or character == c"\t" or character == c"\r"


cdef int read_pack(
    const uint8_t* at, const uint8_t* end, const uint8_t* points, uint8_t* cards, uint8_t* values
) noexcept nogil:
    """Read different suited cards, spelt as they are printed; 0 if there is anything else.

    That is how most lines are, and then there is nothing left to check: ranks are not there too often
    either, and the text is what is printed. What is wrong is asked for once, at the end.
    """
    cdef uint64_t seen = 0, wrong = 0
    cdef int i, n = <int>(end - at + 1) // 3
    cdef uint8_t code
    if end - at != 3 * n - 1 or n > PACK:
        return 0
    for i in range(n):
        code = CARD[two(at + 3 * i)]
        cards[i] = code
        values[i] = points[code]
        seen |= <uint64_t>1 << (code & 63)
        if i < n - 1:
            wrong |= at[3 * i + 2] ^ c" "
    # Code 0 stands for what is no card.
    return 0 if wrong or seen & 1 or ones(seen) != n else n


cdef int read_cards(const uint8_t* at, const uint8_t* end, uint8_t* cards) noexcept nogil:
    """Read cards to the end of the text: how many, or -1 if it holds anything else or too many."""
    cdef int n = 0
    cdef uint8_t code, suit
    cdef bint one
    while True:
        while at < end and (at[0] == c" " or at[0] == c","):
            at += 1
        if at == end:
            return n
        code = RANK[at[0]]
        if code == 0 or n == CARDS:
            return -1
        one = at[0] == c"1"
        at += 1
        if one and at < end and c"0" <= at[0] <= c"3":
            code = 10 + (at[0] - c"0")
            at += 1
        if at < end:
            suit = SUIT[at[0]]
            if suit:
                code |= suit
                at += 1
            if at < end and at[0] != c" " and at[0] != c",":
                return -1
        cards[n] = PLAIN_TEN if one and code == 10 else code
        n += 1


cdef bint from_packs(const uint8_t* cards, int n, bint any_ten) noexcept nogil:
    """Say whether so many packs as the cards need have them all; as ``Deal.check``."""
    cdef int i, packs = 1 if n <= PACK else 2, tens = 0
    cdef uint8_t[256] count
    cdef uint8_t[16] ranks
    for i in range(256):
        count[i] = 0
    for i in range(16):
        ranks[i] = 0
    for i in range(n):
        count[cards[i]] += 1
        if cards[i] & SUITED and count[cards[i]] > packs:
            return False
        ranks[cards[i] & 15] += 1
        tens += (cards[i] & 15) >= 10
    if any_ten:
        ranks[10] -= count[PLAIN_TEN]
        if tens > 16 * packs:
            return False
    for i in range(16):
        if ranks[i] > 4 * packs:
            return False
    return True


cdef inline uint8_t* put_number(uint8_t* out, int64_t number) noexcept nogil:
    """Write a whole number, 0 or more."""
    cdef uint8_t digits[DIGITS]
    cdef int n = 0
    while True:
        digits[n] = <uint8_t>(c"0" + number % 10)
        n += 1
        number //= 10
        if number == 0:
            break
    while n:
        n -= 1
        out[0] = digits[n]
        out += 1
    return out


cdef inline uint8_t* put_cards(uint8_t* out, const uint8_t* cards, int64_t n) noexcept nogil:
    """Write a deal; up to two bytes behind it are overwritten."""
    cdef int64_t i
    for i in range(n):
        memcpy(out, TOKEN[cards[i]], 4)
        out += LENGTH[cards[i]]
    return out - (n > 0)


cdef inline uint8_t* put(uint8_t* out, const uint8_t* text, int64_t size) noexcept nogil:
    memcpy(out, text, size)
    return out + size


cdef inline uint8_t* put_short(uint8_t* out, const uint8_t* text, int64_t size) noexcept nogil:
    """Write what is mostly short; up to SLACK bytes behind it are read and overwritten."""
    cdef int64_t at = 0
    while True:
        memcpy(out + at, text + at, SLACK)
        at += SLACK
        if at >= size:
            return out + size


@cython.final
cdef class Deals:
    """Deals in columns, filled row by row. See the stub."""

    cdef readonly Py_ssize_t rows
    cdef readonly object cards, values, card_ends, names, name_ends, records
    cdef uint8_t[::1] card, value, name
    cdef int64_t[::1] card_end, name_end, record
    cdef int64_t[::1] text_at   # where a row's cards lie in the text as they are printed, or -1
    cdef const uint8_t[::1] data    # owns the text
    cdef const uint8_t* text
    cdef uint8_t points[256]
    cdef bint any_ten

    def __cinit__(
        self, *, bytes points, bint any_ten, Py_ssize_t rows, Py_ssize_t text,
        const uint8_t[::1] data not None=b"",
    ):
        if len(points) != 256 or rows < 0 or text < 0:
            raise ValueError("points must be 256 bytes, rows and text 0 or more")
        import numpy as np      # slow, and not needed until here
        memcpy(self.points, <const uint8_t*>points, 256)
        self.any_ten = any_ten
        self.card = self.cards = np.empty(text + CARDS, np.uint8)
        self.value = self.values = np.empty(text + CARDS, np.uint8)
        self.name = self.names = np.empty(text + (rows + 1) * DIGITS + SLACK, np.uint8)
        self.card_end = self.card_ends = np.zeros(rows + 1, np.int64)
        self.name_end = self.name_ends = np.zeros(rows + 1, np.int64)
        self.record = self.records = np.zeros(rows, np.int64)
        self.text_at = np.empty(rows, np.int64)
        self.data = data
        self.text = &data[0] if data.shape[0] else NULL

    def read(self, Py_ssize_t start, int64_t record, Py_ssize_t stop=-1):
        """Read lines from ``start`` on. See the stub."""
        cdef const uint8_t* text = self.text
        cdef Py_ssize_t end = start
        cdef Line line = BLANK
        cdef const void* found
        if stop < 0:
            stop = self.data.shape[0]
        if not 0 <= start <= stop <= self.data.shape[0]:
            raise ValueError("start is outside the text")
        with nogil:
            while start < stop and self.rows < self.record.shape[0]:
                found = memchr(text + start, c"\n", stop - start)
                end = <const uint8_t*>found - text if found != NULL else stop
                line = self.read_line(text + start, text + end, record)
                if line == REFUSED:
                    break
                start = end + 1
                record += 1
        if line != REFUSED and start < stop:
            raise ValueError("there are more lines than rows")
        return (start, end, record) if line == REFUSED else None

    cdef Line read_line(self, const uint8_t* at, const uint8_t* end, int64_t record) noexcept nogil:
        """Read one line into the next row if it is plain."""
        cdef int64_t row = self.rows, cards_at = self.card_end[row], name_at = self.name_end[row]
        cdef const uint8_t* name = at
        cdef const uint8_t* name_end
        cdef uint8_t* out
        cdef int n
        if end - at > LONGEST:
            return REFUSED
        while at < end and blank((end - 1)[0]):
            end -= 1
        while at < end and at[0] == c" ":
            at += 1
        if at == end or at[0] == c"#":
            return BLANK
        if cards_at + CARDS > self.card.shape[0] or name_at + (end - at) + DIGITS > self.name.shape[0]:
            return REFUSED
        name = name_end = at
        n = self.read_deal(at, end, cards_at)
        if n == 0:
            name_end = plain_name(name, end, &at)
            if name_end == NULL:
                return REFUSED
            n = self.read_deal(at, end, cards_at)
            if n == 0:
                return REFUSED
        out = &self.name[name_at]
        if name == name_end:
            out = put_number(out, record)
        else:
            out = put(out, name, name_end - name)
        self.push(n, out - &self.name[name_at], record)
        return TAKEN

    cdef int read_deal(self, const uint8_t* at, const uint8_t* end, int64_t cards_at) noexcept nogil:
        """Read and check a deal: how many cards, 0 if it is refused. Note where the text will do."""
        cdef uint8_t* card = &self.card[cards_at]
        cdef uint8_t* value = &self.value[cards_at]
        cdef int n, i
        while at < end and at[0] == c" ":
            at += 1
        n = read_pack(at, end, self.points, card, value)
        self.text_at[self.rows] = at - self.text if n else -1
        if n == 0:
            n = read_cards(at, end, card)
            if n < 0 or not from_packs(card, n, self.any_ten):
                return 0
            for i in range(n):
                value[i] = self.points[card[i]]
        return n

    cdef void push(self, int64_t cards, int64_t name, int64_t record) noexcept nogil:
        self.card_end[self.rows + 1] = self.card_end[self.rows] + cards
        self.name_end[self.rows + 1] = self.name_end[self.rows] + name
        self.record[self.rows] = record
        self.rows += 1

    def add(self, const uint8_t[::1] cards not None, bytes name not None, int64_t record):
        """Add a row. See the stub."""
        cdef int64_t cards_at = self.card_end[self.rows], name_at = self.name_end[self.rows]
        cdef Py_ssize_t i, n = cards.shape[0], size = len(name)
        if (self.rows == self.record.shape[0] or n > CARDS or cards_at + n > self.card.shape[0]
                or name_at + size > self.name.shape[0]):
            raise ValueError("there is no room for another row")
        for i in range(n):
            self.card[cards_at + i] = cards[i]
            self.value[cards_at + i] = self.points[cards[i]]
        for i in range(size):
            self.name[name_at + i] = name[i]
        self.text_at[self.rows] = -1
        self.push(n, size, record)

    def cut(self, Py_ssize_t rows):
        """Forget the rows from ``rows`` on."""
        self.rows = max(0, min(rows, self.rows))

    def deal(self, Py_ssize_t row):
        """Print a row's cards."""
        cdef uint8_t text[CARDS * 3 + 4]
        if not 0 <= row < self.rows:
            raise IndexError("there is no such row")
        cdef int64_t start = self.card_end[row], n = self.card_end[row + 1] - start
        cdef uint8_t* end = put_cards(text, &self.card[0] + start, n)
        return text[:end - text].decode("ascii")

    def plain(self, Py_ssize_t row):
        """Give a row's name."""
        if not 0 <= row < self.rows:
            raise IndexError("there is no such row")
        return bytes(self.name[self.name_end[row]:self.name_end[row + 1]]).decode("ascii")


cdef const uint8_t* plain_name(
    const uint8_t* name, const uint8_t* end, const uint8_t** cards
) noexcept nogil:
    """Find the end of a plain name and the start of the cards, as ``Deal.parse_line`` does; or NULL.

    A name before a tab is plain only if it is one word too long for a card, since a short one may be a
    card, and if what follows is no name.
    """
    cdef const uint8_t* colon = end
    cdef const uint8_t* tab = <const uint8_t*>memchr(name, c"\t", end - name)
    cdef Py_ssize_t i
    if FORMULA[name[0]]:
        return NULL
    if tab != NULL:
        for i in range(tab - name):
            if not PLAIN[name[i]] or name[i] == c" ":
                return NULL
        if tab - name <= 3 or (tab - 1)[0] == c":":
            return NULL
        cards[0] = tab + 1
        return tab
    while colon > name and (colon - 1)[0] != c":":
        colon -= 1
    if colon == name:
        return NULL
    cards[0] = colon
    colon -= 1
    while colon > name and (colon - 1)[0] == c" ":
        colon -= 1
    for i in range(colon - name):
        if not PLAIN[name[i]]:
            return NULL
    return colon if colon > name else NULL


def plain_name_of(bytes name not None):
    """Say whether a name can be copied into a row of any format as it is."""
    cdef uint8_t byte
    for byte in name:
        if not PLAIN[byte]:
            return False
    return len(name) > 0 and not FORMULA[<uint8_t>name[0]]


def read_deal(bytes text not None, *, bint any_ten):
    """Read the cards of one deal, a byte each. See the stub."""
    cdef uint8_t cards[CARDS]
    cdef int n = read_cards(text, <const uint8_t*>text + len(text), cards)
    return cards[:n] if n > 0 and from_packs(cards, n, any_ten) else None


def cut_lines(const uint8_t[::1] data not None, Py_ssize_t start, Py_ssize_t lines):
    """Find where so many lines end. See the stub."""
    cdef const void* found
    cdef Py_ssize_t size = data.shape[0], count = 0, at = start
    cdef const uint8_t* text = &data[0] if size else NULL
    if not 0 <= start <= size:
        raise ValueError("start is outside the text")
    with nogil:
        while count < lines and at < size:
            found = memchr(text + at, c"\n", size - at)
            if found == NULL:
                break
            at = <const uint8_t*>found - text + 1
            count += 1
    return at, count


def format_rows(
    Deals deals not None, tuple pieces not None, tuple verdicts not None, bytes null not None,
    const uint8_t[::1] verdict, const int16_t[::1] remaining, const int64_t[::1] nodes,
    bytes moves not None, const int64_t[::1] move_ends, list odd not None,
):
    """Write rows of text. See the stub."""
    cdef const uint8_t* piece[8]        # 2 to 4: one for each verdict
    cdef int64_t[8] piece_size
    cdef const uint8_t* none = null
    cdef const uint8_t* plays = moves
    cdef const uint8_t* ready
    cdef int64_t cards, fixed, none_size = len(null)
    cdef Py_ssize_t row = 0, until, rows = deals.rows, size
    cdef int i
    cdef bytes part, line, buffer
    cdef uint8_t* out
    if len(pieces) != 7 or len(verdicts) != 3:
        raise ValueError("there must be seven pieces and three verdicts")
    if not (verdict.shape[0] >= rows and remaining.shape[0] >= rows and nodes.shape[0] >= rows
            and move_ends.shape[0] > rows and (rows == 0 or 0 <= move_ends[rows] <= len(moves))):
        raise ValueError("an array for results is shorter than there are deals")
    words = [pieces[2] + word + pieces[3] for word in verdicts]
    parts = [part + bytes(SLACK) for part in [*pieces[:2], *words, *pieces[4:]]]    # kept alive here
    for i, part in enumerate(parts):
        piece[i] = part
        piece_size[i] = len(part) - SLACK
    fixed = sum([len(part) for part in parts]) + 2 * (DIGITS + none_size)
    size = rows * fixed + deals.name_end[rows] + 3 * deals.card_end[rows] + len(moves) + SLACK
    for _, line in odd:
        size += len(line)
    buffer = PyBytes_FromStringAndSize(NULL, size)
    out = buffer
    for until, line in odd + [(rows, b"")]:
        if not row <= until <= rows:
            raise ValueError("ready rows must be in order")
        with nogil:
            while row < until:
                if verdict[row] > 2:
                    break
                out = put_short(out, piece[0], piece_size[0])
                out = put_short(
                    out, &deals.name[0] + deals.name_end[row],
                    deals.name_end[row + 1] - deals.name_end[row],
                )
                out = put_short(out, piece[1], piece_size[1])
                cards = deals.card_end[row + 1] - deals.card_end[row]
                if deals.text_at[row] >= 0:
                    out = put(out, deals.text + deals.text_at[row], 3 * cards - 1)
                else:
                    out = put_cards(out, &deals.card[0] + deals.card_end[row], cards)
                out = put_short(out, piece[2 + verdict[row]], piece_size[2 + verdict[row]])
                if remaining[row] < 0:
                    out = put(out, none, none_size)
                else:
                    out = put_number(out, remaining[row])
                out = put_short(out, piece[5], piece_size[5])
                out = put_number(out, nodes[row])
                out = put_short(out, piece[6], piece_size[6])
                out = put(out, plays + move_ends[row], move_ends[row + 1] - move_ends[row])
                out = put_short(out, piece[7], piece_size[7])
                row += 1
        if row < until:
            raise ValueError("a verdict is out of range")
        ready = line
        out = put(out, ready, len(line))
        row += until < rows
    return memoryview(buffer)[:out - <uint8_t*>buffer]
