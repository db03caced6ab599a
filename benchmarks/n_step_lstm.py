#!/usr/bin/env python3
"""bin/n_step_lstm beside PyTorch's packed LSTM, forward, backward and SGD, in turn: a round of one, a round of the other.

    PYTHON_WITH_TORCH benchmarks/n_step_lstm.py build/bin/n_step_lstm [BATCH [UNITS [ROUNDS]]]     default: 32 256 3

Times are the median over 8 batches of each one's fastest round, in ms; both see sequences of the same lengths, 5 to 60.
"""
import subprocess
import sys
import time

import torch

FEATURES = 128


class Model(torch.nn.Module):
    def __init__(self, units):
        super().__init__()
        self.rnn = torch.nn.LSTM(FEATURES, units, 2, bidirectional=True)
        self.out = torch.nn.Linear(2 * units, 10)

    def forward(self, x):
        return (self.out(self.rnn(x)[0].data) ** 2).mean()


def batch_of(lengths):
    return torch.nn.utils.rnn.pack_sequence([torch.rand(n, FEATURES) * 2 - 1 for n in lengths], enforce_sorted=False)


def main(program, batch=32, units=256, rounds=3):
    torch.set_num_threads(2)
    model = Model(int(units))
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)
    catena = subprocess.Popen([program, str(batch), str(units), "listen"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    lengths = [[int(n) for n in ns.split(",")] for ns in catena.stdout.readline().split()]
    data = [batch_of(ns) for ns in lengths]
    fastest = [float("inf")] * len(data)

    def one_round():
        for i, x in enumerate(data):
            start = time.perf_counter()
            optimizer.zero_grad()
            loss = model(x)
            loss.backward()
            optimizer.step()
            loss.item()
            fastest[i] = min(fastest[i], (time.perf_counter() - start) * 1e3)

    one_round()
    fastest = [float("inf")] * len(data)
    for _ in range(int(rounds)):
        time.sleep(0.05)  # The other's threads spin for a moment after their work.
        catena.stdin.write("\n")
        catena.stdin.flush()
        catena.stdout.readline()
        time.sleep(0.05)
        one_round()
    print(f"{'PyTorch':16} {sorted(fastest)[len(data) // 2]:8.2f} ms a step")
    print(catena.communicate()[0], end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
