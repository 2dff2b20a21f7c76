package dev.tutti.comm;

import java.net.InetAddress;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** Where the members of a group leave each other notes while they come together: addresses, names of files. One for each generation. */
public interface BulletinBoard {
    /** Leaves a note; a name is used once. */
    void post(String name, String note);

    /**
     * Reads a note, waiting for it within the group's deadline.
     *
     * @throws MemberLostException if it did not come
     */
    String read(String name);

    /** The address of this machine in the network through which the board is reached, if it is reached through one. */
    default Optional<InetAddress> localAddress() {
        return Optional.empty();
    }

    /**
     * What connections between machines are encrypted with, where every member has a certificate. All members of a group have it, or none
     * has.
     */
    default Optional<SSLContext> tls() {
        return Optional.empty();
    }

    /** A part of this board, whose notes have names of their own. */
    default BulletinBoard part(String part) {
        BulletinBoard whole = this;
        return new BulletinBoard() {
            @Override
            public void post(String name, String note) {
                whole.post(part + "-" + name, note);
            }

            @Override
            public String read(String name) {
                return whole.read(part + "-" + name);
            }

            @Override
            public Optional<InetAddress> localAddress() {
                return whole.localAddress();
            }

            @Override
            public Optional<SSLContext> tls() {
                return whole.tls();
            }
        };
    }
}
