"""Answers as plain Python: labels, and votes by label."""

from casebase.base.answers import Answers


def labels_and_votes(schema, answers: Answers):
    """Return [(label, {label: votes}), …], one for each case."""
    return [
        (schema.classes[label], {schema.classes[c]: votes for c, votes in answers.votes_of(i).items()})
        for i, label in enumerate(answers.label)
    ]


def ask(model, queries, **options):
    """Return what a model says about rows, as `labels_and_votes`."""
    return labels_and_votes(model.schema, model.answer(model.schema.encode(queries), **options))
