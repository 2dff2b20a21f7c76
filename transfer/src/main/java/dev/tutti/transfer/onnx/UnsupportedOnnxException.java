package dev.tutti.transfer.onnx;

import dev.tutti.TuttiException;

/** A layer or an operator has no equivalent on the other side. */
public final class UnsupportedOnnxException extends TuttiException {
    private static final long serialVersionUID = 1;

    UnsupportedOnnxException(String layer, String what) {
        super("layer " + layer + " cannot be written as ONNX: there is no equivalent for " + what
                + "; TorchScript can carry it: ./tutti export ... --output model.pt");
    }

    UnsupportedOnnxException(String message) {
        super(message);
    }
}
