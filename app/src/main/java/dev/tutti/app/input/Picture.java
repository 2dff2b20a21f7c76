package dev.tutti.app.input;

import dev.tutti.FileKind;
import dev.tutti.array.DType;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.Image;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/** An image file, to be fed to a model that takes images as [channels, height, width]. */
public final class Picture {
    private static final double WHITE = 255;

    private final Path file;
    private final BufferedImage image;

    private Picture(Path file, BufferedImage image) {
        this.file = file;
        this.image = image;
    }

    public static Picture read(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new InputException(
                    file.toString(),
                    FileKind.problem(file)
                            .map(what -> what + " with an image or JSON")
                            .orElse("there is no such file"));
        }
        try {
            BufferedImage image = ImageIO.read(file.toFile());
            if (image == null) {
                throw new InputException(
                        file.toString(),
                        "is no image that can be read: expected PNG, JPEG, GIF or BMP, or JSON in a file named .json");
            }
            return new Picture(file, image);
        } catch (IOException e) {
            throw new InputException(file.toString(), "is a damaged image: " + e.getMessage(), e);
        }
    }

    /** Whether its border is light: then it is most likely a drawing on paper. */
    public boolean looksLikeInkOnPaper() {
        double sum = 0;
        int count = 0;
        for (int x = 0; x < image.getWidth(); x++) {
            sum += grey(image.getRGB(x, 0)) + grey(image.getRGB(x, image.getHeight() - 1));
            count += 2;
        }
        for (int y = 0; y < image.getHeight(); y++) {
            sum += grey(image.getRGB(0, y)) + grey(image.getRGB(image.getWidth() - 1, y));
            count += 2;
        }
        return sum / count > WHITE / 2;
    }

    /** The pixels in the shape of the input, from 0 for black to {@code white}. */
    public NdArray toArray(Shape input, boolean invert, double white) {
        if (input.rank() != 3 || input.dim(0) != 1 && input.dim(0) != 3) {
            throw new InputException(
                    file.toString(),
                    "the model takes inputs of shape " + input
                            + ", which are no images [1 or 3, height, width]: ask it with JSON");
        }
        int channels = Math.toIntExact(input.dim(0));
        int height = Math.toIntExact(input.dim(1));
        int width = Math.toIntExact(input.dim(2));
        BufferedImage scaled = scaled(width, height);
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
        return NdArray.wrap(DType.FLOAT32, input, pixels);
    }

    /** On black where the image is see-through; each pixel the mean of what it covers. */
    private BufferedImage scaled(int width, int height) {
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

    /** Brightness as the eye sees it, ITU-R BT.601. */
    private static double grey(int rgb) {
        return 0.299 * (rgb >> 16 & 0xff) + 0.587 * (rgb >> 8 & 0xff) + 0.114 * (rgb & 0xff);
    }
}
