"""The autopilot and its readings: forest, kernel, opinions and discriminant."""

from typing import Any

import numpy as np

from casebase.autopilot.opinions import base_shares
from casebase.render.class_bars import colours_of
from casebase.render.drawing import COLOURS, INK, PALE, SOFT, matplotlib
from lab.pictures.canvas import Canvas, sheet
from lab.pictures.examples import example


def autopilot() -> Any:
    """Return the held-out log loss of each reading beside its exponent in the committee."""
    clf = example("autopilot", "clf")["clf"]
    rows = clf.model_.summary().counts["readings"]
    losses, exponents, scale = 1.75, 5.75, 3.6
    with sheet(9.2, 3.35) as canvas:
        canvas.soft(losses, 0.3, "held-out log loss: less is better")
        canvas.soft(exponents, 0.3, "exponent in the product")
        for i, row in enumerate(rows):
            at = 0.75 + 0.4 * i
            canvas.text(0.15, at, row["reading"])
            _bar(canvas, losses, at, scale * row["log_loss"], PALE)
            canvas.text(losses + scale * row["log_loss"] + 0.1, at, f"{row['log_loss']:.2f}", fontsize=10)
            _bar(canvas, exponents, at, scale * row["exponent"], COLOURS[0])
            canvas.text(exponents + scale * row["exponent"] + 0.1, at, f"{row['exponent']:.2f}", fontsize=10)
        together, at = clf.held_out_log_loss_, 0.9 + 0.4 * len(rows)
        canvas.text(0.15, at, "together", weight="bold")
        _bar(canvas, losses, at, scale * together, COLOURS[2])
        canvas.text(losses + scale * together + 0.1, at, f"{together:.2f}", fontsize=10, weight="bold")
        canvas.text(exponents, at, f"sum {sum(row['exponent'] for row in rows):.2f}", fontsize=10)
    return canvas.figure


def forest() -> Any:
    """Return the class shares at the leaf that each tree leads the patient to, and their mean."""
    page = example("forest", "clf")
    model, asked = page["clf"].model_, _asked(page["clf"], page["patient"])
    grown, classes = model.readings["forest"], model.stored.class_names
    colours = colours_of(dict(zip(classes, model.stored.class_weights)))
    leaves = grown.native.leaves(grown.codes(asked), 0, grown.n_trees, 1).tolist()
    votes = np.array([_leaf_shares(grown, leaf, len(classes)) for leaf in leaves])
    shares = grown.shares(asked)[0]
    assert np.allclose((votes.sum(axis=0) + grown.prior) / (grown.n_trees + 1), shares)
    n_across, step, side = 20, 0.3, 0.26
    with sheet(9.2, 2.75) as canvas:
        canvas.soft(0.2, 0.3, f"the leaves of {grown.n_trees} trees, by their share of {classes[shares.argmax()]}")
        for i, tree in enumerate(np.lexsort([*votes.T[::-1], votes[:, shares.argmax()]])[::-1].tolist()):
            x, y = 0.2 + step * (i % n_across), 0.6 + step * (i // n_across)
            for label, share in zip(classes, votes[tree]):
                canvas.box(x, y, side * share, side, fc=colours[label], boxstyle="square,pad=0", zorder=2)
                x += side * share
        canvas.soft(6.7, 0.3, "mean, with the class frequencies")
        for i, (label, share) in enumerate(zip(classes, shares)):
            _bar(canvas, 7.2, 0.85 + 0.4 * i, 1.4 * share, colours[label])
            canvas.text(6.7, 0.85 + 0.4 * i, label)
            canvas.text(7.3 + 1.4 * share, 0.85 + 0.4 * i, f"{share:.2f}", fontsize=10)
        canvas.legend(0.3, 2.45, {label: colours[label] for label in classes})
    return canvas.figure


def _leaf_shares(grown: Any, leaf: int, n_classes: int) -> np.ndarray:
    """Return the class shares of the cases at a leaf."""
    first = grown.nodes["first_vote"]
    votes = slice(first[leaf], first[leaf + 1])
    return np.bincount(grown.nodes["vote_label"][votes], grown.nodes["vote"][votes], minlength=n_classes)


def kernel() -> Any:
    """Return the learned weights of the features, and the votes of the stored robots by distance."""
    page = example("kernel", "reading")
    reading, names, model = page["reading"], page["names"], page["clf"].model_
    votes = reading.native.each(*reading.question(_asked(page["clf"], page["robot"])))
    classes = model.stored.class_names
    colours = colours_of({label: -i for i, label in enumerate(classes[::-1])})
    weights = dict(zip(names, np.reshape(reading.plan["weights"], (-1, 2)).tolist()))
    far, left, bottom, width, height = 12.0, 5.0, 2.75, 4.3, 2.1
    with sheet(9.8, 3.75) as canvas:
        canvas.soft(0.2, 0.3, "learned weights, the two of a feature added")
        for i, name in enumerate(sorted(names)):
            at, x = 0.75 + 0.4 * i, 0.65
            canvas.text(0.2, at, name)
            for weight, colour in zip(weights[name], (SOFT, PALE)):
                _bar(canvas, x, at, 0.12 * weight, colour)
                x += 0.12 * weight
            canvas.text(x + 0.1, at, f"{sum(weights[name]):.1f}", fontsize=10)
        canvas.soft(0.2, 3.3, "dark: range or overlap; pale: rank or value difference")
        canvas.soft(left, 0.3, "vote of a stored case by its distance beyond the nearest")
        steps = np.linspace(0, far, 200)
        canvas.axes.plot(left + width * steps / far, bottom - height * np.exp(-steps), color=PALE, zorder=1)
        canvas.line(left, bottom, left + width, bottom, color=INK, linewidth=1)
        for distance in range(0, int(far) + 1, 2):
            canvas.soft(left + width * distance / far, bottom + 0.25, str(distance), ha="center")
        for vote in (0.0, 0.5, 1.0):
            canvas.soft(left - 0.15, bottom - height * vote, f"{vote:g}", ha="right")
        shown = votes > np.exp(-far)
        for label in range(len(classes)):
            of_class = votes[shown & (reading.labels == label)]
            for vote in of_class:
                canvas.dot(
                    left - width * np.log(vote) / far, bottom - height * vote, colours[classes[label]], radius=0.06
                )
        canvas.legend(left + 0.05, 3.3, {f"class {label}": colours[label] for label in classes[::-1]})
        canvas.soft(left + 1.9, 3.3, f"{int((~shown).sum())} of {len(votes)} cases are farther")
    return canvas.figure


def opinions() -> Any:
    """Return what each value says for and against each class, in bits, with its exponent."""
    page = example("opinions", "clf")
    model, patient, asked = page["clf"].model_, page["patient"], _asked(page["clf"], page["patient"])
    pool, names, classes = model.readings["opinions"], page["names"], model.stored.class_names
    colours = colours_of(dict(zip(classes, model.stored.class_weights)))
    base = base_shares(pool.class_weights)[np.newaxis]
    said = [(opinion, opinion.logs(opinion.found(asked), base)[0] / np.log(2)) for opinion in pool.singles]
    shares = pool.shares(asked)[0]
    zero, scale = 5.85, 0.5
    with sheet(9.2, 3.6) as canvas:
        canvas.soft(0.2, 0.3, "value")
        canvas.soft(2.35, 0.3, "exponent")
        canvas.soft(zero, 0.3, "bits for or against each class, times the exponent", ha="center")
        for i, ((opinion, bits), exponent) in enumerate(zip(said, pool.first.exponents[1:])):
            at, name = 0.8 + 0.62 * i, names[opinion.features[0]]
            canvas.text(0.2, at, f"{name} = {patient[name]}")
            canvas.text(2.35, at, f"{exponent:.2f}")
            for row, (label, bit) in enumerate(zip(classes, exponent * bits)):
                y = at + 0.18 * (row - 1)
                _bar(canvas, zero, y, scale * bit, colours[label], height=0.15)
                x = zero + scale * bit + (0.08 if bit >= 0 else -0.08)
                canvas.text(x, y, _signed(bit), fontsize=8.5, ha="left" if bit >= 0 else "right")
        canvas.line(zero, 0.5, zero, 3.0, color=INK, linewidth=1, zorder=3)
        canvas.soft(7.7, 0.3, "the answer")
        for i, (label, share) in enumerate(zip(classes, shares)):
            canvas.text(
                7.7, 0.75 + 0.3 * i, f"{label} {share:.2f}", weight="bold" if share == shares.max() else "normal"
            )
        canvas.legend(0.3, 3.3, {label: colours[label] for label in classes})
        canvas.soft(3.2, 3.3, f"not shown: the class frequencies, the bias, and {len(pool.pairs)} pairs of values")
    return canvas.figure


def discriminant() -> Any:
    """Return the irises in the plane of their petals, with the normal distribution of each species."""
    page = example("discriminant", "clf")
    model = page["clf"].model_
    reading, stored = model.readings["discriminant"], model.stored
    classes, names = stored.class_names, [model.schema.names[i] for i in model.features.positions]
    colours = dict(zip(classes, COLOURS))
    across, up = (next(i for i, one in enumerate(reading.numbers) if names[one[0]] == f"petal {side} (cm)")
                  for side in ("length", "width"))  # fmt: skip
    centre, spread = (np.array([reading.numbers[i][k] for i in (across, up)]) for k in (1, 2))
    left, bottom, inch = 0.75, 4.1, np.array([1.05, -1.25])
    start = np.array([left, bottom])
    turn = np.linspace(0, 2 * np.pi, 200)
    circle = np.stack([np.cos(turn), np.sin(turn)])
    patches = matplotlib().patches
    with sheet(9.4, 4.85) as canvas:
        for c, label in enumerate(classes):
            # In the plane of two dimensions a normal distribution has their part of the mean and of the covariance.
            plane = np.ix_([across, up], [across, up])
            factor = np.linalg.cholesky(covariance(reading, c)[plane])
            for radius in (1, 2):
                ring = reading.means[c, [across, up], np.newaxis] + radius * factor @ circle
                at = start + (centre + spread * ring.T) * inch
                canvas.axes.add_patch(patches.Polygon(at, fc=colours[label], ec="none", alpha=0.16, zorder=1))
        values = np.stack([stored.inputs.numbers[reading.numbers[i][0]] for i in (across, up)], axis=1)
        for c, label in enumerate(classes):
            x, y = (start + np.unique(values[stored.labels == c], axis=0) * inch).T
            canvas.axes.scatter(x, y, s=42, color=colours[label], linewidths=0, zorder=3)
        asked = page["X"][133]
        found = page["clf"].explain([asked])[0]
        x, y = start + np.array([asked["petal length (cm)"], asked["petal width (cm)"]]) * inch
        canvas.axes.add_patch(patches.Circle((x, y), 0.11, fc="none", ec=INK, linewidth=1.6, zorder=4))
        canvas.line(x, y + 0.11, x + 0.25, 3.3, color=INK, linewidth=1, zorder=4)
        canvas.text(x + 0.3, 3.38, f"asked: {found.label} {found.votes[found.label]:.2f}", fontsize=9.5)
        canvas.line(left, bottom, 9.1, bottom, color=INK, linewidth=1)
        canvas.line(left, bottom, left, 0.5, color=INK, linewidth=1)
        for length in range(1, 7):
            canvas.soft(left + inch[0] * length, bottom + 0.2, str(length), ha="center")
        for width in range(3):
            canvas.soft(left - 0.15, bottom + inch[1] * width, str(width), ha="right")
        canvas.soft(9.1, bottom + 0.2, "petal length (cm)", ha="right")
        canvas.soft(0.2, 0.3, "petal width (cm)")
        canvas.legend(left + 0.1, 4.65, colours, step=1.2)
        canvas.soft(left + 3.8, 4.65, "ellipses: one and two standard deviations")
    return canvas.figure


def covariance(reading: Any, c: int) -> np.ndarray:
    """Return the covariance matrix of a class: its own scatter and the pooled one, with the ridge, per case."""
    own, ridge = 1 - reading.plan["shrinkage"], reading.plan["ridge"]
    scatter = (
        own * reading.scatters[c] + (1 - own) * reading.scatters.sum(axis=0) + ridge * np.eye(len(reading.means[c]))
    )
    return np.asarray(scatter / (own * reading.totals[c] + (1 - own) * reading.totals.sum() + ridge))


def _asked(clf: Any, case: dict[str, str]) -> Any:
    """Return a query as the readings take it."""
    return clf.model_.features.inputs(clf._cases([case]))


def _bar(canvas: Canvas, x: float, y: float, length: float, colour: str, height: float = 0.26) -> None:
    """Draw a bar from x, to the left if its length is negative."""
    canvas.box(min(x, x + length), y - height / 2, abs(length), height, fc=colour, boxstyle="square,pad=0", zorder=2)


def _signed(bits: float) -> str:
    return f"{bits:+.2f}".replace("-", "−")
