package dev.tutti.comm.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tutti.comm.Member;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The first words on a connection: both sides say who they are and prove, each with a number that the other has drawn, that they
 * know the job's token. The token itself is not sent.
 *
 * <p>A connecting member says hello (version, byte order, number, its id, host and role, the id it wants); the other answers with
 * its number and proof; the connecting one sends its proof and is told that it may speak. Each block has its length in two bytes.
 */
final class Handshake {
    private static final int MAGIC = 0x5455_5432;
    private static final int NONCE = 32;
    private static final int LONGEST = 1024;
    private static final byte[] WELCOME = {1};

    private final ByteWire wire;
    private final String token;

    /** The other side is none that this one speaks with. */
    static final class RefusedConnection extends IOException {
        private static final long serialVersionUID = 1;

        RefusedConnection(String message) {
            super(message);
        }
    }

    Handshake(ByteWire wire, String token) {
        this.wire = wire;
        this.token = token;
    }

    /** The side that connects. */
    void connect(Member self, Member to) throws IOException {
        byte[] mine = nonce();
        ByteBuffer hello = ByteBuffer.allocate(LONGEST);
        hello.putInt(MAGIC).put(order()).put(mine);
        for (String word : new String[] {self.id(), self.host(), self.role(), to.id()}) {
            put(hello, word);
        }
        byte[] said = bytes(hello.flip());
        send(said);
        ByteBuffer answer = receive();
        if (answer.remaining() != 2 * NONCE) {
            throw new RefusedConnection(new String(bytes(answer), UTF_8));
        }
        byte[] theirs = new byte[NONCE];
        byte[] proof = new byte[NONCE];
        answer.get(theirs).get(proof);
        if (!MessageDigest.isEqual(proof, proof("accepts", said, theirs))) {
            throw new RefusedConnection("it does not know the token of this job");
        }
        send(proof("connects", said, theirs));
        ByteBuffer end = receive();
        if (end.remaining() != WELCOME.length) {
            throw new RefusedConnection(new String(bytes(end), UTF_8));
        }
    }

    /** The side that is connected to. @return the member at the other end */
    Member accept(Member self) throws IOException {
        byte[] said = bytes(receive());
        ByteBuffer hello = ByteBuffer.wrap(said);
        Member from;
        String wanted;
        try {
            if (hello.getInt() != MAGIC) {
                throw refuse("this is the port of Tutti's messages, version 2, which was not spoken");
            }
            if (hello.get() != order()) {
                throw refuse("the byte order of the machines differs");
            }
            hello.position(hello.position() + NONCE);
            from = new Member(word(hello), word(hello), word(hello));
            wanted = word(hello);
        } catch (RuntimeException e) {
            throw refuse("the first words could not be read");
        }
        byte[] mine = nonce();
        send(ByteBuffer.allocate(2 * NONCE)
                .put(mine)
                .put(proof("accepts", said, mine))
                .array());
        if (!MessageDigest.isEqual(bytes(receive()), proof("connects", said, mine))) {
            throw refuse("the token is not that of this job");
        }
        if (!wanted.equals(self.id())) { // said to those alone who know the token
            throw refuse("this is " + self + ", not " + wanted);
        }
        send(WELCOME);
        return from;
    }

    private RefusedConnection refuse(String why) throws IOException {
        send(why.getBytes(UTF_8));
        return new RefusedConnection(why);
    }

    private byte[] proof(String side, byte[] hello, byte[] nonce) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(("tutti messages " + token).getBytes(UTF_8), "HmacSHA256"));
            mac.update(side.getBytes(UTF_8));
            mac.update(hello);
            return mac.doFinal(nonce);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA256", e);
        }
    }

    private static byte[] nonce() {
        byte[] bytes = new byte[NONCE];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    private static byte order() {
        return (byte) (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? 1 : 2);
    }

    private static void put(ByteBuffer out, String word) {
        byte[] bytes = word.getBytes(UTF_8);
        out.putShort((short) bytes.length).put(bytes);
    }

    private static String word(ByteBuffer in) {
        byte[] bytes = new byte[in.getShort()];
        in.get(bytes);
        return new String(bytes, UTF_8);
    }

    private static byte[] bytes(ByteBuffer in) {
        byte[] bytes = new byte[in.remaining()];
        in.get(bytes);
        return bytes;
    }

    private void send(byte[] block) throws IOException {
        ByteBuffer out = ByteBuffer.allocateDirect(2 + block.length);
        out.putShort((short) block.length).put(block).flip();
        while (out.hasRemaining()) {
            wire.write(new ByteBuffer[] {out});
        }
    }

    private ByteBuffer receive() throws IOException {
        int length = fill(2).getShort();
        if (length < 1 || length > LONGEST) {
            throw new RefusedConnection("first words of " + length + " bytes");
        }
        return fill(length);
    }

    private ByteBuffer fill(int bytes) throws IOException {
        ByteBuffer in = ByteBuffer.allocateDirect(bytes);
        while (in.hasRemaining()) {
            if (wire.read(in) < 0) {
                throw new EOFException("the other side has closed the connection");
            }
        }
        return in.flip();
    }
}
