package dev.tutti.app;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * One terminal that several streams write to, such as results, messages and the log.
 *
 * <p>A line that one stream has left open, as the progress bar does, is erased before another stream writes; the bar is drawn again
 * below with its next step. So no log line lands on the bar.
 */
final class SharedTerminal {
    private static final byte[] ERASE_LINE = "\r\033[K".getBytes(StandardCharsets.US_ASCII);

    private OutputStream last;
    private boolean lineOpen;

    /** A stream that knows of the others. */
    OutputStream stream(OutputStream out) {
        return new Guarded(out);
    }

    private final class Guarded extends OutputStream {
        private final OutputStream out;

        Guarded(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (length == 0) {
                return;
            }
            synchronized (SharedTerminal.this) {
                if (lineOpen && last != this) {
                    out.write(ERASE_LINE);
                }
                out.write(bytes, offset, length);
                last = this;
                lineOpen = bytes[offset + length - 1] != '\n';
            }
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }
    }
}
