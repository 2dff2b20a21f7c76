package dev.tutti.bench.allreduce;

import dev.tutti.bench.process.ProcessCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The first member and the JVMs of all others, which do as it does. They wait for orders without using a core. */
final class WireTeam implements AutoCloseable {
    private final List<Process> others = new ArrayList<>();
    private final List<BufferedReader> answers = new ArrayList<>();
    private final VectorSums first;

    /** @param sent the bytes that each member has sent so far, by rank */
    record Result(double seconds, List<Long> sent) {}

    WireTeam(WireKind wire, int members) {
        Path folder = null;
        try {
            folder = Files.createTempDirectory("tutti-bench");
            for (int rank = 1; rank < members; rank++) {
                start(wire, rank, members, folder);
            }
            first = new VectorSums(wire, 0, members, folder);
            sum(1, 1); // all have read their notes
        } catch (IOException e) {
            endOthers();
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            endOthers();
            throw e;
        } finally {
            remove(folder);
        }
    }

    private void start(WireKind wire, int rank, int members, Path folder) throws IOException {
        ProcessCommand command = ProcessCommand.java(
                WireMember.class,
                wire.toString(),
                Integer.toString(rank),
                Integer.toString(members),
                folder.toString());
        Process process = new ProcessBuilder(command.words())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        others.add(process);
        answers.add(new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
    }

    /** Has all members sum a vector of so many floats so often. */
    Result sum(int elements, int times) {
        try {
            for (Process other : others) {
                OutputStream orders = other.getOutputStream();
                orders.write((elements + " " + times + "\n").getBytes(StandardCharsets.UTF_8));
                orders.flush();
            }
            double seconds = first.sum(elements, times); // ends within its deadline, also when another has died
            List<Long> sent = new ArrayList<>(List.of(first.sent()));
            for (BufferedReader answer : answers) {
                sent.add(sent(answer));
            }
            return new Result(seconds, sent);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long sent(BufferedReader answer) throws IOException {
        for (String line = answer.readLine(); line != null; line = answer.readLine()) {
            if (line.startsWith(WireMember.SENT)) {
                return Long.parseLong(line.substring(WireMember.SENT.length()));
            }
        }
        throw new IOException("a member has ended");
    }

    private void endOthers() {
        others.forEach(Process::destroyForcibly);
    }

    private static void remove(Path folder) {
        if (folder == null) {
            return;
        }
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        for (Process other : others) {
            try {
                other.getOutputStream().close();
                other.waitFor(2, TimeUnit.SECONDS);
            } catch (IOException e) {
                // it has ended already
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        endOthers();
        first.close();
    }
}
