package dev.tutti.cluster.rpc;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server's socket that closes connections beyond a number at once, so that descriptors are left for files and members. */
final class CappedServerChannel extends NioServerSocketChannel {
    private static final Logger LOG = LoggerFactory.getLogger(CappedServerChannel.class);

    private final int most;
    private final AtomicInteger open = new AtomicInteger();
    private boolean mentioned;

    CappedServerChannel(int most) {
        this.most = most;
    }

    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
        int before = accepted.size();
        super.doReadMessages(accepted);
        for (int i = accepted.size() - 1; i >= before; i--) {
            Channel connection = (Channel) accepted.get(i);
            if (open.incrementAndGet() > most) {
                open.decrementAndGet();
                accepted.remove(i);
                connection.unsafe().closeForcibly();
                mention();
            } else {
                var unused = connection.closeFuture().addListener(closed -> open.decrementAndGet());
            }
        }
        return accepted.size() - before;
    }

    private void mention() {
        if (!mentioned) {
            mentioned = true;
            LOG.warn("The coordinator has {} connections open, the most it takes; others are closed at once", most);
        }
    }
}
