package dev.tutti.serve.tensor;

import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.serve.ServeException;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.Image;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Iterator;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;

/** Makes of an image a row for a model that takes images as [channels, height, width]. */
public final class ImageRows {
    /** Larger ones are refused by their header: a small file can claim to be a huge image. */
    private static final long MOST_PIXELS = 16_000_000;

    private static final double WHITE = 255;

    private ImageRows() {}

    /**
     * Reads a PNG, JPEG, GIF or BMP image.
     *
     * @throws ServeException if it is none, is damaged, or is too large
     */
    public static BufferedImage decode(byte[] file) {
        ImageIO.setUseCache(false);
        try (ImageInputStream in = ImageIO.createImageInputStream(new ByteArrayInputStream(file))) {
            Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
            if (!readers.hasNext()) {
                throw ServeException.invalid("the body is no image that can be read: expected PNG, JPEG, GIF or BMP");
            }
            ImageReader reader = readers.next();
            try {
                reader.setInput(in, true, true);
                long pixels = (long) reader.getWidth(0) * reader.getHeight(0);
                if (pixels > MOST_PIXELS) {
                    throw ServeException.invalid(
                            "the image has " + pixels + " pixels: at most " + MOST_PIXELS + " are accepted");
                }
                return reader.read(0);
            } finally {
                reader.dispose();
            }
        } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new ServeException(ServeException.Reason.INVALID, "the image is damaged: " + e.getMessage(), e);
        }
    }

    /**
     * The pixels in the shape of an input, from 0 for black to {@code white}, as a batch of one row.
     *
     * @throws ServeException if the input does not take images
     */
    public static NdArray pixels(BufferedImage image, Shape input, boolean invert, double white) {
        if (input.rank() != 3 || input.dim(0) != 1 && input.dim(0) != 3 || !input.isKnown()) {
            throw ServeException.invalid("the model takes inputs of shape " + input
                    + ", which are no images [1 or 3, height, width]: ask it with numbers");
        }
        int channels = Math.toIntExact(input.dim(0));
        int height = Math.toIntExact(input.dim(1));
        int width = Math.toIntExact(input.dim(2));
        BufferedImage scaled = scaled(image, width, height);
        float[] pixels = new float[channels * height * width];
        for (int channel = 0; channel < channels; channel++) {
            for (int y = 0; y < height; y++) {
                for (int x = 0; x < width; x++) {
                    int rgb = scaled.getRGB(x, y);
                    double value = channels == 1 ? grey(rgb) : rgb >> 16 - 8 * channel & 0xff;
                    pixels[(channel * height + y) * width + x] =
                            (float) ((invert ? WHITE - value : value) / WHITE * white);
                }
            }
        }
        return NdArray.wrap(DType.FLOAT32, input.prepend(1), pixels);
    }

    /** On black where the image is transparent; each pixel the mean of what it covers. */
    private static BufferedImage scaled(BufferedImage image, int width, int height) {
        BufferedImage scaled = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = scaled.createGraphics();
        try {
            boolean same = image.getWidth() == width && image.getHeight() == height;
            Image source = same ? image : image.getScaledInstance(width, height, Image.SCALE_AREA_AVERAGING);
            graphics.drawImage(source, 0, 0, Color.BLACK, null);
        } finally {
            graphics.dispose();
        }
        return scaled;
    }

    /** Brightness by ITU-R BT.601. */
    public static double grey(int rgb) {
        return 0.299 * (rgb >> 16 & 0xff) + 0.587 * (rgb >> 8 & 0xff) + 0.114 * (rgb & 0xff);
    }
}
