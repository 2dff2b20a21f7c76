package dev.tutti.cluster.rpc;

import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.StatusOr;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Leads a channel to a list of places, of which it takes the first that can be reached. Names are looked up at every attempt. */
final class FixedPlaces extends NameResolverProvider {
    private static final String SCHEME = "tutti-coordinator";

    static {
        NameResolverRegistry.getDefaultRegistry().register(new FixedPlaces());
    }

    private FixedPlaces() {}

    /** What a channel to these places is opened with. */
    static String target(List<CoordinatorAddress.Endpoint> places) {
        return SCHEME + ":///" + places.stream().map(Object::toString).collect(Collectors.joining(","));
    }

    private static CoordinatorAddress.Endpoint place(String text) {
        int colon = text.lastIndexOf(':');
        return new CoordinatorAddress.Endpoint(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    }

    @Override
    public NameResolver newNameResolver(URI target, NameResolver.Args args) {
        if (!SCHEME.equals(target.getScheme())) {
            return null; // what a provider says of targets that are not its own
        }
        List<CoordinatorAddress.Endpoint> places = Arrays.stream(
                        target.getPath().substring(1).split(","))
                .map(FixedPlaces::place)
                .toList();
        return new NameResolver() {
            private Listener2 listener;

            @Override
            public String getServiceAuthority() {
                return places.get(0).toString();
            }

            @Override
            public void start(Listener2 told) {
                listener = told;
                refresh();
            }

            @Override
            public void refresh() {
                List<EquivalentAddressGroup> addresses = places.stream()
                        .map(place -> new EquivalentAddressGroup(new InetSocketAddress(place.host(), place.port())))
                        .toList();
                listener.onResult(ResolutionResult.newBuilder()
                        .setAddressesOrError(StatusOr.fromValue(addresses))
                        .build());
            }

            @Override
            public void shutdown() {}
        };
    }

    @Override
    public String getDefaultScheme() {
        return SCHEME;
    }

    @Override
    public Collection<Class<? extends SocketAddress>> getProducedSocketAddressTypes() {
        return Set.of(InetSocketAddress.class);
    }

    @Override
    protected boolean isAvailable() {
        return true;
    }

    @Override
    protected int priority() {
        return 5;
    }
}
