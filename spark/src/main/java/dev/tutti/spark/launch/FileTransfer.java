package dev.tutti.spark.launch;

import dev.tutti.array.NdArray;
import dev.tutti.comm.Member;
import dev.tutti.comm.Message;
import dev.tutti.comm.MessageHandler;
import dev.tutti.comm.MessageRequest;
import dev.tutti.comm.Messages;
import dev.tutti.io.FileException;
import dev.tutti.json.Json;
import dev.tutti.tensor.Scope;
import dev.tutti.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Sends files from a member to the driver, piece by piece, over the job's messages. */
final class FileTransfer {
    static final String TOPIC = "spark-file";
    private static final int PIECE = 4 << 20;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private FileTransfer() {}

    /** A piece of a file. @param name without folders */
    private record Piece(String name, long offset) {}

    /** Sends a file under its own name; returns when all of it has arrived. */
    static void send(Messages messages, Member driver, Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            long offset = 0;
            byte[] bytes = in.readNBytes(PIECE);
            do {
                send(messages, driver, new Piece(file.getFileName().toString(), offset), bytes);
                offset += bytes.length;
                bytes = in.readNBytes(PIECE);
            } while (bytes.length > 0);
        } catch (IOException e) {
            throw new FileException(file.toString(), "cannot be sent to the driver: " + e.getMessage(), e);
        }
    }

    private static void send(Messages messages, Member driver, Piece piece, byte[] bytes) {
        try (Scope scope = Scope.open()) {
            Message message = Message.of(Json.write(piece), Tensor.of(NdArray.of(bytes, bytes.length)));
            messages.ask(driver, TOPIC, message, LIMIT)
                    .get(LIMIT.toMillis() + 1000, TimeUnit.MILLISECONDS)
                    .close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FileException(piece.name, "was interrupted on its way to the driver", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new FileException(piece.name, "did not reach the driver: " + e.getMessage(), e);
        }
    }

    /** Writes what members send into a folder. */
    static MessageHandler into(Path folder) {
        return MessageHandler.of(request -> {
            receive(folder, request);
            return Message.of("");
        });
    }

    private static void receive(Path folder, MessageRequest request) {
        Piece piece = Json.read(request.message().text(), Piece.class, "a piece of a file");
        Path name = Path.of(piece.name).getFileName();
        if (name == null || !name.toString().equals(piece.name) || piece.name.startsWith(".")) {
            throw new FileException(piece.name, "is not the name of a file: expected one without folders");
        }
        byte[] bytes = request.message().body().get(0).toArray().bytes();
        Path file = folder.resolve(piece.name);
        try (FileChannel out = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            if (piece.offset == 0) {
                out.truncate(0);
            }
            ByteBuffer rest = ByteBuffer.wrap(bytes);
            long at = piece.offset;
            while (rest.hasRemaining()) {
                at += out.write(rest, at);
            }
        } catch (IOException e) {
            throw FileException.cannotBeWritten(file, e);
        }
    }
}
