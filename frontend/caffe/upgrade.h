#pragma once

namespace catena::caffe {

namespace format {
class NetParameter;
}

/// Converts the layers of older files (`layers`, whose types are numbers) to those of newer ones
/// (`layer`). Files with both keep `layer`, as Caffe and Chainer read them.
void upgrade_layers(format::NetParameter& net);

}  // namespace catena::caffe
