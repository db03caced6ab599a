#!/usr/bin/env python3
"""As chainer_values.py, for pooling over regions of interest and deformable convolution: writes chainer_values_regions.json
beside this file."""
import json
import pathlib

import numpy as np

from chainer_values import Draw, case, cases


# Also beyond the image, of one pixel, and with corners in the wrong order. No scaled corner is halfway between pixels.
boxes = np.array([[0, 1, 9, 9], [3.2, 4.1, 7.7, 6.9], [-6, -2, 4, 30], [5, 5, 5, 5], [8, 9, 2, 3]])


def pooling():
    d = Draw(31)
    x, images = d.uniform(3, 2, 6, 7), np.array([0, 2, 1, 1, 0], np.int32)
    for function in ("roi_max_pooling_2d", "roi_average_pooling_2d"):
        for outsize, scale in (((2, 3), 0.6), (3, 0.45), ((1, 1), 1.0)):
            case(function, [x, boxes, images], outsize=outsize, spatial_scale=scale)
    # On the host, Chainer's gradient fails beyond the image, and has nothing for corners in the wrong order.
    old = np.concatenate([images[:, None], boxes[:, [1, 0, 3, 2]]], axis=1)[[0, 1, 3]]
    for outh, outw, scale in ((2, 3, 0.6), (3, 3, 0.45)):
        case("roi_pooling_2d", [x, old], outh=outh, outw=outw, spatial_scale=scale)


def align():
    d = Draw(32)
    x, images = d.uniform(3, 2, 6, 7, dtype=np.float32), np.array([0, 2, 1, 1, 0], np.int32)
    for function in ("roi_average_align_2d", "roi_max_align_2d"):
        for settings in ({"outsize": (2, 3)}, {"outsize": 2, "sampling_ratio": 2},
                         {"outsize": (3, 1), "sampling_ratio": (1, 3)}):
            case(function, [x, boxes.astype(np.float32), images], spatial_scale=0.6, **settings)


def deformable():
    d = Draw(33)
    x, W, b = d.uniform(2, 3, 5, 6), d.uniform(2, 3, 2, 3), d.uniform(2)
    case("deformable_convolution_2d_sampler", [x, d.uniform(2, 12, 4, 4), W, b])
    case("deformable_convolution_2d_sampler", [x, d.uniform(2, 12, 3, 2), W], stride=(2, 3), pad=(1, 0))


def main():
    for part in (pooling, align, deformable):
        part()
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(f"[\n{lines}\n]\n")
    print(f"{len(cases)} calls of {len({c['function'] for c in cases})} functions in {path}")


if __name__ == "__main__":
    main()
