package dev.tutti.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Sets an {@link HangWatchdog} round every test. */
public final class HardAlarm implements BeforeEachCallback, AfterEachCallback {
    private static final Duration LIMIT = Duration.ofSeconds(110); // before JUnit's own, which shows no stacks
    private static final ExtensionContext.Namespace MINE = ExtensionContext.Namespace.create(HardAlarm.class);

    @Override
    public void beforeEach(ExtensionContext context) {
        context.getStore(MINE).put("alarm", HangWatchdog.in(LIMIT, context.getDisplayName()));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        HangWatchdog alarm = context.getStore(MINE).remove("alarm", HangWatchdog.class);
        alarm.close();
        assertThat(alarm.rung()).as("the alarm has rung").isFalse();
    }
}
