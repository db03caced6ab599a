#include "frontend/caffe/upgrade.h"

#include <map>
#include <string>

#include "frontend/caffe/caffe.pb.h"

namespace catena::caffe {
namespace {

using Old = format::V1LayerParameter;

/// The name of a type in newer files.
const char* type_name(int type) {
    static const auto& names = *new std::map<int, const char*>{
        {Old::ABSVAL, "AbsVal"},
        {Old::ACCURACY, "Accuracy"},
        {Old::ARGMAX, "ArgMax"},
        {Old::BNLL, "BNLL"},
        {Old::CONCAT, "Concat"},
        {Old::CONTRASTIVE_LOSS, "ContrastiveLoss"},
        {Old::CONVOLUTION, "Convolution"},
        {Old::DATA, "Data"},
        {Old::DECONVOLUTION, "Deconvolution"},
        {Old::DROPOUT, "Dropout"},
        {Old::DUMMY_DATA, "DummyData"},
        {Old::ELTWISE, "Eltwise"},
        {Old::EUCLIDEAN_LOSS, "EuclideanLoss"},
        {Old::EXP, "Exp"},
        {Old::FLATTEN, "Flatten"},
        {Old::HDF5_DATA, "HDF5Data"},
        {Old::HDF5_OUTPUT, "HDF5Output"},
        {Old::HINGE_LOSS, "HingeLoss"},
        {Old::IM2COL, "Im2col"},
        {Old::IMAGE_DATA, "ImageData"},
        {Old::INFOGAIN_LOSS, "InfogainLoss"},
        {Old::INNER_PRODUCT, "InnerProduct"},
        {Old::LRN, "LRN"},
        {Old::MEMORY_DATA, "MemoryData"},
        {Old::MULTINOMIAL_LOGISTIC_LOSS, "MultinomialLogisticLoss"},
        {Old::MVN, "MVN"},
        {Old::POOLING, "Pooling"},
        {Old::POWER, "Power"},
        {Old::RELU, "ReLU"},
        {Old::SIGMOID, "Sigmoid"},
        {Old::SIGMOID_CROSS_ENTROPY_LOSS, "SigmoidCrossEntropyLoss"},
        {Old::SILENCE, "Silence"},
        {Old::SLICE, "Slice"},
        {Old::SOFTMAX, "Softmax"},
        {Old::SOFTMAX_LOSS, "SoftmaxWithLoss"},
        {Old::SPLIT, "Split"},
        {Old::TANH, "TanH"},
        {Old::THRESHOLD, "Threshold"},
        {Old::WINDOW_DATA, "WindowData"},
    };
    const auto found = names.find(type);
    return found == names.end() ? "V1 NONE" : found->second;
}

void upgrade(Old& from, format::LayerParameter& to) {
    to.set_name(from.name());
    to.set_type(type_name(from.type()));
    to.mutable_bottom()->Swap(from.mutable_bottom());
    to.mutable_top()->Swap(from.mutable_top());
    to.mutable_blobs()->Swap(from.mutable_blobs());
    if (from.has_concat_param()) to.mutable_concat_param()->Swap(from.mutable_concat_param());
    if (from.has_convolution_param())
        to.mutable_convolution_param()->Swap(from.mutable_convolution_param());
    if (from.has_dropout_param()) to.mutable_dropout_param()->Swap(from.mutable_dropout_param());
    if (from.has_eltwise_param()) to.mutable_eltwise_param()->Swap(from.mutable_eltwise_param());
    if (from.has_exp_param()) to.mutable_exp_param()->Swap(from.mutable_exp_param());
    if (from.has_inner_product_param())
        to.mutable_inner_product_param()->Swap(from.mutable_inner_product_param());
    if (from.has_loss_param()) to.mutable_loss_param()->Swap(from.mutable_loss_param());
    if (from.has_lrn_param()) to.mutable_lrn_param()->Swap(from.mutable_lrn_param());
    if (from.has_pooling_param()) to.mutable_pooling_param()->Swap(from.mutable_pooling_param());
    if (from.has_power_param()) to.mutable_power_param()->Swap(from.mutable_power_param());
    if (from.has_relu_param()) to.mutable_relu_param()->Swap(from.mutable_relu_param());
    if (from.has_slice_param()) to.mutable_slice_param()->Swap(from.mutable_slice_param());
    if (from.has_softmax_param()) to.mutable_softmax_param()->Swap(from.mutable_softmax_param());
}

}  // namespace

void upgrade_layers(format::NetParameter& net) {
    if (net.layer_size() == 0)
        for (Old& layer : *net.mutable_layers()) upgrade(layer, *net.add_layer());
    net.clear_layers();
}

}  // namespace catena::caffe
