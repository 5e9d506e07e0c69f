"""Pattern files of others, and what is wrong with some of them."""

import json

import pytest

from casebase.errors import CasebaseError, FormatError
from casebase.hyphenation.pattern_files import from_dic, from_json, from_tex, read_patterns, to_json
from casebase.hyphenation.patterns import Pattern, PatternSet
from lab.peers import hyphenators
from tests.peers import require_pyphen

TEX = r"""% hyph-xx.tex
% hyphenmins:
%     generation:
%         left: 2
%         right: 2
%     typesetting:
%         left: 1
%         right: 1
\message{patterns}
\patterns{ % the first ones
.hy3p  n1a
}
\patterns{t1io 2ph % 9zz
^^e41b}
\hyphenation{ta-ble record}
"""


def shown(patterns):
    return [f"{pattern} {pattern.level}" for pattern in patterns.patterns]


def test_tex_patterns_of_several_blocks_comments_and_exceptions():
    """Exceptions are patterns of whole words, above all others; what is behind % is not there."""
    patterns = from_tex(TEX)

    assert shown(patterns)[:5] == [".hy-p 3", "n-a 1", "t-io 1", "-ph 2", "ä-b 1"]
    assert patterns.positions("hyphenation") == [2, 6, 8]
    assert patterns.positions("table") == [2]
    assert patterns.positions("record") == []


def test_tex_distances_come_from_commands_comments_arguments_or_plain_tex():
    """What is nearer to the user wins."""
    said = from_tex(TEX)
    commanded = from_tex(TEX + "\\lefthyphenmin=4 \\righthyphenmin 5")
    asked = from_tex(TEX, left_min=6)
    silent = from_tex("\\patterns{a1b}")

    mins = [(p.left_min, p.right_min) for p in (said, commanded, asked, silent)]

    assert mins == [(1, 1), (4, 5), (6, 1), (2, 3)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\\patterns{a1b\n c12d}", "line 2: 'c12d' has two digits"),
        ("\\patterns{a1b\n 1}", "line 2: '1' is no pattern"),
        ("\\patterns{a1b\n\n a.1b}", "line 3: 'a.1b' has a '.' inside"),
        ('\\patterns{a1b\n \\"a1b}', "line 2: .* expected letters"),
        ("% x\n\\patterns{a1b", "line 2: .* no closing brace"),
        ("\\patterns{a1b\n a2b}", "line 2: 'a2b' has other digits"),
        ("\\hyphenation{a-b\n a--b}", "line 2: 'a--b' is no exception"),
        ("a1b", "there is none in it"),
    ],
)
def test_what_is_wrong_in_a_tex_file_is_told_with_its_line(text, message):
    """So that it can be mended."""
    with pytest.raises(FormatError, match=message):
        from_tex(text, name="hyph.tex")


def test_dic_patterns_in_the_encoding_of_the_first_line():
    """Distances that are not said are 2, as in libhyphen; compounds' ones are about compounds."""
    text = "ISO8859-1\r\nLEFTHYPHENMIN 3\r\n% comment\r\nCOMPOUNDLEFTHYPHENMIN 2\r\n\r\nä1b\r\n.a2\r\n"

    patterns = from_dic(text.encode("latin-1"))

    assert shown(patterns) == ["ä-b 1", ".a- 2"]
    assert (patterns.left_min, patterns.right_min) == (3, 2)


def test_a_distance_of_0_in_a_dic_file_is_one_that_is_not_said():
    """libhyphen takes it as 2."""
    patterns = from_dic(b"UTF-8\nLEFTHYPHENMIN 0\nRIGHTHYPHENMIN 3\na1b\n")

    assert (patterns.left_min, patterns.right_min) == (2, 3)


def test_of_two_lines_with_the_same_letters_the_last_one_counts():
    """As in libhyphen and pyphen."""
    assert shown(from_dic("UTF-8\na1b\na2b\n")) == ["a-b 2"]


def test_a_first_part_about_hyphens_and_apostrophes_is_left_away():
    """It says how libhyphen cuts a text into words."""
    assert shown(from_dic("UTF-8\nNOHYPHEN ',-\n1-1\n1'1\nNEXTLEVEL\na1b\n")) == ["a-b 1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a1b\n", "line 1: expected the name of an encoding"),
        ("rot13\na1b\n", "line 1: expected the name of an encoding"),
        ("UTF-8\na1b\nNEXTLEVEL\nb1c\n", "line 3: NEXTLEVEL"),
        ("UTF-8\nLEFTHYPHENMIN x\n", "line 2: expected a number"),
        ("UTF-8\na1b\na1b/c=d,1,2\n", "line 3: .* changes the letters"),
        ("UTF-8\na1b c1d\n", "line 2: expected one pattern"),
        ("UTF-8\n\na11b\n", "line 3: 'a11b' has two digits"),
    ],
)
def test_what_is_wrong_in_a_dic_file_is_told_with_its_line(text, message):
    """So that it can be mended."""
    with pytest.raises(FormatError, match=message):
        from_dic(text.encode(), name="hyph.dic")


def test_bytes_that_are_not_of_the_encoding_are_told_with_their_line():
    """The first line says UTF-8, a later one is Latin-1."""
    with pytest.raises(FormatError, match=r"line 3: the byte 0xE4"):
        from_dic(b"UTF-8\na1b\n\xe41b\n")


def test_letters_with_marks_come_out_composed():
    """A place between a letter and its mark is none."""
    assert shown(from_dic("UTF-8\n1e2\u03011b\n")) == ["-éb 1", "é-b 1"]


def test_letters_that_composing_takes_apart_keep_their_digits():
    """Bengali rra is written as two characters when composed; nothing breaks between them."""
    assert shown(from_dic("UTF-8\n1\u09dc2ক3\n")) == ["-\u09a1\u09bcক 1", "\u09a1\u09bc-ক 2", "\u09a1\u09bcক- 3"]


def test_lines_that_are_no_patterns_can_be_skipped():
    """Real files have a few; what is wrong with them is told."""
    skipped = []

    patterns = from_dic("UTF-8\na1b\ns11a\nc1d/x=y,1,1\n", skipped=skipped)

    assert shown(patterns) == ["a-b 1"]
    assert ["line 3" in skipped[0], "line 4" in skipped[1]] == [True, True]


def test_a_dic_whose_comment_speaks_of_tex_is_no_tex():
    """The encoding in the first line tells."""
    assert shown(read_patterns(b"UTF-8\n% from \\patterns{ of TeX\na1b\n")) == ["a-b 1"]


def test_the_kind_of_a_file_is_seen(tmp_path):
    """By what is in it."""
    for name, text in (("a", TEX), ("b", "UTF-8\nn1a\n"), ("c", "{}")):
        (tmp_path / name).write_text(text, encoding="utf-8")

    assert read_patterns(tmp_path / "a").positions("hyphenation") == [2, 6, 8]
    assert read_patterns(tmp_path / "b").positions("nnaa") == [2]
    with pytest.raises(FormatError, match="hyphen export --to json"):
        read_patterns(tmp_path / "c")
    with pytest.raises(CasebaseError, match="Unknown format 'txt'"):
        read_patterns(tmp_path / "a", format="txt")


@pytest.mark.parametrize(
    "text",
    ['{"format": "casebase patterns", "version": 2}', '{"format": "casebase patterns", "version": 1}', "[", "[]"],
)
def test_other_json_is_refused(text):
    """A newer version, missing fields, no JSON, other JSON."""
    with pytest.raises(FormatError):
        from_json(text)


@pytest.mark.peer
@pytest.mark.parametrize("language", ["en_US", "fr", "sv", "nl_NL", "ru_RU", "el_GR", "pl_PL"])
def test_the_dictionaries_of_pyphen_break_as_in_pyphen(language):
    """Real files, in several encodings, read here and there."""
    require_pyphen()
    path = hyphenators.dictionary(language)
    patterns = read_patterns(path)
    pieces = sorted({p.text.strip(".") for p in patterns.patterns})
    words = [a + b for a, b in zip(pieces[::7], pieces[3::7])][:1000]

    assert len(words) > 50
    ask = hyphenators.asking_pyphen(path, patterns.left_min, patterns.right_min)
    assert [patterns.positions(word) for word in words] == ask(words)


def test_json_without_end():
    """Regression: brackets in brackets were a RecursionError."""
    with pytest.raises(FormatError, match="expected JSON"):
        from_json('{"patterns": ' + "[" * 100_000)


@pytest.mark.parametrize(
    "text",
    ["\\patterns{1a}\\hyphenation{%s}" % ("x" * 15_000), "\\patterns{%s}" % ("1a" * 15_000)],
    ids=["word", "pattern"],
)
def test_words_without_end_are_refused(text):
    """Each place of an exception is a pattern as long as the word: 15,000 letters would take minutes and gigabytes."""
    with pytest.raises(CasebaseError, match=r"at most 255 letters; .* has 15,000"):
        from_tex(text)


@pytest.mark.parametrize("classes", [{"ab": "K"}, {"a": "KV"}, {"a": ""}, {"": "K"}])
def test_classes_of_several_letters_or_none_are_refused(classes):
    """A letter has one class, and its name is one character."""
    record = {"format": "casebase patterns", "version": 1, "default_allows": False, "left_min": 1, "right_min": 1}
    with pytest.raises(CasebaseError, match="one class, and the name of a class is one character"):
        from_json(json.dumps({**record, "classes": classes, "patterns": []}))


@pytest.mark.parametrize(
    ("changed", "message"),
    [({"patterns": [1.5]}, "wrong kind"), ({"left_min": None}, "wrong kind"), ({"patterns": [{}]}, "'text' is miss")],
)
def test_wrong_fields_are_named_in_words(changed, message):
    """Regression: a number in place of a pattern was "'float' object is not subscriptable."."""
    record = json.loads(to_json(PatternSet((Pattern("hyp", 2, 1),)))) | changed
    with pytest.raises(FormatError, match=message + r".*export --to json[^.]*\.$"):
        from_json(json.dumps(record))


def test_distances_beyond_all_words_are_refused():
    """A number that no machine word holds is an error of the file, not of the program."""
    with pytest.raises(CasebaseError, match="1 to 1,000,000 characters"):
        from_dic(b"UTF-8\nLEFTHYPHENMIN 99999999999999999999999\na1b\n")


def test_a_letter_of_json_has_one_class():
    """Regression: of a name that occurs twice in an object, the last one was taken without a word."""
    text = to_json(PatternSet((Pattern("KE", 0, 1, is_classes=True),), {"a": "E", "b": "K"}))

    with pytest.raises(FormatError, match="'a' occurs twice in an object"):
        from_json(text.replace('"a": "E"', '"a": "E", "a": "K"'))
