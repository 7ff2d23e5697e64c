"""Sweeps on a dask cluster; one of its two workers is killed in the middle."""

import pytest

import nsgalpha as ns
from verification.sweep import scatter
from verification.sweep.cluster import ALONE, on_a_cluster
from verification.sweep.model import break_shot

pytest.importorskip("distributed")


def listening():
    """Addresses at which this process listens."""
    import psutil  # of dask

    process = psutil.Process()
    found = process.net_connections if hasattr(process, "net_connections") else process.connections
    return [each.laddr.ip for each in found("tcp") if each.status == "LISTEN"]


def test_workers_of_a_cluster_find_the_same():
    from distributed import Client, LocalCluster
    from swept import product

    points = [{"a": a} for a in range(5)]
    options = {"threads_per_worker": 1, "silence_logs": 50, "dashboard_address": None}
    with LocalCluster(n_workers=2, processes=False, **options) as cluster, Client(cluster) as client:
        table = ns.sweep(product, points, executor=client)
    assert table.same(ns.sweep(product, points, workers=1))


@pytest.mark.long
def test_a_cluster_that_loses_a_worker_finds_the_same_to_the_bit(tmp_path):
    points = scatter(24)
    table, begun = on_a_cluster(points, tmp_path / "breaks.jsonl")
    assert begun == 3  # two and the one that replaced the killed one
    assert table.done.all()
    assert table.same(ns.sweep(break_shot, points, workers=1))


@pytest.mark.long
def test_a_point_that_kills_the_workers_of_a_cluster_is_lost(tmp_path):
    from distributed import Client, LocalCluster
    from swept import dies

    points = [{"a": a, "folder": str(tmp_path), "times": 99} for a in range(5)]
    options = {"threads_per_worker": 1, "silence_logs": 50, **ALONE}
    with LocalCluster(n_workers=2, processes=True, **options) as cluster, Client(cluster) as client:
        places = [*listening(), *(each for found in client.run(listening).values() for each in found)]
        assert set(places) == {"127.0.0.1"}
        assert len(places) >= 3
        table = ns.sweep(dies, points, executor=client, retries=0)
    assert table.outcome.tolist() == ["done", "done", "done", "lost", "done"]
    assert "KilledWorker" in table.message[3]
