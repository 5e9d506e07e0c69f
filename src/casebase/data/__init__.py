"""Tables and cases: rows of values come in, cases in integer codes go out."""

from casebase.data.cases import Cases, Schema
from casebase.data.features import Feature, Kind
from casebase.data.table import Table
from casebase.data.tables import as_table, with_target
from casebase.data.vocabulary import Vocabulary

__all__ = ["Cases", "Feature", "Kind", "Schema", "Table", "Vocabulary", "as_table", "with_target"]
