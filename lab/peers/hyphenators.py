"""The programs that read pattern files: pyphen, libhyphen and TeX itself.

    pyphen_positions(text, words, left_min, right_min)     # text of a hyph_*.dic file
    libhyphen_positions(text, words)
    tex_positions(text, words)                             # text of a TeX file

Each returns one list of positions for each word. Words must be lower-case and composed (NFC): case folding is left to
the programs that call libhyphen, and in TeX to its format.
"""

import ctypes
import ctypes.util
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from casebase.errors import MissingExtraError
from lab.peers.programs import Workplace, has_program

try:
    import pyphen
except ImportError:
    pyphen = None


def has_pyphen() -> bool:
    return pyphen is not None


def has_libhyphen() -> bool:
    """Return whether the library is there (Debian: libhyphen0)."""
    return ctypes.util.find_library("hyphen") is not None


def has_tex() -> bool:
    """Return whether LuaTeX is there (Debian: texlive-binaries)."""
    return has_program("luatex")


def dictionary(language: str) -> Path:
    """Return the file of patterns that pyphen has for a language, such as en_US."""
    _need_pyphen()
    return Path(pyphen.LANGUAGES[language])


def asking_pyphen(path: Path, left_min: int, right_min: int) -> Callable[[Sequence[str]], list[list[int]]]:
    """Return a function that hyphenates words by the patterns of a file, with pyphen's cache off."""
    _need_pyphen()
    # Without its cache: two files of the same name, one after the other, are two files.
    asked = pyphen.Pyphen(filename=path, left=left_min, right=right_min, cache=False)

    def answer(words: Sequence[str]) -> list[list[int]]:
        asked.hd.cache.clear()
        return [asked.positions(word) for word in words]

    return answer


def pyphen_positions(text: str, words: Sequence[str], left_min: int, right_min: int) -> list[list[int]]:
    """Return pyphen's answers; it does not read the distances from the file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hyph.dic"
        path.write_text(text, encoding="utf-8")
        return asking_pyphen(path, left_min, right_min)(words)


def _need_pyphen() -> None:
    if pyphen is None:
        raise MissingExtraError("English words are hyphenated by pyphen, which is not installed: pip install pyphen")


def libhyphen_positions(text: str, words: Sequence[str]) -> list[list[int]]:
    """Return libhyphen's answers, for patterns that change no letters."""
    answers = libhyphen_breaks(text, words)
    assert not any(change for breaks in answers for _, change in breaks), "a break changes letters"
    return [[place for place, _ in breaks] for breaks in answers]


def libhyphen_breaks(text: str, words: Sequence[str]) -> list[list[tuple[int, tuple[str, int, int] | None]]]:
    """Return libhyphen's breaks, by `hnj_hyphen_hyphenate2`: the position, and the change of letters or None.

    A change is a text with "=" at the break, how far before the break the letters begin that it replaces, counted with
    the letter before the break as 1, and how many these are.

    `HyphenDict` is only handled as a pointer, so its fields need not be known. The caller allocates the answer:
    one character for each byte of the word, and five more. For UTF-8 it is put together at the end by characters, so
    that an odd digit at i allows a break behind character i; what follows the last character is rubbish. The three
    arrays for breaks that change letters stay null if no pattern needs them.
    """
    library = ctypes.CDLL(ctypes.util.find_library("hyphen"))
    library.hnj_hyphen_load.restype = ctypes.c_void_p
    library.hnj_hyphen_load.argtypes = [ctypes.c_char_p]
    library.hnj_hyphen_free.argtypes = [ctypes.c_void_p]
    hyphenate = library.hnj_hyphen_hyphenate2
    pointer = ctypes.POINTER(ctypes.c_void_p)
    hyphenate.argtypes = [
        ctypes.c_void_p,
        ctypes.c_char_p,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_char_p,
        pointer,
        pointer,
        pointer,
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hyph.dic"
        path.write_text(text, encoding="utf-8")
        loaded = library.hnj_hyphen_load(str(path).encode())
    assert loaded, "libhyphen cannot read the file"
    try:
        answers = []
        for word in words:
            data = word.encode("utf-8")
            digits = ctypes.create_string_buffer(len(data) + 5)
            nothing = [ctypes.c_void_p() for _ in range(3)]
            failed = hyphenate(loaded, data, len(data), digits, None, *map(ctypes.byref, nothing))
            assert not failed, word
            answers.append([(i + 1, _change(nothing, i)) for i in range(len(word) - 1) if digits.raw[i] % 2])
        return answers
    finally:
        library.hnj_hyphen_free(loaded)


def _change(arrays: Sequence[ctypes.c_void_p], i: int) -> tuple[str, int, int] | None:
    """Return the change at character i from libhyphen's three arrays: texts, begins and lengths."""
    if not arrays[0].value:
        return None
    text = ctypes.cast(arrays[0], ctypes.POINTER(ctypes.c_char_p))[i]
    begin, cut = (ctypes.cast(array, ctypes.POINTER(ctypes.c_int))[i] for array in arrays[1:])
    return None if text is None else (text.decode("utf-8"), begin, cut)


# LuaTeX without a format: letters are made known to it as formats do, and a font in which they need not be.
_ASKING = r"""
\catcode`\{=1 \catcode`\}=2 \catcode`\#=6
\directlua{tex.enableprimitives('', tex.extraprimitives())
for line in io.lines("letters.txt") do tex.setlccode(utf8.codepoint(line), utf8.codepoint(line)) end}
\input ./patterns.tex
\directlua{
local f = font.define({name="x", size=655360, parameters={}, hyphenchar=45, characters={[45]={width=0}}})
local glyph, disc = node.id("glyph"), node.id("disc")
local answers = io.open("answers.txt", "w")
for line in io.lines("words.txt") do
  local first = node.new("glue")
  local last = first
  local function add(n) last.next = n n.prev = last last = n end
  for _, c in utf8.codes(line) do
    local g = node.new("glyph", 1)
    g.char = c g.font = f g.lang = 0 g.left = tex.lefthyphenmin g.right = tex.righthyphenmin g.uchyph = 1
    add(g)
  end
  add(node.new("glue"))
  lang.hyphenate(first, last)
  local n, breaks = 0, {}
  local x = first
  while x do
    if x.id == glyph then n = n + 1 elseif x.id == disc then table.insert(breaks, n) end
    x = x.next
  end
  answers:write(table.concat(breaks, " "), "\string\n")
  node.flush_list(first)
end
answers:close()
}
\end
"""


def tex_positions(text: str, words: Sequence[str]) -> list[list[int]]:
    """Return the answers of TeX: LuaTeX, which takes letters in UTF-8 as they are."""
    with Workplace() as place:
        letters = sorted({c for word in words for c in word if c.isalpha() or not c.isascii()})
        for file, content in (
            ("asking.tex", _ASKING),
            ("patterns.tex", text),
            ("letters.txt", "".join(f"{letter}\n" for letter in letters)),
            ("words.txt", "".join(f"{word}\n" for word in words)),
        ):
            (place.path / file).write_text(content, encoding="utf-8")
        place.run("luatex", "-ini", "-interaction=nonstopmode", "-halt-on-error", "./asking.tex").checked()
        answers = (place.path / "answers.txt").read_text(encoding="utf-8").split("\n")[:-1]
        return [list(map(int, answer.split())) for answer in answers]
