package dev.tutti.comm.network;

import dev.tutti.array.DType;
import dev.tutti.array.Shape;
import dev.tutti.comm.Group;
import dev.tutti.comm.transport.LinkCosts;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import dev.tutti.tensor.TensorLinks.Transfer;
import java.nio.ByteBuffer;

/** Measures what messages of a new group cost. All members come to the same costs: those of the slowest. */
final class LinkMeasurement {
    private static final String PURPOSE = "measuring the connections";
    private static final int SHORT_ROUNDS = 4;
    private static final int LONG_ROUNDS = 2;
    private static final int LONG_BYTES = 256 << 10;
    private static final double SHORTEST = 1e-7;

    private LinkMeasurement() {}

    /** Every member calls it when all are connected. */
    static LinkCosts measure(Group group, NetworkWire wire) {
        byte[] nothing = new byte[1];
        wire.exchange(nothing, PURPOSE); // all begin at the same time
        double round = Double.POSITIVE_INFINITY;
        for (int i = 0; i < SHORT_ROUNDS; i++) {
            long began = System.nanoTime();
            wire.exchange(nothing, PURPOSE);
            round = Math.min(round, (System.nanoTime() - began) / 1e9);
        }
        double all = Double.POSITIVE_INFINITY;
        try (Scope scope = Scope.open()) {
            Tensor sent = Tensor.zeros(Shape.of(LONG_BYTES), DType.UINT8);
            Tensor received = Tensor.zeros(Shape.of(LONG_BYTES), DType.UINT8);
            int next = (group.rank() + 1) % group.size();
            int previous = (group.rank() + group.size() - 1) % group.size();
            for (int i = 0; i < LONG_ROUNDS; i++) {
                wire.exchange(nothing, PURPOSE);
                long began = System.nanoTime();
                Transfer receiving = wire.receive(received, previous, PURPOSE);
                Transfer sending = wire.send(sent, next, PURPOSE);
                wire.await(receiving, previous, PURPOSE);
                wire.await(sending, next, PURPOSE);
                all = Math.min(all, (System.nanoTime() - began) / 1e9);
            }
        }
        double perByte = Math.max(SHORTEST / LONG_BYTES, (all - round) / LONG_BYTES);
        return slowest(wire, Math.max(SHORTEST, round), perByte);
    }

    private static LinkCosts slowest(NetworkWire wire, double round, double perByte) {
        byte[] mine = ByteBuffer.allocate(2 * Double.BYTES)
                .putDouble(round)
                .putDouble(perByte)
                .array();
        double slowestRound = 0;
        double slowestByte = 0;
        for (byte[] theirs : wire.exchange(mine, PURPOSE)) {
            ByteBuffer numbers = ByteBuffer.wrap(theirs);
            slowestRound = Math.max(slowestRound, numbers.getDouble());
            slowestByte = Math.max(slowestByte, numbers.getDouble());
        }
        return new LinkCosts(slowestRound, slowestByte);
    }
}
