package dev.tutti.jobs.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.options.WaitForSelectorState;
import dev.tutti.jobs.JobFolder;
import dev.tutti.jobs.JobRecord;
import dev.tutti.jobs.SmallJobs;
import dev.tutti.jobs.queue.Resources;
import dev.tutti.serve.http.HttpSettings;
import dev.tutti.serve.model.ServingSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page in a real browser, one test for each view, all on the service that the first one submits its jobs to. Screenshots are left in
 * target/page.
 */
@Timeout(500)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PageTest {
    private static final double PATIENCE_MILLIS = 180_000;

    @TempDir
    static Path folder;

    private static TrainingServer server;
    private static Playwright playwright;
    private static Browser browser;
    private static Path shots;

    private final List<String> errors = new ArrayList<>();
    private Page page;

    private static Path chromium() {
        for (String name : List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")) {
            if (Files.isExecutable(Path.of(name))) {
                return Path.of(name);
            }
        }
        System.err.println("SKIPPED: the page is not tested, as there is no Chromium here."
                + " On Debian: apt-get install -y --no-install-recommends chromium");
        Assumptions.abort("no Chromium");
        throw new AssertionError();
    }

    @BeforeAll
    static void start() throws Exception {
        Path chromium = chromium();
        shots = Files.createDirectories(Path.of("target/page"));
        server = TrainingServer.start(
                folder,
                new Resources(2, 8_000),
                ServingSettings.standard().replicas(1).poll(Duration.ofMillis(200)),
                HttpSettings.local(0),
                Optional.empty());
        playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        browser = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(chromium)
                        .setArgs(List.of("--no-sandbox")));
    }

    @AfterAll
    static void end() {
        if (browser != null) {
            browser.close();
        }
        if (playwright != null) {
            playwright.close();
        }
        if (server == null) {
            return;
        }
        server.close();
        for (JobRecord job : server.jobs().jobs()) {
            JobFolder files = server.jobs().folder(job.id());
            if (files.isHeld()) {
                files.process().flatMap(id -> ProcessHandle.of(id.pid())).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
    }

    @BeforeEach
    void open() {
        page = browser.newPage(new Browser.NewPageOptions().setViewportSize(1280, 1000));
        page.setDefaultTimeout(PATIENCE_MILLIS);
        page.onPageError(errors::add);
        page.onRequest(request -> {
            if (!request.url().startsWith(server.uri().toString())
                    && !request.url().startsWith("data:")
                    && !request.url().startsWith("blob:")) {
                errors.add("a request to elsewhere: " + request.url());
            }
        });
    }

    @AfterEach
    void nothingWentWrong() {
        page.close();
        assertThat(errors).isEmpty();
    }

    private void go(String view) {
        page.navigate(server.uri() + "/#" + view);
    }

    private void shot(String name) {
        page.screenshot(
                new Page.ScreenshotOptions().setPath(shots.resolve(name)).setFullPage(true));
    }

    private void submit(String yaml, String publish) {
        page.getByLabel("Job file").fill(yaml);
        page.getByLabel("Publish as").fill(publish);
        page.locator("button[type=submit]").click();
    }

    @Test
    @Order(1)
    void aJobIsSubmittedAndFollowed() {
        go("jobs");
        page.getByText("There are no jobs yet").waitFor();
        page.locator("summary", new Page.LocatorOptions().setHasText("Submit a job"))
                .click();
        submit("epochs: -", "digits");
        page.locator("#trouble:not([hidden])").waitFor();
        assertThat(page.locator("#trouble").textContent()).contains("job:1:7");
        submit(SmallJobs.yaml(3) + "cluster: {type: processes, members: 2}\n", "digits");
        page.locator("ol.timeline li", new Page.LocatorOptions().setHasText("epoch 3 of 3"))
                .first()
                .waitFor();
        page.locator("ol.timeline li.published").first().waitFor();
        assertThat(page.locator("ol.timeline").textContent()).contains("joined", "regrouped");
        page.locator(".share").first().waitFor();
        assertThat(page.locator(".share").count()).as("a bar for each member").isEqualTo(2);
        int points =
                (int) page.evaluate("Chart.getChart(document.querySelector('canvas')).data.datasets[0].data.length");
        assertThat(points).isPositive();
        shot("jobs-early.png");
        page.locator(".state.finished").first().waitFor();
        assertThat(page.locator("[data-act=pause]").isDisabled()).isTrue();
        assertThat(page.locator("[data-act=delete]").isEnabled()).isTrue();
        shot("jobs-light.png");
        page.locator("#theme").click();
        page.locator(".share").first().waitFor();
        shot("jobs-dark.png");
    }

    @Test
    @Order(2)
    void resourcesAndTheQueueAreShownAndSettingsChanged() {
        go("jobs");
        page.locator("summary", new Page.LocatorOptions().setHasText("Submit a job"))
                .click();
        page.getByLabel("Cores").fill("2");
        submit(SmallJobs.yaml(4_000), "");
        page.locator(".state.running").first().waitFor();
        submit(SmallJobs.yaml(1), "");
        page.locator(".state.queued").first().waitFor();

        go("queue");
        page.getByText("2 of 2 given to jobs").waitFor();
        page.getByText("Waiting, in the order").waitFor();
        shot("queue-light.png");
        page.locator("#theme").click();
        page.getByText("Waiting, in the order").waitFor();
        shot("queue-dark.png");
        page.setViewportSize(390, 844);
        assertThat((boolean) page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"))
                .as("nothing sticks out on a phone while jobs run and wait")
                .isTrue();
        shot("queue-dark-phone.png");
        page.locator("#theme").click();
        page.getByText("Waiting, in the order").waitFor();
        shot("queue-light-phone.png");
        page.setViewportSize(1280, 1000);
        page.locator("article", new Page.LocatorOptions().setHasText("Running"))
                .locator("a")
                .first()
                .click();

        page.getByLabel("Learning rate").fill("0.0005");
        page.locator("button", new Page.LocatorOptions().setHasText("Set"))
                .first()
                .click();
        page.locator("ol.timeline li", new Page.LocatorOptions().setHasText("learningRate = 0.0005"))
                .first()
                .waitFor();
        page.locator(".settings", new Page.LocatorOptions().setHasText("learningRate = 0.0005"))
                .waitFor();
        page.locator("pre.log", new Page.LocatorOptions().setHasText("Beginning small"))
                .first()
                .waitFor();
        page.locator("[data-act=pause]").click();
        page.locator("h3 .state.paused").waitFor();
        page.locator("[data-act=resume]:enabled").click();
        page.locator("h3 .state.running").waitFor(); // followed again
        page.locator("[data-act=cancel]").click();
        page.locator("h3 .state.cancelled").waitFor();
    }

    @Test
    @Order(3)
    void modelsShowVersionsTrafficAndTimes() {
        go("try");
        page.locator("option", new Page.LocatorOptions().setHasText("digits"))
                .waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.ATTACHED));
        drawSeven();
        page.locator("#class").waitFor();
        go("models");
        Locator model = page.locator("article[data-model='digits']");
        page.locator("article[data-model='digits']", new Page.LocatorOptions().setHasText("100%"))
                .waitFor(); // rows are counted after their answer is out
        assertThat(model.textContent()).contains("current", "accuracy");
        model.locator("summary").click();
        model.locator("input[aria-label='Label']").fill("canary");
        model.locator("input[aria-label='Version']").fill("1");
        model.locator("input[aria-label='Share of the traffic']").fill("10");
        model.locator("button", new Locator.LocatorOptions().setHasText("Set")).click();
        page.locator("td", new Page.LocatorOptions().setHasText("canary (10)")).waitFor();
        shot("models-light.png");
        page.locator("#theme").click();
        page.locator("article[data-model='digits'] canvas").first().waitFor();
        shot("models-dark.png");
    }

    @Test
    @Order(4)
    void aModelIsTriedByDrawingByAnImageAndByARow() {
        go("try/digits");
        page.locator("option", new Page.LocatorOptions().setHasText("digits"))
                .waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.ATTACHED));
        drawSeven();
        page.locator("#class").waitFor();
        assertThat(page.locator("#class").textContent()).matches("[0-9]");
        shot("try-light.png");
        Path image = Path.of("../datasets/mnist/samples/seven.png");
        if (Files.exists(image)) {
            page.locator("button", new Page.LocatorOptions().setHasText("Clear"))
                    .click();
            page.locator("#class").waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.DETACHED));
            page.locator("input[type=file]").setInputFiles(image);
            page.locator("#class").waitFor();
        }
        page.getByLabel("A row").fill("1,2,3");
        page.locator("button", new Page.LocatorOptions().setHasText("Ask")).click();
        page.locator("#trouble:not([hidden])").waitFor();
        assertThat(page.locator("#trouble").textContent()).contains("expected");
    }

    @Test
    @Order(5)
    void itIsReadableOnAPhoneAndUsableWithTheKeyboard() {
        page.setViewportSize(390, 844);
        for (String view : List.of("jobs", "queue", "models", "try")) {
            go(view);
            page.locator("#view article, #view table").first().waitFor();
            boolean fits = (boolean) page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1");
            shot(view + "-phone.png");
            assertThat(fits).as("nothing sticks out on a phone: " + view).isTrue();
        }
        page.setViewportSize(1280, 1000);
        go("jobs");
        page.locator("tr[data-job]").nth(2).waitFor();
        String last = page.locator("tr[data-job]").nth(2).getAttribute("data-job");
        page.locator("tr[data-job='" + last + "']").focus();
        page.keyboard().press("Enter");
        page.locator("tr.chosen[data-job='" + last + "']").waitFor();
        page.locator("h3", new Page.LocatorOptions().setHasText("finished")).waitFor();
    }

    private void drawSeven() {
        page.locator("canvas.draw").waitFor();
        var box = page.locator("canvas.draw").boundingBox();
        page.mouse().move(box.x + 70, box.y + 70);
        page.mouse().down();
        page.mouse().move(box.x + 200, box.y + 70);
        page.mouse().move(box.x + 130, box.y + 230);
        page.mouse().up();
    }
}
