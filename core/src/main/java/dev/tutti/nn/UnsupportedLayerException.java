package dev.tutti.nn;

import dev.tutti.TuttiException;

/** A layer that cannot be exported because it does not say how it looks in TorchScript. */
public class UnsupportedLayerException extends TuttiException {
    private static final long serialVersionUID = 1L;

    public UnsupportedLayerException(String path, Layer layer) {
        super("layer " + path + " (" + layer.kind() + ") cannot be exported to TorchScript: override script(...) in "
                + layer.getClass().getName());
    }
}
