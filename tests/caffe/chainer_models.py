"""Writes data/*.caffemodel with Chainer's own schema of Caffe's files, and what Chainer's CaffeFunction computes from them.

    PYTHON_WITH_CHAINER_7.8.1 tests/caffe/chainer_models.py

data/NAME.npz holds the inputs as in/BLOB, and every blob as out/BLOB, in test mode; of data/NAME.npz in training mode as train/BLOB.
"""
import os
import warnings

import numpy as np
import chainer
import chainer.functions as F
import chainer.links as L
from chainer.exporters import caffe as exporter
from chainer.links.caffe import CaffeFunction
from chainer.links.caffe.protobuf3 import caffe_pb2 as pb

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data')
random = np.random.RandomState(1)


def numbers(*shape):
    return random.uniform(-1, 1, shape).astype(np.float32)


def add_blob(layer, array, old_sizes):
    blob = layer.blobs.add()
    if old_sizes:
        blob.num, blob.channels, blob.height, blob.width = (1,) * (4 - array.ndim) + array.shape
    else:
        blob.shape.dim[:] = array.shape
    blob.data[:] = array.flatten().tolist()


class Net:
    """Layers by type; the older format has types in capitals and other field numbers."""

    def __init__(self, old):
        self.old = old
        self.proto = pb.NetParameter(name='old' if old else 'new')

    def add(self, type, name, bottom, top=None, blobs=(), **parameters):
        layer = self.proto.layers.add() if self.old else self.proto.layer.add()
        layer.name = name
        layer.type = getattr(pb.V1LayerParameter, old_names[type]) if self.old else type
        layer.bottom.extend(bottom.split())
        layer.top.extend((top or name).split())
        for array in blobs:
            add_blob(layer, array, self.old)
        for key, value in parameters.items():
            kind, field = key.split('__')
            message = getattr(layer, kind + '_param')
            if isinstance(value, (list, tuple)):
                getattr(message, field).extend(value)
            elif field == 'shape':
                message.shape.dim.extend(value.tolist())
            else:
                setattr(message, field, value)
            message.SetInParent()


old_names = {
    'Concat': 'CONCAT', 'Convolution': 'CONVOLUTION', 'Data': 'DATA', 'Deconvolution': 'DECONVOLUTION',
    'Dropout': 'DROPOUT', 'Eltwise': 'ELTWISE', 'InnerProduct': 'INNER_PRODUCT', 'LRN': 'LRN', 'Pooling': 'POOLING',
    'ReLU': 'RELU', 'Sigmoid': 'SIGMOID', 'Slice': 'SLICE', 'Softmax': 'SOFTMAX', 'SoftmaxWithLoss': 'SOFTMAX_LOSS',
    'Split': 'SPLIT', 'Accuracy': 'ACCURACY'}


def add_common_layers(net):
    net.add('Data', 'input', '', 'data label')
    net.add('Split', 'copies', 'data', 'data_a data_b')
    net.add('Convolution', 'conv', 'data_a', blobs=[numbers(5, 4, 3, 3), numbers(5)], convolution__num_output=5,
            convolution__kernel_size=[3], convolution__pad=[1], convolution__stride=[2])
    net.add('ReLU', 'in_place', 'conv', 'conv')
    net.add('Convolution', 'conv/sides', 'data', blobs=[numbers(3, 4, 3, 2)], convolution__num_output=3,
            convolution__bias_term=False, convolution__kernel_h=3, convolution__kernel_w=2, convolution__stride_h=1,
            convolution__stride_w=2, convolution__pad_h=2, convolution__pad_w=0)
    net.add('Convolution', 'conv_groups', 'data_b', blobs=[numbers(6, 2, 2, 2), numbers(6)], convolution__num_output=6,
            convolution__kernel_size=[2], convolution__group=2)
    net.add('Deconvolution', 'deconv', 'data', blobs=[numbers(4, 3, 3, 3), numbers(3)], convolution__num_output=3,
            convolution__kernel_size=[3], convolution__stride=[2], convolution__pad=[1])
    net.add('Deconvolution', 'deconv_groups', 'data', blobs=[numbers(4, 3, 2, 2), numbers(6)], convolution__num_output=6,
            convolution__kernel_size=[2], convolution__stride=[2], convolution__group=2)
    net.add('InnerProduct', 'product', 'data', blobs=[numbers(5, 4 * 7 * 6), numbers(5)], inner_product__num_output=5)
    net.add('InnerProduct', 'product_nobias', 'product', blobs=[numbers(3, 5)], inner_product__num_output=3,
            inner_product__bias_term=False)
    net.add('Pooling', 'pool_max', 'data', pooling__pool=0, pooling__kernel_size=3, pooling__stride=2)
    net.add('Pooling', 'pool_max_pad', 'data', pooling__pool=0, pooling__kernel_h=3, pooling__kernel_w=2, pooling__stride_h=2,
            pooling__stride_w=1, pooling__pad_h=1, pooling__pad_w=1)
    net.add('Pooling', 'pool_mean', 'data', pooling__pool=1, pooling__kernel_h=3, pooling__kernel_w=2, pooling__stride=2,
            pooling__stride_h=2, pooling__stride_w=2)
    net.add('Pooling', 'pool_all', 'data', pooling__pool=1, pooling__global_pooling=True)
    net.add('ReLU', 'relu', 'data')
    net.add('ReLU', 'leaky', 'data', relu__negative_slope=0.25)
    net.add('Sigmoid', 'sigmoid', 'data')
    net.add('Softmax', 'softmax', 'product')
    net.add('Dropout', 'dropout', 'data', dropout__dropout_ratio=0.7)
    net.add('LRN', 'lrn', 'data', lrn__local_size=3, lrn__alpha=0.5, lrn__beta=0.6, lrn__k=1.5)
    net.add('Concat', 'concat', 'data relu', concat__concat_dim=1)
    net.add('Concat', 'concat_sides', 'data relu leaky', concat__concat_dim=3)
    net.add('Slice', 'slice_cuts', 'data', 'cut_a cut_b cut_c', slice__slice_dim=2, slice__slice_point=[1, 4])
    net.add('Slice', 'slice_halves', 'data', 'half_a half_b')
    net.add('Eltwise', 'product_of', 'data relu sigmoid', eltwise__operation=0)
    net.add('Eltwise', 'sum_of', 'data relu sigmoid', eltwise__operation=1)
    net.add('Eltwise', 'weighted_sum', 'data relu', eltwise__operation=1, eltwise__coeff=[0.5, -2])
    net.add('Eltwise', 'max_of', 'data leaky sigmoid', eltwise__operation=2)
    net.add('SoftmaxWithLoss', 'loss', 'product label')
    net.add('Accuracy', 'accuracy', 'product label')


def add_new_layers(net):
    net.add('BatchNorm', 'norm', 'data', blobs=[numbers(4), numbers(4) + 2, np.array([2], np.float32)], batch_norm__eps=1e-3,
            batch_norm__moving_average_fraction=0.8)
    net.add('BatchNorm', 'norm_fixed', 'data', blobs=[numbers(4), numbers(4) + 2], batch_norm__use_global_stats=True)
    net.add('Scale', 'scale', 'norm', blobs=[numbers(4), numbers(4)], scale__bias_term=True)
    net.add('Scale', 'scale_nobias', 'data', blobs=[numbers(7, 6)], scale__axis=2)
    net.add('Scale', 'scale_by', 'data cut_by')
    net.add('Scale', 'scale_by_bias', 'data cut_by', blobs=[numbers(4)], scale__bias_term=True)
    net.add('Concat', 'concat_axis', 'data relu', concat__axis=2)
    net.add('Slice', 'slice_axis', 'data', 'third_a third_b third_c', slice__axis=3)
    net.add('Reshape', 'reshape', 'data', reshape__shape=np.array([2, -1, 3]))


def compute(path, inputs):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        function = CaffeFunction(path)
    found = {'in/' + name: x for name, x in inputs.items()}
    with chainer.using_config('train', False):
        function(inputs={name: chainer.Variable(x) for name, x in inputs.items()}, outputs=[])
    for name, y in function.variables.items():
        if name not in inputs:
            found['out/' + name] = y.array
    function(inputs={name: chainer.Variable(x) for name, x in inputs.items()}, outputs=[], disable=['dropout'])
    for name in ('norm', 'norm_fixed', 'scale'):
        if name in function.variables:
            found['train/' + name] = function.variables[name].array
    np.savez(path.replace('.caffemodel', '.npz'), **found)


def write(name, net, inputs):
    path = os.path.join(here, name + '.caffemodel')
    with open(path, 'wb') as f:
        f.write(net.proto.SerializeToString())
    compute(path, inputs)


class Exported(chainer.Chain):
    """One of everything that Chainer exports."""

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.a = L.Convolution2D(3, 4, 3, 1, 1)
            self.norm = L.BatchNormalization(4)
            self.b = L.Convolution2D(4, 4, 3, 1, 1, nobias=True)
            self.up = L.Deconvolution2D(8, 2, 2, 2)
            self.fc = L.Linear(None, 5)

    def forward(self, x):
        h = F.relu(self.norm(self.a(x)))
        h = F.leaky_relu(h + self.b(h), 0.1)
        h = F.local_response_normalization(h, n=3, alpha=0.1)
        h = F.concat([F.max_pooling_2d(h, 3, 2), F.average_pooling_2d(h, 2, 2)])
        h = F.sigmoid(self.up(h))
        h = F.reshape(h, (2, -1))
        return F.softmax(self.fc(h))


def write_exported():
    model = Exported()
    x = numbers(2, 3, 6, 6)
    with chainer.using_config('train', True):
        model(x)
    model.cleargrads()
    exporter.export(model, [chainer.Variable(x)], here)
    os.remove(os.path.join(here, 'chainer_model.prototxt'))
    os.rename(os.path.join(here, 'chainer_model.caffemodel'), os.path.join(here, 'exported.caffemodel'))
    compute(os.path.join(here, 'exported.caffemodel'), {'data': x})
    with chainer.using_config('train', False):
        y = model(x).array
    with np.load(os.path.join(here, 'exported.npz')) as file:
        arrays = dict(file)
    last = [name for name in arrays if name.startswith('out/Softmax')]
    assert len(last) == 1 and np.allclose(arrays[last[0]], y, atol=1e-6)


os.makedirs(here, exist_ok=True)
data, labels, factors = numbers(2, 4, 7, 6), np.array([3, 0], np.int32), numbers(4)
old, new = Net(True), Net(False)
add_common_layers(old)
add_common_layers(new)
add_new_layers(new)
write('old_format', old, {'data': data, 'label': labels})
write('new_format', new, {'data': data, 'label': labels, 'cut_by': factors})
write_exported()
