"""Hostile texts on the pages of the server, and in pattern files that TeX reads."""

import json
import re

import pytest

import casebase as cb
from casebase.errors import CasebaseError
from tests.injection.hostile import TARGET, check_page, hostile_table

TABLE = hostile_table()
OBEYED_BY_TEX = set("\\{}%#$&^~_\x1b\x9b")
PAGES = ["", "/table", "/values?feature=%3Ccbevil%3E", "/record/1", "/add", "/ask", "/journal", "/errors", "/picture"]


@pytest.mark.parametrize("method", ["IB1", "C45"])
def test_every_page_of_a_model_has_the_texts_as_texts(method, tmp_path):
    serving = pytest.importorskip("tests.serve.serving")
    path = tmp_path / "model.cb"
    model = getattr(cb, f"{method}Classifier")().fit(TABLE.drop(columns=TARGET), TABLE[TARGET])
    model.save(path)
    with serving.client(path) as asking:
        check_page(asking.get("/").text, is_harmless=False)
        for page in PAGES:
            answer = asking.get(f"/m/model{page}")
            assert answer.status_code in (200, 404, 409, 422), answer.text
            check_page(answer.text, is_harmless=False)
        for name in ("<cbevil>", "%1b[31m", "..%2f<cbevil>"):
            answer = asking.get(f"/m/{name}")
            assert answer.status_code == 404
            check_page(answer.text, is_harmless=False)
        if method == "IB1":
            values = json.loads(asking.get("/m/model/table.json").text)
            assert values["records"][0]["values"]["<cbevil>"] == "<cbevil>"


@pytest.mark.parametrize("letter", list("\\{}%#$&^~_\x1b\x9b"))
def test_a_word_list_puts_no_commands_into_a_pattern_file(letter):
    """Signs that TeX obeys are refused with a message, or do not come into the patterns."""
    words = ["le-sen", "le-ben", f"na-{letter}gel", f"ta-{letter}fel", f"re-{letter}gel", f"{letter}in-put"]
    try:
        text = cb.Hyphenator().fit(words).export("tex")
    except CasebaseError:
        return
    lines = [line for line in text.splitlines() if not line.startswith("%")]
    commands = re.compile(
        r"\\lefthyphenmin=\d+ \\righthyphenmin=\d+|\\patterns\{|\\hyphenation\{|\}|\\lccode\"[0-9A-F]+=\"[0-9A-F]+"
    )
    assert not [line for line in lines if not commands.fullmatch(line) and not set(line).isdisjoint(OBEYED_BY_TEX)]
