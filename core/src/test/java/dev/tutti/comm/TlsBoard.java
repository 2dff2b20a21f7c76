package dev.tutti.comm;

import dev.tutti.comm.message.TestingCertificates;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** A board of members that have a certificate, the same one for all. */
record TlsBoard(BulletinBoard plain, SSLContext context) implements BulletinBoard {
    TlsBoard(BulletinBoard plain) {
        this(plain, TestingCertificates.shared().context());
    }

    @Override
    public void post(String name, String note) {
        plain.post(name, note);
    }

    @Override
    public String read(String name) {
        return plain.read(name);
    }

    @Override
    public Optional<SSLContext> tls() {
        return Optional.of(context);
    }
}
