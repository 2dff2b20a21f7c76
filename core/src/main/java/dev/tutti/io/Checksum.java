package dev.tutti.io;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of content, as 64 lower-case hexadecimal digits, to notice that bytes have changed. */
public final class Checksum {
    static final int DIGITS = 64;

    private Checksum() {}

    public static String sha256(byte[] content) {
        MessageDigest digest = newSha256();
        digest.update(content);
        return text(digest);
    }

    public static String sha256(Path file) {
        MessageDigest digest = newSha256();
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            byte[] buffer = new byte[1 << 16];
            while (in.read(buffer) >= 0) {
                continue;
            }
        } catch (IOException e) {
            throw FileException.cannotBeRead(file.toString(), e);
        }
        return text(digest);
    }

    static MessageDigest newSha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    static String text(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }
}
