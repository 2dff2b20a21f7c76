package dev.tutti.spark.node;

import dev.tutti.io.FileException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** TensorBoard beside the first worker, where that program is installed: it shows what nodes write into a folder. */
final class TensorBoardProcess implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TensorBoardProcess.class);
    private static final Pattern ADDRESS = Pattern.compile("TensorBoard \\S+ at (http://\\S+)");
    private static final long START_SECONDS = 60;

    private final Process process;
    private final String address;

    private TensorBoardProcess(Process process, String address) {
        this.process = process;
        this.address = address;
    }

    /**
     * Starts it, and waits until it says where it is.
     *
     * @param searchPath folders in which the program {@code tensorboard} is looked for, as the environment writes them
     * @param host the address that it listens on
     * @return empty where the program is not installed or does not start; the log says which
     */
    static Optional<TensorBoardProcess> start(String searchPath, String logDir, String host) {
        Optional<Path> program = Arrays.stream(searchPath.split(File.pathSeparator))
                .map(folder -> Path.of(folder).resolve("tensorboard"))
                .filter(Files::isExecutable)
                .findFirst();
        if (program.isEmpty()) {
            LOG.warn("there is no program 'tensorboard' on the PATH of this executor: {} is shown nowhere", logDir);
            return Optional.empty();
        }
        List<String> command = List.of(program.get().toString(), "--logdir", logDir, "--host", host, "--port", "0");
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
            return address(process).map(where -> new TensorBoardProcess(process, where));
        } catch (IOException e) {
            throw new FileException(program.get().toString(), "cannot be started: " + e.getMessage(), e);
        }
    }

    private static Optional<String> address(Process process) {
        CompletableFuture<String> said = new CompletableFuture<>();
        Thread reader = new Thread(() -> read(process, said), "tutti-tensorboard");
        reader.setDaemon(true);
        reader.start();
        try {
            return Optional.of(said.get(START_SECONDS, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            LOG.warn("TensorBoard did not say within {} s where it is", START_SECONDS);
        } catch (ExecutionException e) {
            LOG.warn("TensorBoard did not start: {}", e.getCause().getMessage());
        }
        process.destroy();
        return Optional.empty();
    }

    /** Reads to the end: a program whose output is not read comes to a stop. */
    private static void read(Process process, CompletableFuture<String> said) {
        String last = "it said nothing";
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher found = ADDRESS.matcher(line);
                if (found.find()) {
                    said.complete(found.group(1));
                }
                last = line;
            }
        } catch (IOException e) {
            last = e.getMessage();
        }
        said.completeExceptionally(new IOException(last));
    }

    /** Where it is, for a browser. */
    String address() {
        return address;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.destroy();
    }
}
