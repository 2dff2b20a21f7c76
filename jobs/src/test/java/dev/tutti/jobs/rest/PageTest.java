package dev.tutti.jobs.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
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
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real browser: each view, light and dark, wide and narrow. Screenshots are left in target/page. */
@Timeout(300)
class PageTest {
    private static final double PATIENCE_MILLIS = 120_000;

    @TempDir
    Path folder;

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

    @Test
    @Disabled("open defect: the page does not show the submitted job")
    void aJobIsSubmittedFollowedAndItsModelTried() throws Exception {
        Path chromium = chromium();
        Path shots = Files.createDirectories(Path.of("target/page"));
        TrainingServer server = TrainingServer.start(
                folder,
                new Resources(1, 8_000),
                ServingSettings.standard().replicas(1).poll(Duration.ofMillis(200)),
                HttpSettings.local(0),
                Optional.empty());
        try (Playwright playwright = Playwright.create(
                        new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
                Browser browser = playwright
                        .chromium()
                        .launch(new BrowserType.LaunchOptions()
                                .setExecutablePath(chromium)
                                .setArgs(List.of("--no-sandbox")))) {
            Page page = browser.newPage(new Browser.NewPageOptions().setViewportSize(1280, 1000));
            page.setDefaultTimeout(PATIENCE_MILLIS);
            List<String> errors = new ArrayList<>();
            page.onPageError(errors::add);
            page.onRequest(request -> {
                if (!request.url().startsWith(server.uri().toString())
                        && !request.url().startsWith("data:")
                        && !request.url().startsWith("blob:")) {
                    errors.add("a request to elsewhere: " + request.url());
                }
            });
            page.navigate(server.uri() + "/");
            page.getByText("There are no jobs yet").waitFor();
            submit(page);
            page.locator(".state.finished").first().waitFor();
            page.locator("ol.timeline li", new Page.LocatorOptions().setHasText("epoch 3 of 3"))
                    .first()
                    .waitFor();
            int points = (int)
                    page.evaluate("Chart.getChart(document.querySelector('canvas')).data.datasets[0].data.length");
            assertThat(points).isPositive();
            page.screenshot(shot(shots, "jobs-light.png"));
            page.locator("#theme").click();
            page.screenshot(shot(shots, "jobs-dark.png"));

            page.locator("a[href='#try']").click();
            page.locator("option", new Page.LocatorOptions().setHasText("digits"))
                    .waitFor(new Locator.WaitForOptions()
                            .setState(com.microsoft.playwright.options.WaitForSelectorState.ATTACHED));
            drawSeven(page);
            page.locator("#class").waitFor();
            assertThat(page.locator("#class").textContent()).matches("[0-9]");
            page.screenshot(shot(shots, "try-dark.png"));

            page.locator("#theme").click();
            page.locator("a[href='#models']").click();
            page.locator("article[data-model='digits']").waitFor();
            assertThat(page.locator("article[data-model='digits']").textContent())
                    .contains("current");
            page.screenshot(shot(shots, "models-light.png"));
            page.setViewportSize(390, 844);
            page.locator("a[href='#jobs']").click();
            page.locator(".state.finished").first().waitFor();
            boolean fits = (boolean) page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1");
            page.screenshot(shot(shots, "jobs-phone.png"));
            assertThat(fits).as("nothing sticks out on a phone").isTrue();
            assertThat(errors).isEmpty();
        } finally {
            server.close();
            for (JobRecord job : server.jobs().jobs()) {
                JobFolder files = server.jobs().folder(job.id());
                if (files.isHeld()) {
                    files.process().flatMap(id -> ProcessHandle.of(id.pid())).ifPresent(ProcessHandle::destroyForcibly);
                }
            }
        }
    }

    private static void submit(Page page) {
        page.locator("summary", new Page.LocatorOptions().setHasText("Submit a job"))
                .click();
        page.getByLabel("Job file").fill("epochs: -");
        page.getByLabel("Publish as").fill("digits");
        page.locator("button[type=submit]").click();
        page.locator("#trouble:not([hidden])").waitFor();
        assertThat(page.locator("#trouble").textContent()).contains("job:1:7");
        page.getByLabel("Job file").fill(SmallJobs.yaml(3));
        page.locator("button[type=submit]").click();
    }

    private static void drawSeven(Page page) {
        var box = page.locator("canvas.draw").boundingBox();
        page.mouse().move(box.x + 70, box.y + 70);
        page.mouse().down();
        page.mouse().move(box.x + 200, box.y + 70);
        page.mouse().move(box.x + 130, box.y + 230);
        page.mouse().up();
    }

    private static Page.ScreenshotOptions shot(Path folder, String name) {
        return new Page.ScreenshotOptions().setPath(folder.resolve(name)).setFullPage(true);
    }
}
