package dev.tutti.comm.network;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.CommunicationException;
import dev.tutti.comm.Group;
import java.net.InetSocketAddress;
import java.util.Base64;
import java.util.HexFormat;

/**
 * What members of a group tell each other on its bulletin board before they connect: where each listens, and in which way. Members that
 * encrypt and members that do not would wait for each other in vain, so the difference is named.
 */
final class LinkNotes {
    private static final String TLS = "tls ";

    /**
     * Where a member listens with TLS.
     *
     * @param key what a connecting member has to send first; only members can read it
     */
    record TlsAddress(InetSocketAddress address, byte[] key) {}

    private LinkNotes() {}

    private static String name(int rank) {
        return "links-" + rank;
    }

    static void postGloo(Group group, BulletinBoard board, byte[] announcement) {
        board.post(name(group.rank()), Base64.getEncoder().encodeToString(announcement));
    }

    static byte[] readGloo(Group group, BulletinBoard board, int rank) {
        String note = board.read(name(rank));
        if (note.startsWith(TLS)) {
            throw differs(group, rank, "encrypted", "in the clear");
        }
        return Base64.getDecoder().decode(note);
    }

    static void postTls(Group group, BulletinBoard board, TlsAddress own) {
        board.post(
                name(group.rank()),
                TLS + own.address().getAddress().getHostAddress() + " "
                        + own.address().getPort() + " " + HexFormat.of().formatHex(own.key()));
    }

    static TlsAddress readTls(Group group, BulletinBoard board, int rank) {
        String note = board.read(name(rank));
        if (!note.startsWith(TLS)) {
            throw differs(group, rank, "in the clear", "encrypted");
        }
        String[] words = note.split(" ");
        return new TlsAddress(
                new InetSocketAddress(words[1], Integer.parseInt(words[2])),
                HexFormat.of().parseHex(words[3]));
    }

    private static CommunicationException differs(Group group, int rank, String theirs, String ours) {
        return new CommunicationException(
                group.members().get(rank) + " sends tensors " + theirs + " and " + group.self() + " " + ours
                        + ": expected 'certificate', 'key' and 'trust' in the cluster specs of all members or of none,"
                        + " and the same " + NetworkCollectives.TENSORS_VARIABLE + " everywhere",
                null);
    }
}
