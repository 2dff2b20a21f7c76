package dev.tutti.spark.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tutti.io.FileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HadoopFolderTest {
    private static final Configuration HADOOP = OtherFileSystem.in(new Configuration());

    @ParameterizedTest
    @ValueSource(strings = {"file", OtherFileSystem.SCHEME})
    void isKeptTheSameAsAFolderHere(String scheme, @TempDir Path folder) throws IOException {
        Path here = Files.createDirectories(folder.resolve("here"));
        Path there = folder.resolve("there");
        HadoopFolder remote = HadoopFolder.at(scheme + "://" + there, HADOOP);
        assertThat(remote.exists()).isFalse();
        Files.writeString(here.resolve("one"), "1");
        Files.createDirectories(here.resolve("model"));
        Files.writeString(here.resolve("model/weights"), "w");
        Files.writeString(here.resolve(".unfinished-by-a-writer"), "?");
        remote.upload(here);
        assertThat(there.resolve("one")).hasContent("1");
        assertThat(there.resolve("model/weights")).hasContent("w");
        assertThat(there.toFile().list()).containsExactlyInAnyOrder("one", "model");

        Files.writeString(here.resolve("one"), "changed");
        Files.delete(here.resolve("model/weights"));
        Files.writeString(there.resolve("model/of-others"), "stays");
        remote.upload(here);
        assertThat(there.resolve("one")).hasContent("changed");
        assertThat(there.resolve("model").toFile().list()).containsExactly("of-others");

        Path back = folder.resolve("back");
        HadoopFolder.at(scheme + "://" + there, HADOOP).download(back);
        assertThat(back.resolve("one")).hasContent("changed");
        assertThat(back.resolve("model/of-others")).hasContent("stays");

        remote.setAside();
        assertThat(remote.exists()).isFalse();
        assertThat(folder.resolve("there.old/one")).hasContent("changed");
    }

    @Test
    void namesTheFileSystemThatNobodyKnows() {
        assertThatThrownBy(() -> HadoopFolder.at("nowhere://host/folder", HADOOP))
                .isInstanceOf(FileException.class)
                .hasMessageContaining("nowhere://host/folder");
        assertThat(HadoopFolder.isAddress("hdfs:///a")).isTrue();
        assertThat(HadoopFolder.isAddress("file:/a")).isTrue();
        assertThat(HadoopFolder.isAddress("/a/b")).isFalse();
        assertThat(HadoopFolder.isAddress("C:/a")).isFalse();
    }
}
