"""What is stored with the cases and never compared: whether ids are whole numbers, and the texts that are kept."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from casebase.scale.tasks import Counted, Shape


@dataclass(frozen=True, eq=False)
class Names:
    """What all parts show of the ids, and the distinct texts of each column that is kept."""

    has_whole_ids: bool
    provenance: tuple[pa.Array, ...]

    @classmethod
    def of(cls, parts: Sequence[Counted], shape: Shape) -> "Names":
        has_whole = shape.id_column is not None and all(part.has_whole_ids for part in parts)
        texts = (pc.unique(pa.concat_arrays(column)) for column in zip(*(part.provenance for part in parts)))
        return cls(has_whole, tuple(texts))
