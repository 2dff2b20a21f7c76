package dev.tutti.library;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** What the published POMs say about Tutti fits together. */
class PublishedPomsTest {
    private static Document pom(String folder) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(Path.of("..", folder, "pom.xml").toFile());
    }

    /** The text of a direct child of the project. */
    private static String top(Document pom, String name) {
        NodeList all = pom.getDocumentElement().getChildNodes();
        return IntStream.range(0, all.getLength())
                .mapToObj(all::item)
                .filter(node -> node.getNodeName().equals(name))
                .findFirst()
                .orElseThrow()
                .getTextContent()
                .strip();
    }

    private static List<String> artifactsOfTutti(Document pom) {
        NodeList dependencies = pom.getElementsByTagName("dependency");
        return IntStream.range(0, dependencies.getLength())
                .mapToObj(i -> (Element) dependencies.item(i))
                .filter(dependency -> dependency
                        .getElementsByTagName("groupId")
                        .item(0)
                        .getTextContent()
                        .equals("dev.tutti"))
                .map(dependency ->
                        dependency.getElementsByTagName("artifactId").item(0).getTextContent())
                .toList();
    }

    @Test
    void theBomNamesTheLibraryAndItsPartsInTheVersionOfTheBuild() throws Exception {
        assertThat(top(pom("bom"), "version")).isEqualTo(top(pom("."), "version"));
        assertThat(artifactsOfTutti(pom("library"))).containsExactly("tutti-core", "tutti-cluster", "tutti-strategy");
        assertThat(artifactsOfTutti(pom("bom")))
                .containsExactlyInAnyOrder(
                        "tutti",
                        "tutti-core",
                        "tutti-cluster",
                        "tutti-consensus",
                        "tutti-strategy",
                        "tutti-sources",
                        "tutti-spark",
                        "tutti-federated",
                        "tutti-serve",
                        "tutti-jobs",
                        "tutti-tune",
                        "tutti-plan",
                        "tutti-transfer");
    }

    @Test
    void theSampleUsesTheVersionOfTheBuild() throws Exception {
        assertThat(pom("sample").getElementsByTagName("tutti.version").item(0).getTextContent())
                .isEqualTo(top(pom("."), "version"));
    }

    @Test
    void theLicenceAndTheSourceAreNamed() throws Exception {
        for (String folder : List.of(".", "bom")) {
            assertThat(top(pom(folder), "licenses")).contains("Apache-2.0");
            assertThat(top(pom(folder), "scm")).startsWith("scm:git:");
        }
    }
}
