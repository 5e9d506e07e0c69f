"""Let atheris choose the inputs of a target by the branches that they reach in casebase's Python code.

It needs the package atheris, which is not among the requirements: `pip install atheris`. Its mutations alternate with
ours. What it found stays in the folder of the report, and the next run begins with it.
"""

import random
import sys
import types
from pathlib import Path
from typing import Any

from lab.fuzz.run import keep
from lab.fuzz.targets import Target


def guide(target: Target, n: int, seed: int, folder: Path) -> None:
    """Make tries with a target; the first fault ends the process, and its input is kept."""
    import atheris

    seeds = target.seeds()
    for data in seeds:
        _tried(target, data, folder)  # imports all that reading needs, so that it can be instrumented
    n_functions = sum(_instrument(atheris, module) for name, module in list(sys.modules.items()) if _is_ours(name))
    print(f"{target.name}: {n_functions:,} functions are watched", flush=True)
    found = folder / "guided" / target.name
    found.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(seeds):
        (found / f"seed-{number}").write_bytes(data)

    def mutate(data: bytes, size: int, its_seed: int) -> bytes:
        draw = random.Random(its_seed)
        if draw.random() < 0.3:
            return bytes(atheris.Mutate(data, size))
        return target.mutate(draw, [data, draw.choice(seeds)])[:size]

    atheris.Setup(
        ["fuzz", f"-runs={n}", f"-seed={seed or 1}", "-max_len=4096", "-timeout=30", "-rss_limit_mb=2048", str(found)],
        lambda data: _tried(target, data, folder),
        custom_mutator=mutate,
    )
    atheris.Fuzz()


def _tried(target: Target, data: bytes, folder: Path) -> None:
    try:
        target.try_once(data)
    except Exception as error:
        (folder / "crashers").mkdir(parents=True, exist_ok=True)
        print(keep(data, target.name, folder / "crashers", f"{type(error).__name__}: {error}"), file=sys.stderr)
        raise


def _is_ours(name: str) -> bool:
    return name.startswith("casebase.") and not name.startswith("casebase.cli")


def _instrument(atheris: Any, module: types.ModuleType) -> int:
    """Let the functions and methods of a module report their branches; return how many do."""
    functions = [value for value in vars(module).values() if isinstance(value, types.FunctionType)]
    classes = [value for value in vars(module).values() if isinstance(value, type)]
    functions += [value for one in classes for value in vars(one).values() if isinstance(value, types.FunctionType)]
    own = [function for function in functions if function.__module__ == module.__name__]
    for function in own:
        atheris.instrument_func(function)
    return len(own)
