package dev.tutti.serve.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection that says nothing from its start on. Armeria's idle limit holds from the first byte, when it knows which protocol
 * is spoken.
 */
final class FirstByteLimit extends ChannelInboundHandlerAdapter {
    private final Duration limit;
    private Future<?> end;

    FirstByteLimit(Duration limit) {
        this.limit = limit;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        Runnable close = () -> {
            var unused = context.channel().close();
        };
        end = context.executor().schedule(close, limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        context.pipeline().remove(this);
        context.fireChannelRead(message);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        end.cancel(false);
    }
}
