"""`python -m verification.sweep`: a thousand breaks in processes or threads, or on a dask cluster beside."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

import nsgalpha as ns
from nsgalpha.commands.command_line import Parser, file, folder
from verification.report import write_report
from verification.run import Verdict
from verification.sweep import SEED, outcome_of, scatter
from verification.sweep import __doc__ as about
from verification.sweep.cluster import on_a_cluster
from verification.sweep.model import break_shot
from verification.table import case_table


def main() -> int:
    """Sweep, compare, report; 0 if all rows pass and a cluster agrees to the bit."""
    parser = Parser(prog="python -m verification.sweep", description=__doc__)
    parser.add_argument("--breaks", type=int, default=1000, metavar="N", help="breaks (1000)")
    parser.add_argument("--seed", type=int, default=SEED, metavar="SEED", help=f"of the scatter ({SEED})")
    parser.add_argument("--workers", type=int, metavar="K", help="processes, by default one a processor")
    parser.add_argument("--threads", type=int, default=1, metavar="K", help="threads instead of processes")
    parser.add_argument("--file", type=file, metavar="FILE", help="keep the breaks here, or go on with them")
    parser.add_argument("--dask", action="store_true", help="also on two dask workers, one of them killed")
    parser.add_argument("--report", type=folder, metavar="DIR", help="write DIR/index.html with the figure")
    parser.add_argument("--csv", type=file, metavar="FILE", help="write the table to FILE")
    arguments: argparse.Namespace = parser.parse_args()
    points = scatter(arguments.breaks, arguments.seed)
    clock = time.perf_counter()
    given = {"workers": arguments.workers, "threads": arguments.threads, "file": arguments.file}
    table = ns.sweep(break_shot, points, **given, progress=True)
    seconds = time.perf_counter() - clock
    title = (about or "").splitlines()[0].rstrip(".")
    verdict = Verdict("sweep", title, outcome_of(table), seconds)
    print(case_table(verdict))
    print(f"{table.status} in {seconds:.1f} s")
    if arguments.csv:
        table.to_csv(arguments.csv)
    if arguments.report:
        print(f"report: {write_report(arguments.report, [verdict])}")
    same = not arguments.dask or compare(table, points)
    return 0 if verdict.passed and same else 1


def compare(table: ns.Table, points: list[dict[str, float]]) -> bool:
    """True if a cluster finds the same although a worker is killed."""
    with tempfile.TemporaryDirectory() as place:
        clock = time.perf_counter()
        other, begun = on_a_cluster(points, Path(place) / "breaks.jsonl", progress=True)
    same = table.same(other)
    print(f"dask, two workers, {begun - 2} killed and replaced: {other.status}")
    print(f"the same to the bit: {'yes' if same else 'NO'}; {time.perf_counter() - clock:.1f} s")
    return same


if __name__ == "__main__":
    sys.exit(main())
