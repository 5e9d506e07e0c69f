"""The autopilot and its readings in the list of methods."""

from collections.abc import Callable
from functools import partial
from typing import Any

from casebase.autopilot import auto, flips
from casebase.autopilot.committee import Committee
from casebase.autopilot.files import read_committee, write_committee
from casebase.base.method import Fit, Method, Takes
from casebase.base.settings import Settings


def _row(name: str, title: str, fit: Fit[Any, Any], model: type[Committee], settings: type[Settings]) -> Method:
    read: Callable[..., Committee] = partial(read_committee, model)
    takes = Takes(numbers=True)
    return Method(
        name,
        title,
        fit,
        model,
        settings,
        write_committee,
        read,
        keeps="cases",
        flip=flips.STRUCTURE,
        takes=takes,
        finds_kinds=True,
    )


AUTO = _row("auto", "The autopilot: readings chosen and combined by held-out answers", auto.fit_auto, auto.Auto,
            auto.AutoSettings)  # fmt: skip
FOREST = _row("forest", "A forest of trees whose leaves hold cases", auto.fit_forest, auto.CaseForest,
              auto.ForestSettings)  # fmt: skip
KERNEL = _row("kernel", "Kernel vote: all cases vote, by learned distances", auto.fit_kernel, auto.Kernel,
              auto.KernelSettings)  # fmt: skip
OPINIONS = _row("opinions", "Opinions of values and of pairs of values, multiplied", auto.fit_opinions, auto.Opinions,
                auto.OpinionSettings)  # fmt: skip
DISCRIMINANT = _row("discriminant", "Regularised discriminant analysis: a normal distribution per class",
                    auto.fit_discriminant, auto.Discriminant, auto.DiscriminantSettings)  # fmt: skip
