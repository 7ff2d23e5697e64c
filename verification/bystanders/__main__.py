"""`python -m verification.bystanders`: every pair of features in one model, by every scheme that takes it.

python -m verification.bystanders                            # all; an hour and a half of a processor
python -m verification.bystanders --part 3/20                # every twentieth pair, from the third on
python -m verification.bystanders --feature gear --scheme GeneralizedAlpha
python -m verification.bystanders --page                     # writes docs/combinations.md
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product

from verification.bystanders.comparisons import WAYS, differences
from verification.bystanders.features import FEATURES
from verification.bystanders.page import PAGE, page
from verification.bystanders.statements import SCHEMES

ORDERED = WAYS[:1]  # of two features in both orders; the other ways once


def pairs(schemes: list[str], features: list[str]) -> Iterator[tuple[str, str, str]]:
    """Ordered pairs of which one is among the `features`, with the schemes."""
    for scheme, one, two in product(schemes, FEATURES, FEATURES):
        if one in features or two in features:
            yield scheme, one, two


def main() -> int:
    """Print differences above their limit and the number of pairs; 1 if there is one."""
    parser = argparse.ArgumentParser(prog="python -m verification.bystanders", description=__doc__)
    parser.add_argument("--scheme", action="append", choices=[*SCHEMES])
    parser.add_argument("--feature", action="append", choices=[*FEATURES], help="pairs with this one")
    parser.add_argument("--part", default="1/1", metavar="I/N", help="every N-th pair from the I-th on")
    parser.add_argument("--page", action="store_true", help="write docs/combinations.md and run nothing")
    asked = parser.parse_args()
    if asked.page:
        PAGE.write_text(page())
        return 0
    first, every = map(int, asked.part.split("/"))
    chosen = list(pairs(asked.scheme or [*SCHEMES], asked.feature or [*FEATURES]))[first - 1 :: every]
    found: Counter[str] = Counter()
    above = 0
    for scheme, one, two in chosen:
        for difference in differences((one, two), scheme, WAYS if one <= two else ORDERED):
            found[difference.way] += 1
            if not difference.within:
                above += 1
                print(f"{scheme}, {one} + {two}: {difference}", flush=True)
    print(f"{len(chosen)} pairs, {above} differences above their limits; compared: {dict(found)}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
