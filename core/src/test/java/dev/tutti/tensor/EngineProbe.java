package dev.tutti.tensor;

import org.bytedeco.javacpp.Pointer;

/** What tests of other packages need to see of the engine, whose classes only this package may use. */
public final class EngineProbe {
    private EngineProbe() {}

    /** Objects of the engine that this JVM holds on to. */
    public static long liveObjects() {
        return Pointer.totalCount();
    }
}
