"""Cross-validation as TiMBL runs it: each file is tested with a memory of the others.

Files are read in the order 2, 3, …, 1; that is the order in which classes and values are numbered. The second file
alone decides the order of the features. The first fold does not know classes that only the first file has; all later
folds know all classes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from casebase.data import Table
from casebase.data.arrays import as_integers
from casebase.timbl.data_files import DataFile
from casebase.timbl.memory import Memory, Training, remember
from casebase.timbl.options import Options


@dataclass(frozen=True, eq=False)
class Fold:
    """A file to test, and the memory of the others."""

    file: DataFile
    memory: Memory


def folds_of(files: list[DataFile], options: Options, warn: Callable[[str], object]) -> Iterator[Fold]:
    """Yield the folds, one per file, in the order of the files."""
    reading_order = [*range(1, len(files)), 0]
    in_order = [files[i] for i in reading_order]
    columns = [_join([file.columns[i] for file in in_order]) for i in range(len(files[0].columns))]
    classes = columns[-1].dictionary.to_pylist()
    sizes = [file.n_lines for file in in_order]
    file_of_line = np.repeat(reading_order, sizes)
    second = remember(Training.from_file(files[1], options), options, None, lambda warning: None)
    for i, file in enumerate(files):
        lines = np.flatnonzero(file_of_line != i)
        part = [_drop_unused(column.take(as_integers(lines))) for column in columns]
        table = Table(files[0].table().names, tuple(part), len(part) - 1, is_named=False)
        known = classes if i else part[-1].dictionary.to_pylist()
        training = Training(file.path, len(part) - 1, table, classes=known, order=second.order, n_used=second.n_used)
        yield Fold(file, remember(training, replace(options, limit=None), None, warn))


def _join(parts: list[pa.DictionaryArray]) -> pa.DictionaryArray:
    """Return columns one after the other, values in order of first appearance."""
    return pa.chunked_array(parts).unify_dictionaries().combine_chunks()


def _drop_unused(column: pa.DictionaryArray) -> pa.DictionaryArray:
    """Return a column with only the values that occur, in order of first appearance."""
    return column.dictionary_decode().dictionary_encode()
