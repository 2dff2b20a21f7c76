package dev.tutti.source.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.tutti.data.Batch;
import dev.tutti.data.BatchReader;
import dev.tutti.data.DataException;
import dev.tutti.data.Dataset;
import dev.tutti.data.source.Source;
import dev.tutti.data.transform.RandomTransform;
import dev.tutti.json.Json;
import dev.tutti.source.table.BadRows;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images decoded, resized and augmented, against Java's own decoder. */
class ImageSourceTest {
    @TempDir
    Path folder;

    private void write(String name, String format, Color left, Color right) throws IOException {
        BufferedImage image = new BufferedImage(40, 20, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.setColor(left);
        graphics.fillRect(0, 0, 20, 20);
        graphics.setColor(right);
        graphics.fillRect(20, 0, 20, 20);
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        ImageIO.write(image, format, file.toFile());
    }

    private static Batch first(Dataset data) {
        try (BatchReader reader = data.batch(8).open(0)) {
            return reader.next().orElseThrow();
        }
    }

    @Test
    void imagesAreDecodedAndResizedWithTheClassesOfTheirFolders() throws IOException {
        write("cat/1.png", "png", Color.RED, Color.BLUE);
        write("cat/2.jpg", "jpg", Color.GREEN, Color.GREEN);
        write("dog/deep/3.png", "png", Color.WHITE, Color.BLACK);
        ImageSource source = ImageSource.of(folder.toString()).size(2, 4);
        assertThat(source.classes()).containsExactly("cat", "dog");
        Batch batch = first(Dataset.of(source));
        assertThat(batch.label().longs()).containsExactly(0, 0, 1);
        assertThat(batch.feature().row(0).floats())
                .containsExactly(1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1);
        assertThat(batch.feature().row(1).floats()[8]).isCloseTo(1, within(0.02f));
        assertThat(first(Dataset.of(source.grey())).feature().row(2).floats()).containsExactly(1, 1, 0, 0, 1, 1, 0, 0);
    }

    @Test
    void augmentingIsTheSameOnAllCoresAsOneByOne() throws IOException {
        for (int i = 0; i < 20; i++) {
            write("c/" + i + ".png", "png", new Color(i * 10, 0, 0), new Color(0, i * 10, 0));
        }
        Source source = ImageSource.of(folder.toString()).size(8, 8);
        Dataset augmented = Dataset.of(source)
                .shuffle(3)
                .map(5, RandomTransform.randomFlip())
                .map(6, RandomTransform.randomShift(2));
        assertThat(first(augmented))
                .isEqualTo(first(augmented))
                .isNotEqualTo(first(Dataset.of(source).shuffle(3)));
        Batch eight = first(augmented);
        try (BatchReader reader = augmented.batch(1).open(0)) {
            for (int i = 0; i < 8; i++) {
                assertThat(reader.next().orElseThrow().feature().row(0))
                        .isEqualTo(eight.feature().row(i));
            }
        }
    }

    @Test
    void classesMayStandInAFile() throws IOException {
        write("a.png", "png", Color.RED, Color.RED);
        write("b.png", "png", Color.BLUE, Color.BLUE);
        Path labels = Files.writeString(folder.resolve("labels.csv"), "file,label\nb.png,x\na.png,y\nb.png,z\n");
        ImageSource source =
                ImageSource.of(folder.toString()).labels(labels.toString()).size(2, 2);
        assertThat(first(Dataset.of(source)).label().longs()).containsExactly(0, 1, 2);
        Files.writeString(labels, "file,label\nnone.png,x\n");
        assertThatThrownBy(() -> ImageSource.of(folder.toString())
                        .labels(labels.toString())
                        .classes())
                .isInstanceOf(DataException.class)
                .hasMessageContaining("row 1: there is no file");
    }

    @Test
    void damagedImagesAreNamed() throws IOException {
        write("c/ok.png", "png", Color.RED, Color.RED);
        Files.writeString(folder.resolve("c/zz.png"), "no image");
        assertThatThrownBy(() -> first(Dataset.of(ImageSource.of(folder.toString()))))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("zz.png")
                .hasMessageContaining("damaged image");
        assertThatThrownBy(() -> ImageSource.of(folder.toString())
                        .classes(List.of("other"))
                        .size())
                .hasMessageContaining("class 'c' is none of [other]");
    }

    @Test
    void damagedImagesAreLeftOutUpToALimitAndCollected() throws IOException {
        write("a/1.png", "png", Color.RED, Color.RED);
        write("a/2.jpg", "jpg", Color.GREEN, Color.GREEN);
        write("b/3.png", "png", Color.BLUE, Color.BLUE);
        for (String name : List.of("a/2.jpg", "b/3.png")) {
            byte[] whole = Files.readAllBytes(folder.resolve(name));
            Path cut = folder.resolve(name.replace('.', '-') + ".cut" + name.substring(name.indexOf('.')));
            Files.write(cut, Arrays.copyOf(whole, whole.length - 20));
        }
        Files.writeString(folder.resolve("b/text.png"), "no image");
        Files.createFile(folder.resolve("b/empty.webp"));
        ImageSource all = ImageSource.of(folder.toString()).size(4, 4);
        assertThatThrownBy(() -> first(Dataset.of(all)))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("2-jpg.cut.jpg: is a damaged image: its end is missing")
                .hasMessageContaining("set 'badRows' of the source to skip or collect");
        Path side = folder.resolve("bad.csv");
        ImageSource good = all.badRows(BadRows.collect(4, side.toString()));
        assertThat(good.size()).hasValue(3);
        assertThat(first(Dataset.of(good)).label().longs()).containsExactly(0, 0, 1);
        assertThat(good.notices())
                .singleElement()
                .asString()
                .contains("4 bad rows")
                .contains("2-jpg.cut.jpg");
        assertThat(Files.readAllLines(side))
                .hasSize(5)
                .anySatisfy(line -> assertThat(line).contains("text.png").contains("damaged image"));
        assertThatThrownBy(() -> all.badRows(BadRows.skip(3)).size())
                .isInstanceOf(DataException.class)
                .hasMessageContaining("more than 3 bad rows");
        Source read =
                Json.read("{\"type\": \"images\", \"folder\": \"x\", \"badRows\": \"skip\"}", Source.class, "job");
        assertThat(Json.write(read)).contains("\"policy\" : \"skip\"");
    }
}
