package dev.tutti.spark.launch;

import dev.tutti.spark.SparkCluster;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.apache.spark.SparkConf;

/**
 * Where executors reach the driver.
 *
 * @param host the address that Spark's own driver has
 * @param plain whether it may be open to other machines without TLS: where Spark's connections are not encrypted either, or the user
 *     has said so
 */
public record DriverAddress(String host, boolean plain) {
    public static DriverAddress of(SparkConf conf, SparkCluster settings) {
        String host = conf.get("spark.driver.host", "127.0.0.1");
        boolean encrypted = conf.getBoolean("spark.network.crypto.enabled", false)
                || conf.getBoolean("spark.ssl.rpc.enabled", false);
        boolean plain = settings.saysPlain() == null ? !encrypted : settings.saysPlain();
        return new DriverAddress(numeric(host), plain);
    }

    /** A machine's own name may be another address elsewhere. */
    private static String numeric(String host) {
        try {
            return InetAddress.getByName(host).getHostAddress();
        } catch (UnknownHostException e) {
            return host; // the coordinator says what is wrong with it
        }
    }
}
