/** TorchScript modules: files, their tensors by name, and calls. Not for users: {@code dev.tutti.nn.TorchScript} is the layer. */
package dev.tutti.tensor.script;
