package dev.tutti.consensus;

import dev.tutti.cluster.rpc.TlsFiles;
import dev.tutti.io.FileException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** Makes the Raft server of a peer from its settings. */
final class RaftPeerServer {
    private static final long SNAPSHOT_EVERY = 10_000;
    private static final SizeInBytes LARGEST = SizeInBytes.valueOf("64MB");

    private RaftPeerServer() {}

    /**
     * The group of peers. Its id follows from the token, so a peer of another job, or a stranger who does not know the token, is refused
     * as one of an unknown group.
     */
    static RaftGroup group(ReplicationSettings settings, String token) {
        List<RaftPeer> peers = settings.peers().stream()
                .map(peer -> RaftPeer.newBuilder()
                        .setId(peer.name())
                        .setAddress(peer.replicationAddress())
                        .build())
                .toList();
        return RaftGroup.valueOf(RaftGroupId.valueOf(uuid("tutti coordinator peers " + token)), peers);
    }

    private static UUID uuid(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            long high = 0;
            long low = 0;
            for (int i = 0; i < Long.BYTES; i++) {
                high = high << 8 | digest[i] & 0xff;
                low = low << 8 | digest[Long.BYTES + i] & 0xff;
            }
            return new UUID(high, low);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    static RaftServer make(ReplicationSettings settings, RaftGroup group, TlsFiles tls, FactStateMachine machine) {
        Path folder = settings.folder().resolve("replication");
        try {
            Files.createDirectories(folder);
            if (Files.getFileStore(folder).supportsFileAttributeView("posix")) {
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
            }
            return RaftServer.newBuilder()
                    .setServerId(RaftPeerId.valueOf(settings.self()))
                    .setGroup(group)
                    .setStateMachine(machine)
                    .setOption(RaftStorage.StartupOption.RECOVER)
                    .setProperties(properties(settings, folder))
                    .setParameters(parameters(tls))
                    .build();
        } catch (IOException e) {
            throw new FileException(folder.toString(), "the replicated log cannot be opened: " + e.getMessage(), e);
        }
    }

    private static RaftProperties properties(ReplicationSettings settings, Path folder) {
        RaftProperties properties = new RaftProperties();
        CoordinatorPeer own = settings.own();
        RaftServerConfigKeys.setStorageDir(properties, List.of(folder.toFile()));
        GrpcConfigKeys.Server.setHost(properties, own.members().host());
        GrpcConfigKeys.Server.setPort(properties, own.replicationPort());
        GrpcConfigKeys.setMessageSizeMax(properties, LARGEST);
        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, millis(settings.election()));
        RaftServerConfigKeys.Rpc.setTimeoutMax(
                properties, millis(settings.election().multipliedBy(2)));
        RaftServerConfigKeys.Log.setPreallocatedSize(properties, SizeInBytes.valueOf("64KB"));
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, SizeInBytes.valueOf("32MB"));
        RaftServerConfigKeys.Log.setWriteBufferSize(properties, LARGEST);
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, true);
        RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(properties, SNAPSHOT_EVERY);
        RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, 2);
        return properties;
    }

    private static TimeDuration millis(Duration duration) {
        return TimeDuration.valueOf(duration.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** With TLS every peer shows its certificate and believes those that are trusted. */
    private static Parameters parameters(TlsFiles tls) {
        Parameters parameters = new Parameters();
        if (tls != null) {
            GrpcConfigKeys.TLS.setConf(
                    parameters,
                    new GrpcTlsConfig(
                            tls.key().toFile(),
                            tls.certificate().toFile(),
                            tls.trust().toFile(),
                            true));
        }
        return parameters;
    }
}
