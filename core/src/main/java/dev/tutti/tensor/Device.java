package dev.tutti.tensor;

import dev.tutti.host.Processor;

/** Where a tensor lives: the CPU, or a CUDA device when libtorch has one. */
public record Device(Kind kind, int index) {
    public static final Device CPU = new Device(Kind.CPU, 0);

    /** The kinds of device the engine knows. */
    public enum Kind {
        CPU,
        CUDA
    }

    public static Device cuda(int index) {
        return new Device(Kind.CUDA, index);
    }

    /** The first CUDA device when there is one, otherwise the CPU. */
    public static Device best() {
        return Engine.hasCuda() ? cuda(0) : CPU;
    }

    /** Reads {@code auto}, {@code cpu}, {@code cuda} or {@code cuda:1}, and checks that it is there. */
    public static Device named(String name) {
        if (name.equals("auto")) {
            return best();
        }
        if (name.equals("cpu")) {
            return CPU;
        }
        if (!name.matches("cuda(:\\d+)?")) {
            throw new TensorException("unknown device '" + name + "': expected auto, cpu, cuda or cuda:N");
        }
        if (!Engine.hasCuda()) {
            throw new TensorException("device '" + name + "' was asked for, but libtorch reports no CUDA device here: "
                    + "use --device cpu, or build with -Pgpu on a machine that has one");
        }
        return cuda(name.length() > 4 ? Integer.parseInt(name.substring(5)) : 0);
    }

    /** Whether it multiplies bfloat16 by instructions of its own. */
    public boolean hasBfloat16() {
        return kind != Kind.CPU || Processor.hasBfloat16();
    }

    @Override
    public String toString() {
        return kind == Kind.CPU ? "cpu" : "cuda:" + index;
    }
}
