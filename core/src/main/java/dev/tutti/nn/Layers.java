package dev.tutti.nn;

import java.nio.file.Path;
import java.util.List;

/** The layers, to be imported statically: {@code Sequential.of(conv2d(32, 3).relu(), flatten(), dense(10))}. */
public final class Layers {
    private Layers() {}

    // ---- connections

    /** Connects every output to every input, on the last axis. */
    public static Dense dense(int units) {
        return new Dense(units);
    }

    /** A learned vector for each id of a vocabulary. */
    public static Embedding embedding(int vocabulary, int width) {
        return new Embedding(vocabulary, width);
    }

    // ---- convolutions: a kernel is one number for all axes, or one for each

    public static Conv1d conv1d(int filters, int kernel) {
        return new Conv1d(filters, kernel);
    }

    public static Conv2d conv2d(int filters, int... kernel) {
        return new Conv2d(filters, kernel);
    }

    public static ConvTranspose1d convTranspose1d(int filters, int kernel) {
        return new ConvTranspose1d(filters, kernel);
    }

    public static ConvTranspose2d convTranspose2d(int filters, int... kernel) {
        return new ConvTranspose2d(filters, kernel);
    }

    // ---- pools: a size is one number for all axes, or one for each

    public static MaxPool1d maxPool1d(int size) {
        return new MaxPool1d(size);
    }

    public static MaxPool2d maxPool2d(int... size) {
        return new MaxPool2d(size);
    }

    public static AvgPool1d avgPool1d(int size) {
        return new AvgPool1d(size);
    }

    public static AvgPool2d avgPool2d(int... size) {
        return new AvgPool2d(size);
    }

    public static GlobalMaxPool1d globalMaxPool1d() {
        return new GlobalMaxPool1d();
    }

    public static GlobalMaxPool2d globalMaxPool2d() {
        return new GlobalMaxPool2d();
    }

    public static GlobalAvgPool1d globalAvgPool1d() {
        return new GlobalAvgPool1d();
    }

    public static GlobalAvgPool2d globalAvgPool2d() {
        return new GlobalAvgPool2d();
    }

    // ---- shapes

    public static Flatten flatten() {
        return new Flatten();
    }

    /** Other axes for the same elements; one extent may be -1. */
    public static Reshape reshape(int... shape) {
        return new Reshape(shape);
    }

    /** The axes of a sample in another order. */
    public static Permute permute(int... axes) {
        return new Permute(axes);
    }

    // ---- steadiness

    public static Dropout dropout(double rate) {
        return new Dropout(rate);
    }

    public static BatchNorm batchNorm() {
        return new BatchNorm();
    }

    /** Brings the last axis to a mean square of 1. */
    public static RmsNorm rmsNorm() {
        return new RmsNorm();
    }

    /** Two dense layers side by side, one of which gates the other, and a third that brings them back to the width of the input. */
    public static SwiGlu swiGlu(int inner) {
        return new SwiGlu(inner);
    }

    public static LayerNorm layerNorm() {
        return new LayerNorm();
    }

    // ---- sequences

    public static Lstm lstm(int units) {
        return new Lstm(units);
    }

    public static Gru gru(int units) {
        return new Gru(units);
    }

    /** Multi-head attention, to itself or to a second input. */
    public static Attention attention(int heads) {
        return new Attention(heads);
    }

    /** One block of a transformer. */
    public static TransformerEncoder transformerEncoder(int heads) {
        return new TransformerEncoder(heads);
    }

    /** Sines and cosines that say where a step stands, or learned vectors that do. */
    public static PositionalEncoding positionalEncoding() {
        return new PositionalEncoding();
    }

    // ---- ways past and together

    /** {@code x + body(x)}. */
    public static Residual residual(Layer... body) {
        return new Residual(List.of(body));
    }

    public static Add add() {
        return new Add();
    }

    public static Multiply multiply() {
        return new Multiply();
    }

    /** The inner product of two inputs. */
    public static Dot dot() {
        return new Dot();
    }

    /** Joins inputs along their last axis. */
    public static Concatenate concatenate() {
        return new Concatenate(-1);
    }

    /** Joins inputs along an axis of the sample: 0 are the channels of {@code [channels, height, width]}. */
    public static Concatenate concatenate(int axis) {
        return new Concatenate(axis);
    }

    // ---- activations

    /** Any activation as a separate layer. */
    public static Layer activation(Activation function) {
        return new ActivationLayer().activation(function);
    }

    public static Layer relu() {
        return activation(Activation.RELU);
    }

    public static Layer leakyRelu() {
        return activation(Activation.LEAKY_RELU);
    }

    public static Layer elu() {
        return activation(Activation.ELU);
    }

    public static Layer selu() {
        return activation(Activation.SELU);
    }

    public static Layer gelu() {
        return activation(Activation.GELU);
    }

    public static Layer silu() {
        return activation(Activation.SILU);
    }

    public static Layer mish() {
        return activation(Activation.MISH);
    }

    public static Layer hardSwish() {
        return activation(Activation.HARD_SWISH);
    }

    public static Layer softplus() {
        return activation(Activation.SOFTPLUS);
    }

    public static Layer sigmoid() {
        return activation(Activation.SIGMOID);
    }

    public static Layer tanh() {
        return activation(Activation.TANH);
    }

    public static Layer softmax() {
        return activation(Activation.SOFTMAX);
    }

    public static Layer logSoftmax() {
        return activation(Activation.LOG_SOFTMAX);
    }

    // ---- sequences of tokens

    /** Tokens, their positions and types as BERT embeds them. */
    public static TokenEmbedding tokenEmbedding(int vocabulary, int width) {
        return new TokenEmbedding(vocabulary, width);
    }

    /** A language model that embeds and scores tokens by one matrix. */
    public static TiedEmbedding tiedEmbedding(int vocabulary, int width, Layer body) {
        return new TiedEmbedding(vocabulary, width, body);
    }

    /** Scores tokens by the matrix of an embedding before it, given by its full name such as {@code embedding1}. */
    public static TiedDense tiedDense(String embedding, int vocabulary) {
        return new TiedDense(embedding, vocabulary);
    }

    /** 1 for tokens, 0 for those that fill short sequences. */
    public static PaddingMask paddingMask(int paddingId) {
        return new PaddingMask(paddingId);
    }

    /** One vector for a sequence: the mean of its steps. */
    public static SequencePool sequencePool() {
        return new SequencePool();
    }

    /** Vectors of length 1. */
    public static UnitNorm unitNorm() {
        return new UnitNorm();
    }

    // ---- several tasks

    /** Copies of a layer beside each other; {@link #expertGate} weighs them. */
    public static Experts experts(int count, Layer expert) {
        return new Experts(count, expert);
    }

    /** What one task makes of experts. */
    public static ExpertGate expertGate() {
        return new ExpertGate();
    }

    /** One task's share of what all tasks have computed. */
    public static CrossStitch crossStitch() {
        return new CrossStitch();
    }

    // ---- from elsewhere

    /** A model written in Python and saved with {@code torch.jit.save}, trainable here. */
    public static TorchScript torchScript(Path file) {
        return new TorchScript(file);
    }
}
