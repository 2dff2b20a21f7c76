package dev.tutti.comm.transport;

import dev.tutti.comm.BulletinBoard;
import dev.tutti.comm.MemberLostException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;

/** A bulletin board for JVMs of one machine without a coordinator: notes are files of one folder. */
public final class FolderBoard implements BulletinBoard {
    private final Path folder;
    private final Duration timeout;

    /** @param folder an empty folder that all members can write to; who made it removes it */
    public FolderBoard(Path folder, Duration timeout) {
        this.folder = folder;
        this.timeout = timeout;
    }

    @Override
    public void post(String name, String note) {
        try {
            Path unfinished = Files.createTempFile(folder, "note", ".part");
            Files.writeString(unfinished, note);
            Files.move(unfinished, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String read(String name) {
        Path file = folder.resolve(name);
        CallDeadline patience = new CallDeadline(timeout);
        patience.await(() -> Files.exists(file), new CallDeadline.Lookout() {
            @Override
            public void look() {}

            @Override
            public RuntimeException late() {
                return new MemberLostException(
                        List.of(), "no member left the note " + file + " within " + patience.inWords());
            }
        });
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
