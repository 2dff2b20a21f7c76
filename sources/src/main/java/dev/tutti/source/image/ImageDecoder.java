package dev.tutti.source.image;

import dev.tutti.data.DataException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.opencv.global.opencv_core;
import org.bytedeco.opencv.global.opencv_imgcodecs;
import org.bytedeco.opencv.global.opencv_imgproc;
import org.bytedeco.opencv.opencv_core.Mat;
import org.bytedeco.opencv.opencv_core.Size;

/** Decodes images to numbers from 0 to 1 in the order channels, height, width; any number of threads at a time. */
final class ImageDecoder {
    private final int channels;
    private final int height;
    private final int width;

    ImageDecoder(int channels, int height, int width) {
        this.channels = channels;
        this.height = height;
        this.width = width;
    }

    int size() {
        return channels * height * width;
    }

    /** Writes the numbers of an image from a place on. */
    void decode(Path file, float[] out, int from) {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (IOException e) {
            throw new DataException(file + ": cannot be read: " + e.getMessage(), e);
        }
        if (ImageBytes.isCutShort(bytes)) {
            throw new DataException(file + ": is a damaged image: its end is missing behind byte " + bytes.length);
        }
        try (PointerScope scope = new PointerScope()) {
            int flags = channels == 1 ? opencv_imgcodecs.IMREAD_GRAYSCALE : opencv_imgcodecs.IMREAD_COLOR;
            Mat image = bytes.length == 0
                    ? new Mat()
                    : opencv_imgcodecs.imdecode(
                            new Mat(1, bytes.length, opencv_core.CV_8UC1, new BytePointer(bytes)), flags);
            if (image.empty()) {
                throw new DataException(file + ": is a damaged image, or of a kind that is not known: expected PNG,"
                        + " JPEG, BMP, WebP or TIFF");
            }
            if (image.rows() != height || image.cols() != width) {
                boolean smaller = image.rows() > height || image.cols() > width;
                Mat resized = new Mat();
                opencv_imgproc.resize(
                        image,
                        resized,
                        new Size(width, height),
                        0,
                        0,
                        smaller ? opencv_imgproc.INTER_AREA : opencv_imgproc.INTER_LINEAR);
                image = resized;
            }
            copy(image.createBuffer(), out, from);
        }
    }

    /** OpenCV keeps blue, green, red of a pixel together; models take red, green, blue one after the other. */
    private void copy(ByteBuffer pixels, float[] out, int from) {
        byte[] row = new byte[height * width * channels];
        pixels.get(row);
        int plane = height * width;
        for (int c = 0; c < channels; c++) {
            int source = channels - 1 - c;
            int at = from + c * plane;
            for (int i = 0; i < plane; i++, source += channels) {
                out[at + i] = (row[source] & 0xff) * (1 / 255f);
            }
        }
    }
}
