"""The screen of the kernel vote: what it rules out keeps its answer, and it rules out most of what does."""

import numpy as np
import pytest

from casebase.autopilot import flips
from casebase.autopilot.screen import screen_of
from casebase.base.flips import find_flips
from casebase.base.flips.columns import columns_of, options_for
from casebase.base.flips.search import Structure
from casebase.methods import method_named
from tests.autopilot.tables import random_table

WITHOUT = Structure(flips.domains, memory=flips.memory_of)


def kernel_vote(seed: int, *, weights=None, gaps: float = 0.0):
    table = random_table("nsnsn", 60, seed, weights=weights, gaps=gaps, n_classes=2 + seed % 2)
    row = method_named("kernel")
    model = row.fit(table.cases(), row.settings())
    return model, model.schema.encode(table.asked)


@pytest.mark.parametrize(("seed", "weights"), [(0, None), (1, None), (2, (1.0, 3.0)), (3, (0.5, 1.7))])
def test_what_is_ruled_out_keeps_its_answer(seed, weights):
    model, asked = kernel_vote(seed, weights=weights, gaps=0.1 * (seed % 2))
    columns = columns_of(model.schema, flips.domains(model))
    draw = np.random.default_rng(seed)
    n_kept, n_ruled_out = 0, 0
    for case in asked.one_by_one():
        label = int(model.answer(case).label[0])
        options = options_for(model.schema, columns, case, None)
        screen = screen_of(model, case, label, options)
        assert screen is not None
        for n_changes in (1, 2, 3):
            of_columns = np.array([draw.permutation(len(columns))[:n_changes] for _ in range(200)])
            first, size = options.first[of_columns], options.per_column[of_columns]
            combinations = np.sort(first + (draw.random(size.shape) * size).astype(np.int64), axis=1)
            keeps = model.answer(options.changed(case, combinations)).label == label
            stays = screen.stays(combinations)
            assert not (stays & ~keeps).any()
            n_kept, n_ruled_out = n_kept + int(keeps.sum()), n_ruled_out + int(stays.sum())
    assert n_ruled_out > 0.9 * n_kept


def test_flips_are_those_of_a_search_without_a_screen():
    model, asked = kernel_vote(0)
    for with_screen, without in zip(
        find_flips(flips.STRUCTURE, model, asked, limit=2, budget=3000),
        find_flips(WITHOUT, model, asked, limit=2, budget=3000),
    ):
        assert with_screen == without
