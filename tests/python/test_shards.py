"""Samples in tar shards, against Python's tarfile and a plain model of the order."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import catena as ct
import numpy as np
import pytest

shards = pytest.importorskip("catena.shards")

Files = dict[str, bytes]


def write_tar(path: Path, samples: list[tuple[str, Files]], **options: Any) -> None:
    with tarfile.open(path, "w", **options) as archive:
        for key, files in samples:
            for extension, content in files.items():
                entry = tarfile.TarInfo(f"{key}.{extension}")
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))


def read_tar(path: str | Path) -> list[tuple[str, bytes]]:
    with tarfile.open(path) as archive:
        return [(m.name, archive.extractfile(m).read()) for m in archive]  # type: ignore[union-attr]


@pytest.fixture
def numbered(tmp_path: Path) -> str:
    """Seven shards of different lengths, whose samples are the numbers 0, 1, 2, ..."""
    draw = random.Random(7)
    number = 0
    for shard in range(7):
        samples: list[tuple[str, Files]] = []
        for _ in range(draw.randrange(1, 30)):
            samples.append((f"n/{number:05}", {"cls": str(number).encode(), "bin": bytes(number)}))
            number += 1
        write_tar(tmp_path / f"n-{shard:02}.tar", samples)
    return str(tmp_path / "n-{00..06}.tar")


def all_numbers(pattern: str) -> list[int]:
    return list(range(sum(shards.count(path) for path in shards.expand(pattern))))


def number(sample: dict[str, Any]) -> int:
    return int(sample["cls"])


def given(data: Any) -> list[int]:
    return [int(n) for batch in data for n in batch]


def test_braces_name_the_paths_that_a_shell_would() -> None:
    assert shards.expand("a-{08..11}.tar") == ["a-08.tar", "a-09.tar", "a-10.tar", "a-11.tar"]
    assert shards.expand("{train,val}-{0..1}") == ["train-0", "train-1", "val-0", "val-1"]
    assert shards.expand("a{1}b{c}{}{2..x}") == ["a{1}b{c}{}{2..x}"]
    assert shards.expand("x{3..1}") == ["x3", "x2", "x1"]
    assert shards.expand("open{1,2") == ["open{1,2"]
    with pytest.raises(ct.ArgumentError, match="more than 1000000 paths"):
        shards.expand("{0..999}{0..9999}")


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_what_tarfile_writes_is_read(tmp_path: Path, form: int) -> None:
    long = "d/" * 40 + "n" * 60
    samples = [
        ("a/0", {"jpg": b"\0\xff" * 700, "seg.png": b"", "json": b"{}"}),
        (long, {"txt": "größer".encode()}),
        ("größe", {"cls": b"5"}),
    ]
    write_tar(tmp_path / "x.tar", samples, format=form)
    [batch] = shards.Shards(tmp_path / "x.tar", 10, shuffle=False)
    found = [(s["__key__"], {k: v for k, v in s.items() if k[:2] != "__"}) for s in batch]
    assert found == samples
    (tmp_path / "x.tar.gz").write_bytes(gzip.compress((tmp_path / "x.tar").read_bytes()))
    [packed] = shards.Shards(tmp_path / "x.tar.gz", 10, shuffle=False)
    assert [s["__key__"] for s in packed] == [key for key, _ in samples]


def test_tarfile_reads_what_is_written(tmp_path: Path) -> None:
    samples = [
        ("a/0", {"jpg": bytes(range(256)) * 5, "cls": b"3"}),
        ("k" * 300, {"txt": b"x" * 512}),
        ("größe", {"a.b": b""}),
    ]
    with shards.Writer(tmp_path / "w-%03d.tar", most_samples=2) as writer:
        for key, files in samples:
            writer.write(key, files)
    assert writer.shards == [str(tmp_path / "w-000.tar"), str(tmp_path / "w-001.tar")]
    assert len(writer) == 3
    content = [entry for path in writer.shards for entry in read_tar(path)]
    assert content == [(f"{k}.{e}", c) for k, files in samples for e, c in files.items()]


def test_a_shard_appears_when_it_is_complete(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), shards.Writer(tmp_path / "w.tar") as writer:
        writer.write("0", {"cls": "1"})
        raise RuntimeError
    assert not list(tmp_path.glob("w.tar"))


@pytest.mark.parametrize(
    ("key", "files", "message"),
    [
        ("a.b", {"cls": b""}, "no dot"),
        ("a", {"CLS": b""}, "small letters"),
        ("a", {"x/y": b""}, "slash"),
        ("a", {}, "has no files"),
        ("same", {"cls": b""}, "the sample before"),
        ("__a", {"x__": b""}, "no file"),
    ],
)
def test_names_that_would_be_read_otherwise_are_refused(
    tmp_path: Path, key: str, files: Files, message: str
) -> None:
    writer = shards.Writer(tmp_path / "w.tar")
    writer.write("same", {"cls": b""})
    with pytest.raises(ct.ArgumentError, match=message):
        writer.write(key, files)


def test_an_epoch_has_every_sample_once_in_another_order_each_time(numbered: str) -> None:
    data = shards.Shards(numbered, 5, transform=number, window=20, seed=1)
    epochs = [given(data) for _ in range(3)]
    for epoch in epochs:
        assert sorted(epoch) == all_numbers(numbered)
    assert len({tuple(epoch) for epoch in epochs}) == 3
    assert data.epoch == 3
    in_order = shards.Shards(numbered, 5, transform=number, shuffle=False)
    assert given(in_order) == all_numbers(numbered)


def test_the_seed_decides_the_order(numbered: str) -> None:
    def first(seed: int | None, workers: int = 0, ahead: int = 2) -> list[int]:
        data = shards.Shards(
            numbered, 5, transform=number, window=20, seed=seed, workers=workers, ahead=ahead
        )
        return given(data)

    assert first(3) == first(3, workers=3, ahead=1) != first(4)
    np.random.seed(0)
    drawn = first(None)
    np.random.seed(0)
    assert drawn == first(None)


def windowed(pattern: str, window: int, data: Any) -> Iterator[int]:
    """Whether each number could have been in a window of that size."""
    order = given(data)
    lengths = [shards.count(path) for path in shards.expand(pattern)]
    begins = np.cumsum([0, *lengths])
    seen: list[int] = []
    for n in order:
        shard = int(np.searchsorted(begins, n, "right")) - 1
        if shard not in seen:
            seen.append(shard)
    read = [n for shard in seen for n in range(begins[shard], begins[shard + 1])]
    for place, n in enumerate(order):
        yield read.index(n) - place
    assert max(read.index(n) - place for place, n in enumerate(order)) < window


def test_a_sample_is_drawn_from_a_window_of_those_that_were_read(numbered: str) -> None:
    data = shards.Shards(numbered, 5, transform=number, window=12, seed=5)
    ahead = list(windowed(numbered, 12, data))
    assert max(ahead) > 6  # It does shuffle.


@pytest.mark.parametrize("ranks", [1, 2, 3, 7])
def test_the_parts_of_the_ranks_are_disjoint_and_complete(numbered: str, ranks: int) -> None:
    parts = [
        shards.Shards(numbered, 4, transform=number, window=9, seed=11, rank=r, ranks=ranks)
        for r in range(ranks)
    ]
    divisions = set()
    for _ in range(3):
        epoch = [given(part) for part in parts]
        assert sorted(n for part in epoch for n in part) == all_numbers(numbered)
        divisions.add(tuple(tuple(sorted(part)) for part in epoch))
    assert len(divisions) == (1 if ranks == 1 else 3)  # Each pass divides them otherwise.


def test_ranks_need_shards(numbered: str) -> None:
    with pytest.raises(ct.ArgumentError, match="7 shards for 8 ranks"):
        shards.Shards(numbered, 4, rank=0, ranks=8, epoch_size=10)
    with pytest.raises(ct.ArgumentError, match="no rank 2 of 2"):
        shards.Shards(numbered, 4, rank=2, ranks=2)
    assert given(shards.Shards(numbered, 4, transform=number, rank=7, ranks=8)) == []


def test_an_epoch_of_a_given_size_goes_on_where_the_last_one_ended(numbered: str) -> None:
    whole = shards.Shards(numbered, 4, transform=number, window=9, seed=2)
    samples = given(whole) + given(whole)
    data = shards.Shards(numbered, 4, transform=number, window=9, seed=2, epoch_size=10)
    epochs = [given(data) for _ in range(6)]
    assert [len(epoch) for epoch in epochs] == [10] * 6
    assert [n for epoch in epochs for n in epoch] == samples[:60]
    last = shards.Shards(numbered, 4, transform=number, epoch_size=10, drop_last=True)
    assert [len(batch) for batch in last] == [4, 4]
    assert last.epoch == 1


def test_a_resumed_loop_sees_the_samples_that_were_to_come(numbered: str, tmp_path: Path) -> None:
    draw = random.Random(3)

    def make(seed: int, workers: int) -> Any:
        def transform(sample: dict[str, Any]) -> Any:
            noise = np.random.default_rng(sample["__seed__"]).random()
            return int(sample["cls"]), noise

        return shards.Shards(
            numbered, size, transform=transform, window=window, seed=seed, workers=workers,
            epoch_size=epoch_size, shuffle=shuffle,
        )  # fmt: skip

    for trial in range(40):
        size, window = draw.randrange(1, 9), draw.choice([1, 3, 20, 500])
        epoch_size, shuffle = draw.choice([0, 0, 17]), draw.random() < 0.8
        one = make(trial, 0)
        stop = draw.randrange(0, 40)
        expected: list[Any] = []
        state = one.state_dict()
        file = tmp_path / "state.npz"
        ct.save(file, {"data": one})
        for _ in range(3):
            for k, batch in enumerate(one):
                expected.append(batch)
                if len(expected) == stop:
                    ct.save(file, {"data": one})
                    state = one.state_dict()
                    assert k >= 0
        other = make(999, draw.choice([0, 2]))
        if draw.random() < 0.5:
            next(iter(other))  # It has read ahead already.
        ct.load(file, {"data": other})
        assert other.state_dict().keys() == state.keys()
        assert all((other.state_dict()[k] == state[k]).all() for k in state)
        begun = min(stop, len(expected)) if stop <= len(expected) else 0
        rest: list[Any] = []
        while len(rest) < len(expected) - begun:
            rest += list(other)
        for (x, noise), (y, other_noise) in zip(expected[begun:], rest, strict=True):
            np.testing.assert_array_equal(x, y)
            np.testing.assert_array_equal(noise, other_noise)


def test_a_loop_that_was_left_goes_on_behind_its_last_batch(numbered: str) -> None:
    for workers in (0, 2):
        whole = given(shards.Shards(numbered, 4, transform=number, seed=9))
        data = shards.Shards(numbered, 4, transform=number, seed=9, workers=workers)
        first = []
        for batch in data:
            first += batch.tolist()
            if len(first) == 12:
                break
        assert first + given(data) == whole


def test_a_state_of_other_shards_is_refused(numbered: str, tmp_path: Path) -> None:
    state = shards.Shards(numbered, 4).state_dict()
    write_tar(tmp_path / "other.tar", [("0", {"cls": b"0"})])
    other = shards.Shards(tmp_path / "other.tar", 4)
    with pytest.raises(ct.FileError, match="is of a list of 7 shards; here are 1"):
        other.load_state_dict(state)
    two = shards.Shards(numbered, 4, rank=0, ranks=2)
    next(iter(two))
    with pytest.raises(ct.FileError, match=r"by 2 ranks, this one has 1: .* not read to its end"):
        shards.Shards(numbered, 4).load_state_dict(two.state_dict())
    with pytest.raises(ct.FileError, match="epochs is missing"):
        two.load_state_dict({k: v for k, v in state.items() if k != "epochs"})


def test_a_rank_finds_its_place_in_the_state_of_another(numbered: str) -> None:
    def make(rank: int, seed: int = 4) -> Any:
        return shards.Shards(
            numbered, 5, transform=number, window=6, seed=seed, rank=rank, ranks=3, epoch_size=25
        )

    ranks = [make(r) for r in range(3)]
    loops = [iter(part) for part in ranks]
    for _ in range(5):  # All ranks take equally many batches.
        for loop in loops:
            next(loop)
    state = ranks[0].state_dict()
    for r in (1, 2):
        other = make(r, seed=77)
        other.load_state_dict(state)
        expected = given(ranks[r])
        assert given(other) == expected


@pytest.mark.parametrize("ranks", [1, 2, 3, 7])
def test_any_number_of_ranks_divides_what_others_have_left(numbered: str, ranks: int) -> None:
    def parts(ranks: int, epoch_size: int, state: dict[str, Any] | None) -> list[Any]:
        options: dict[str, Any] = {"window": 6, "seed": 4, "epoch_size": epoch_size}
        made = [
            shards.Shards(numbered, 5, transform=number, rank=r, ranks=ranks, **options)
            for r in range(ranks)
        ]
        for part in made:
            if state is not None:
                part.load_state_dict(state)
        return made

    four = parts(4, 10, None)
    seen = Counter(n for part in four for n in given(part))
    others = parts(ranks, 3, four[2].state_dict())
    assert [part.epoch for part in others] == [1] * ranks
    seen.update(n for part in others for n in given(part))
    [alone] = parts(1, 1, others[-1].state_dict())
    most = max(seen.values()) + 1
    while min(seen[n] for n in all_numbers(numbered)) < most:
        seen.update(given(alone))
    assert seen == dict.fromkeys(all_numbers(numbered), most)
    older = {k: v for k, v in four[0].state_dict().items() if not k.startswith("rest_")}
    parts(4, 10, older)


def test_an_error_of_a_transform_names_the_sample_and_is_met_again(numbered: str) -> None:
    fails = True

    def transform(sample: dict[str, Any]) -> int:
        if fails and sample["cls"] == b"13":
            raise KeyError("thirteen")
        return number(sample)

    for workers in (0, 3):
        fails = True
        data = shards.Shards(numbered, 3, transform=transform, seed=1, workers=workers)
        seen: list[int] = []
        with pytest.raises(KeyError) as error:
            for batch in data:
                seen += batch.tolist()
        assert "sample 'n/00013' of" in error.value.__notes__[0]
        fails = False
        assert seen + given(data) == given(
            shards.Shards(numbered, 3, transform=number, seed=1, workers=workers)
        )


def test_transforms_run_in_the_workers(numbered: str) -> None:
    names = set()

    def transform(sample: dict[str, Any]) -> int:
        names.add(threading.current_thread().name)
        return number(sample)

    given(shards.Shards(numbered, 3, transform=transform))
    assert names == {threading.current_thread().name}
    names.clear()
    given(shards.Shards(numbered, 3, transform=transform, workers=2))
    assert names and all(name.startswith("catena.shards") for name in names)


def cut(content: bytes) -> bytes:
    return content[:700]


def between_entries(content: bytes) -> bytes:
    return content[:1024]


def other_checksum(content: bytes) -> bytes:
    return content[:1024] + b"x" + content[1025:]


def garbage_behind(content: bytes) -> bytes:
    return content + b"garbage" * 100 + bytes(1024)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (cut, "entry 1, '0.cls', is damaged or cut off"),
        (between_entries, "ends behind entry 1, '0.cls', without the zeros.* it was cut"),
        (other_checksum, "damaged behind entry 1, '0.cls'"),
        (garbage_behind, "damaged behind entry 2, '1.cls'"),
        (lambda content: b"", "is empty"),
        (lambda content: b"hello" * 300, "is not a tar archive|damaged before its first entry"),
    ],
)
def test_a_damaged_shard_is_an_error_that_names_file_and_entry(
    tmp_path: Path, damage: Any, message: str
) -> None:
    path = tmp_path / "x.tar"
    write_tar(path, [("0", {"cls": b"0" * 300}), ("1", {"cls": b"1"})])
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ct.FileError, match=f"x.tar: .*({message})"):
        list(shards.Shards(path, 4, shuffle=False))


def test_links_and_missing_shards_are_errors(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        entry = tarfile.TarInfo("a.jpg")
        entry.type = tarfile.SYMTYPE
        entry.linkname = "/etc/passwd"
        archive.addfile(entry)
    with pytest.raises(ct.FileError, match=r"entry 1, 'a\.jpg', is a link"):
        list(shards.Shards(tmp_path / "x.tar", 4))
    with pytest.raises(ct.FileError, match=r"none\.tar"):
        list(shards.Shards(tmp_path / "none.tar", 4))


def test_an_extension_that_is_there_twice_is_an_error(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        for name in ("a.jpg", "a.JPG"):
            archive.addfile(tarfile.TarInfo(name), io.BytesIO())
    with pytest.raises(ct.FileError, match=r"x.tar: a.jpg: is there twice in sample 0"):
        list(shards.Shards(tmp_path / "x.tar", 4))


def test_archives_behind_each_other_are_read_to_the_end(tmp_path: Path) -> None:
    write_tar(tmp_path / "x.tar", [("0", {"cls": b"0"})])
    write_tar(tmp_path / "y.tar", [("1", {"cls": b"1"})])
    both = (tmp_path / "x.tar").read_bytes() + (tmp_path / "y.tar").read_bytes()
    (tmp_path / "both.tar").write_bytes(both)
    data = shards.Shards(tmp_path / "both.tar", 4, transform=number, shuffle=False)
    assert given(data) == [0, 1]


def test_folders_and_files_of_no_sample_are_passed_over(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        folder = tarfile.TarInfo("d.x")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name in ("d.x/README", "__info__", "d.x/.hidden", "d.x/0.cls"):
            archive.addfile(tarfile.TarInfo(name), io.BytesIO())
    [batch] = shards.Shards(tmp_path / "x.tar", 4)
    assert [s["__key__"] for s in batch] == ["d.x/0"]
