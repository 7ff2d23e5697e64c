"""The page docs/combinations.md, from the features and the rules of refusal."""

from __future__ import annotations

from pathlib import Path

from verification.bystanders.comparisons import KNOWN, LIMITS
from verification.bystanders.features import FEATURES, RULES, refusal
from verification.bystanders.statements import SCHEMES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "combinations.md"
INTRODUCTION = """\
# Which features go together

Two features of one model do not change one another's results. Every pair of this list runs in one model,
50 m apart, and is compared with each of them alone. It also runs from a state and from a file, rotated,
mirrored, moved by a kilometre, in another order, and driven from Python. `python -m
verification.bystanders` runs the pairs; with `--page` it writes this page. The scenes are in
`verification/bystanders/`.

Differences of velocities, over the largest speed of the scene, are at most
{limits}.
Impacts multiply rounding some ten times each. Continued runs are equal to the bit; where a large sparse
system is solved they are to 1e-12, contacts of primitives in the implicit schemes to 2e-8.

| mark | |
|---|---|
| yes | taken |
| – | refused, by an error that names the element and the remedy |
"""


def page() -> str:
    """The page as text."""
    heads = [*SCHEMES, "in a periodic cell"]
    limits = ", ".join(f"{way} {limit:.0e}" for way, limit in LIMITS.items() if limit)
    lines = [
        INTRODUCTION.replace("{limits}", limits),
        "| feature | " + " | ".join(heads) + " |",
        "|---" * (1 + len(heads)) + "|",
    ]
    cell = next(feature for feature in FEATURES.values() if feature.periodic)
    for feature in FEATURES.values():
        marks = ["–" if refusal([feature], scheme) else "yes" for scheme in SCHEMES]
        marks.append("–" if refusal([feature, cell], "GeneralizedAlpha") else "yes")
        lines.append(f"| {feature.name} | " + " | ".join(marks) + " |")
    lines += ["\n## Why\n", "| what | refused | because |", "|---|---|---|"]
    for rule in RULES:
        by = (
            "in a periodic cell" if rule.periodic else "by " + ", ".join(f"`{each}`" for each in rule.schemes)
        )
        lines.append(f"| {rule.what} | {by} | {rule.reason} |")
    lines += ["\n## Where the limit is larger\n", "| feature | how | limit | because |", "|---|---|---|---|"]
    for (scheme, name, way), (limit, reason) in KNOWN.items():
        lines.append(f"| {name} with `{scheme}` | {way} | {limit:.0e} | {reason} |")
    return "\n".join(lines) + "\n"
