"""Makes chainer_snapshot.npz, chainer_model.h5 and prints the losses of the two iterations that follow the snapshot.

Run with Chainer 7.8.1, NumPy below 1.24 and h5py. The examples are formulas that snapshot_test.cpp repeats.
"""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions


class MLP(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(3, 4)
            self.l2 = L.Linear(None, 2)

    def forward(self, x):
        return self.l2(F.tanh(self.l1(x)))


np.random.seed(0)
x = np.sin(np.arange(36, dtype=np.float32)).reshape(12, 3)
t = np.arange(12, dtype=np.int32) % 2
model = L.Classifier(MLP())
optimizer = chainer.optimizers.Adam()
optimizer.setup(model)
iterator = chainer.iterators.SerialIterator(chainer.datasets.TupleDataset(x, t), 4)
updater = training.StandardUpdater(iterator, optimizer)
trainer = training.Trainer(updater, (7, 'iteration'), out='.')
trainer.extend(extensions.LogReport(trigger=(1, 'epoch')))
trainer.extend(extensions.ExponentialShift('alpha', 0.5), trigger=(1, 'epoch'))
trainer.extend(extensions.snapshot(filename='chainer_snapshot.npz'), trigger=(7, 'iteration'))
trainer.run()
chainer.serializers.save_hdf5('chainer_model.h5', model)
for i in range(2):
    batch = chainer.dataset.concat_examples(iterator.next())
    loss = model(*batch)
    print(repr(float(loss.array)))
    model.cleargrads()
    loss.backward()
    optimizer.update()
print(repr(float(optimizer.alpha)))
with np.load('chainer_snapshot.npz', allow_pickle=True) as f:
    for key in f.files:
        print(key, f[key].dtype, f[key].shape)
