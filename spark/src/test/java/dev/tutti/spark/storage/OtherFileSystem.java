package dev.tutti.spark.storage;

import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.RawLocalFileSystem;

/** Files of this machine under a scheme of their own, which no class of Java knows: all goes through Hadoop. */
public final class OtherFileSystem extends RawLocalFileSystem {
    static final String SCHEME = "other";

    @Override
    public URI getUri() {
        return URI.create(SCHEME + ":///");
    }

    @Override
    public String getScheme() {
        return SCHEME;
    }

    /** Lets Hadoop find it. */
    public static Configuration in(Configuration hadoop) {
        hadoop.set("fs." + SCHEME + ".impl", OtherFileSystem.class.getName());
        return hadoop;
    }
}
