package dev.tutti.cluster.rpc;

import dev.tutti.TuttiException;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.stub.MetadataUtils;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/** Opens connections to a coordinator. */
final class CoordinatorChannels {
    private CoordinatorChannels() {}

    /** One place is looked up by gRPC itself, which goes through all addresses of its name. */
    private static NettyChannelBuilder builder(CoordinatorAddress address) {
        if (address.places().size() == 1) {
            return NettyChannelBuilder.forAddress(address.host(), address.port());
        }
        return NettyChannelBuilder.forTarget(FixedPlaces.target(address.places()));
    }

    static ManagedChannel open(CoordinatorAddress address, ClientInterceptor... interceptors) {
        Metadata headers = new Metadata();
        headers.put(CoordinatorProtocol.TOKEN, address.token());
        NettyChannelBuilder builder = builder(address)
                .intercept(interceptors)
                .intercept(MetadataUtils.newAttachHeadersInterceptor(headers))
                .maxInboundMessageSize(CoordinatorProtocol.LARGEST)
                .maxInboundMetadataSize(CoordinatorProtocol.LARGEST_METADATA)
                // A connection that was cut without a word is noticed within seconds and made anew.
                .keepAliveTime(2, TimeUnit.SECONDS)
                .keepAliveTimeout(2, TimeUnit.SECONDS);
        TlsFiles tls = address.tls();
        if (tls == null) {
            return builder.usePlaintext().build();
        }
        try {
            SslContextBuilder context = GrpcSslContexts.forClient();
            if (tls.trust() != null) {
                context.trustManager(tls.trust().toFile());
            }
            if (tls.certificate() != null) {
                context.keyManager(tls.certificate().toFile(), tls.key().toFile());
            }
            return builder.sslContext(context.build()).build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new TuttiException("the files for TLS cannot be used, expected PEM: " + e.getMessage(), e);
        }
    }
}
