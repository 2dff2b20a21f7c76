package dev.tutti.app.input;

import dev.tutti.FileKind;
import dev.tutti.array.NdArray;
import dev.tutti.array.Shape;
import dev.tutti.serve.ServeException;
import dev.tutti.serve.tensor.ImageRows;
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
            sum += ImageRows.grey(image.getRGB(x, 0)) + ImageRows.grey(image.getRGB(x, image.getHeight() - 1));
            count += 2;
        }
        for (int y = 0; y < image.getHeight(); y++) {
            sum += ImageRows.grey(image.getRGB(0, y)) + ImageRows.grey(image.getRGB(image.getWidth() - 1, y));
            count += 2;
        }
        return sum / count > WHITE / 2;
    }

    /** The pixels in the shape of the input, from 0 for black to {@code white}. */
    public NdArray toArray(Shape input, boolean invert, double white) {
        try {
            return ImageRows.pixels(image, input, invert, white).row(0);
        } catch (ServeException e) {
            throw new InputException(file.toString(), e.getMessage(), e);
        }
    }
}
