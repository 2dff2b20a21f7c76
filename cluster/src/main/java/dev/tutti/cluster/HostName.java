package dev.tutti.cluster;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Optional;

/** The name or address of a machine, and what this machine takes it for. */
record HostName(String name) {
    /** Of an address with or without a port. */
    static HostName of(String address) {
        return new HostName(address.replaceFirst("^([^:]+|\\[.*]):\\d+$", "$1"));
    }

    private Optional<InetAddress> address() {
        try {
            return Optional.of(InetAddress.getByName(name));
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    /** Whether no other machine can reach it. */
    boolean isLoopback() {
        return address().map(InetAddress::isLoopbackAddress).orElse(false);
    }

    /** Whether it is this machine, as far as this machine knows. */
    boolean isHere() {
        return address().map(HostName::isOurs).orElse(false);
    }

    private static boolean isOurs(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    /** With its address where that says more. */
    String inWords() {
        String number = address().map(InetAddress::getHostAddress).orElse(name);
        return number.equals(name) ? name : name + ", which is " + number + " here";
    }

    @Override
    public String toString() {
        return name;
    }
}
