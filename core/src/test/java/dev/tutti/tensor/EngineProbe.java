package dev.tutti.tensor;

import dev.tutti.tensor.onednn.OneDnn;
import org.bytedeco.javacpp.Pointer;

/** What tests of other packages need to see of the engine, whose classes only this package may use. */
public final class EngineProbe {
    private EngineProbe() {}

    /** Whether products and convolutions are made by oneDNN here. */
    public static boolean hasOneDnn() {
        return OneDnn.isUsable();
    }

    /** Objects of the engine that this JVM holds on to. */
    public static long liveObjects() {
        return Pointer.totalCount();
    }
}
