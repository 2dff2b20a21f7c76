package dev.tutti.source.profile;

import dev.tutti.data.DataException;
import dev.tutti.source.image.ImageSource;
import java.util.List;
import java.util.Locale;

/** A job file for a folder of images with a folder for each class. */
public final class ImageDraft {
    private static final int STEPS = 1500;

    private ImageDraft() {}

    /** @throws DataException if there are fewer than two classes */
    public static String of(String folder, String name, String file) {
        ImageSource images = ImageSource.of(folder);
        List<String> classes = images.classes();
        if (classes.size() < 2) {
            throw new DataException(folder + ": expected a folder for each class, such as " + folder + "/cat and "
                    + folder + "/dog, found " + (classes.isEmpty() ? "none" : "only " + classes.get(0)));
        }
        long rows = images.size().orElseThrow();
        int batch = rows < 2000 ? 16 : 64;
        long epochs = Math.max(2, Math.min(30, (long) STEPS * batch / rows));
        String source = "{type: images, folder: " + JobDraft.quoted(folder) + ", height: 64, width: 64}";
        StringBuilder text = new StringBuilder();
        text.append(String.format(Locale.ROOT, "# Learns the classes of the %,d images in %s.%n", rows, folder));
        text.append("# Made by ./tutti init; change what you like, then: ./tutti train ")
                .append(file)
                .append('\n');
        text.append("name: ").append(JobDraft.quoted(name)).append("\n\n");
        text.append(
                "data:                      # nine images of ten to learn from; the others are measured after each epoch\n");
        for (String side : List.of("train", "validation")) {
            text.append("  ")
                    .append(side)
                    .append(":\n    source: ")
                    .append(source)
                    .append("\n    stages:\n");
            text.append("      - {type: shuffle, seed: 1, fixed: true}\n");
            text.append("      - {type: split, fraction: 0.9")
                    .append(side.equals("train") ? "}\n" : ", second: true}\n");
            if (side.equals("train")) {
                text.append(
                        "      - {type: randomMap, seed: 1, transform: randomFlip}   # mirrors every other image\n");
            }
        }
        text.append("classes: [")
                .append(String.join(", ", classes.stream().map(JobDraft::quoted).toList()))
                .append("]\n\n");
        text.append("model:\n  type: sequential\n  layers:\n");
        for (int filters : new int[] {16, 32, 64}) {
            text.append("    - {type: conv2d, filters: ")
                    .append(filters)
                    .append(", kernel: 3, padding: 1, activation: relu}\n    - {type: maxPool2d, size: 2}\n");
        }
        text.append(
                        "    - globalAvgPool2d\n    - {type: dense, units: 64, activation: relu}\n    - {type: dense, units: ")
                .append(classes.size())
                .append("}   # one for each class\n\n");
        text.append("loss: softmaxCrossEntropy\nmetrics: [accuracy]\n");
        text.append("optimizer: {type: adam, learningRate: 0.002, schedule: cosine}\n");
        text.append("batch: ").append(batch).append("\nepochs: ").append(epochs);
        text.append("\nseed: 1\noutput: runs/").append(name).append("\n");
        return text.toString();
    }
}
