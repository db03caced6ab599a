"""benchmarks/scaling/simulate.py: costs and steps that can be computed by hand, and the page."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "scaling"
SPEC = importlib.util.spec_from_file_location("simulate", FOLDER / "simulate.py")
simulate = importlib.util.module_from_spec(SPEC)
sys.modules["simulate"] = simulate
sys.dont_write_bytecode = True
SPEC.loader.exec_module(simulate)

# 1,000 and 3,000 elements, complete in the middle and at the end of backward.
SMALL = simulate.Network(
    "small", [simulate.Gradient(1000, 0.5), simulate.Gradient(3000, 1.0)], forward_share=0.25
)
STEP = simulate.Step(forward=1.0, backward=2.0, update=0.5, told_by="")
# Two nodes of one GPU, 1 s for each message, 1,000 bytes a second, nothing else.
TWO = simulate.Cluster(
    2, node=1, alpha_near=0, bandwidth_near=1e30, alpha_far=1, bandwidth_far=1000, launch=0
)


class AllReduce(unittest.TestCase):
    def test_between_two_nodes_both_ways_send_the_bytes_once_each_way(self):
        cost = simulate.hierarchical(TWO, 5000)
        self.assertEqual((cost.latency, cost.link), (2, 5))  # 2 messages, 2 (m-1)/m 5000 bytes

    def test_of_many_nodes_small_sums_take_trees_and_large_ones_a_ring(self):
        many = replace(TWO, ranks=8)
        self.assertEqual(simulate.hierarchical(many, 1000), (6, 2))  # 2 log2 8; 2 S/B
        self.assertEqual(simulate.hierarchical(many, 100_000), (14, 175))  # 2 7; 2 7/8 S/B

    def test_inside_a_node_nothing_takes_the_link(self):
        node = simulate.Cluster(8, alpha_near=1, bandwidth_near=1000, alpha_far=1e9)
        self.assertEqual(simulate.hierarchical(node, 8000).link, 14 + 14)  # 2 7 alpha; 2 7/8 S/B
        self.assertEqual(simulate.hierarchical(node, 8000).latency, 0)

    def test_between_pairs_all_ranks_of_a_node_share_its_link(self):
        two_nodes_of_two = replace(TWO, ranks=4, node=2)
        cost = simulate.pairs(two_nodes_of_two, 4000)
        self.assertEqual(cost.link, 2 * 2 * 1 + 2 * 2 * 2 * 1)  # 4 messages, 8 parts of 1,000 bytes

    def test_the_check_of_a_call_grows_with_the_logarithm(self):
        self.assertEqual(
            [simulate.check(replace(TWO, ranks=n)) for n in (1, 2, 3, 8)], [0, 1, 2, 3]
        )


class Steps(unittest.TestCase):
    def test_one_rank_waits_for_nobody(self):
        self.assertEqual(
            simulate.simulate(SMALL, STEP, replace(TWO, ranks=1), "float32", 1), (3.5, 1.0, 0.0)
        )

    def test_buckets_wait_for_their_gradients_and_for_the_link(self):
        # Sums of 4,000 and 12,000 bytes. The first is ready at 1, checked at 2, sent at 6. The
        # second is ready at 2, checked at 3, takes the link from 6 to 18, is there at 20.
        result = simulate.simulate(SMALL, STEP, TWO, "float32", 1)
        self.assertEqual(result, (3.5 + 18, 3.5 / 21.5, 18))

    def test_with_one_bucket_in_flight_latencies_add_up(self):
        # The first is there at 8; only then the second begins: checked at 9, sent at 21.
        one = replace(TWO, in_flight=1)
        self.assertEqual(simulate.simulate(SMALL, STEP, one, "float32", 1).waited, 21)

    def test_halves_take_half_the_time_on_the_link(self):
        free = replace(TWO, alpha_far=0)
        whole, half = (
            simulate.simulate(SMALL, STEP, free, dtype, 1e9).waited
            for dtype in ("float32", "float16")
        )
        self.assertEqual((whole, half), (16, 8))

    def test_a_link_without_costs_makes_every_number_of_ranks_linear(self):
        free = replace(TWO, ranks=4096, alpha_far=0, bandwidth_far=1e30)
        self.assertAlmostEqual(
            simulate.simulate(SMALL, STEP, free, "float32", 1).efficiency, 1, places=12
        )


class Buckets(unittest.TestCase):
    def test_are_closed_when_full_and_the_last_at_the_end(self):
        self.assertEqual(simulate.buckets(SMALL, "float32", 1), [(4000, 0.5), (12000, 1.0)])
        self.assertEqual(simulate.buckets(SMALL, "float16", 4000), [(8000, 1.0)])
        self.assertEqual(simulate.buckets(SMALL, "float32", 1e9), [(16000, 1.0)])

    def test_hold_all_gradients_whatever_their_size(self):
        for network in simulate.read_networks().values():
            for size in (1, 2**20, 2**40):
                sent = sum(b for b, _ in simulate.buckets(network, "float32", size))
                self.assertEqual(sent, 4 * network.elements, network.name)


class Files(unittest.TestCase):
    def test_the_networks_are_those_of_their_papers(self):
        networks = simulate.read_networks()
        self.assertEqual(networks["resnet50"].elements, 25_557_032)
        self.assertEqual(networks["gpt2_small"].elements, 124_439_808)
        for network in networks.values():
            at = [gradient.at for gradient in network.gradients]
            self.assertEqual(at, sorted(at))
            self.assertGreaterEqual(at[0], 0)
            self.assertLessEqual(at[-1], 1)

    def test_a_damaged_file_is_named_with_its_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.jsonl"
            path.write_text('{"network": "a"}\n')
            with self.assertRaisesRegex(ValueError, r"x\.jsonl:1: not a line of scaling_gradients"):
                simulate.read_networks(path)

    def test_the_page_shows_what_is_simulated(self):
        self.assertEqual(simulate.write_page(check_only=True), 0)

    def test_a_page_without_a_place_for_the_tables_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "no place for the tables"):
            simulate.page_with_tables("# A page\n", "text")


if __name__ == "__main__":
    unittest.main()
