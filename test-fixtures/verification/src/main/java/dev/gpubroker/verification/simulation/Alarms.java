package dev.gpubroker.verification.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.FileAppender;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to the brokers' log for what no rule can see from outside: a step of due work that fails by a fault in the code,
 * as a move that the table of states does not know. What a killed broker says of its database is expected.
 */
final class Alarms extends AppenderBase<ILoggingEvent> {
    private static final Set<String> OURS = Set.of(
            "java.lang.IllegalStateException",
            "java.lang.IllegalArgumentException",
            "java.lang.NullPointerException",
            "java.lang.ClassCastException",
            "java.lang.IndexOutOfBoundsException",
            "java.util.NoSuchElementException",
            "java.time.DateTimeException");
    private static final AtomicReference<@Nullable Broken> HEARD = new AtomicReference<>();
    private static volatile String lastError = "nothing";
    private static final AtomicInteger LEFT_BEHIND = new AtomicInteger();

    private Alarms() {}

    /** From now on the log goes into a file, and is listened to. */
    static void listen(Path file) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.getLogger("org.quartz").setLevel(Level.OFF);
        context.getLogger("dev.gpubroker.broker.schedule.quartz.ClusterStore").setLevel(Level.OFF);
        context.getLogger("com.zaxxer.hikari").setLevel(Level.OFF);
        ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        root.detachAndStopAllAppenders();
        root.setLevel(Level.INFO);
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%d{HH:mm:ss.SSS} %-5level %logger{24} - %msg%n%ex{8}");
        encoder.start();
        FileAppender<ILoggingEvent> log = new FileAppender<>();
        log.setContext(context);
        log.setFile(file.toString());
        log.setAppend(false);
        log.setEncoder(encoder);
        log.start();
        root.addAppender(log);
        Alarms alarms = new Alarms();
        alarms.setContext(context);
        alarms.start();
        root.addAppender(alarms);
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (event.getMessage().startsWith("the walk goes on without")) {
            LEFT_BEHIND.incrementAndGet();
        }
        IThrowableProxy fault = event.getThrowableProxy();
        if (event.getLevel() == Level.ERROR && fault != null) {
            lastError = event.getFormattedMessage() + ": " + fault.getClassName() + ": " + fault.getMessage();
        }
        if (event.getLevel() == Level.ERROR && fault != null && OURS.contains(fault.getClassName())) {
            HEARD.compareAndSet(
                    null,
                    new Broken(
                            "no step fails by a fault in the code",
                            event.getFormattedMessage() + ": " + fault.getClassName() + ": " + fault.getMessage()));
        }
    }

    /** What a broker last complained of, to tell with a call that failed. */
    static String lastError() {
        return lastError;
    }

    /** How often a walk of the clock has gone on although work was due. */
    static int leftBehind() {
        return LEFT_BEHIND.get();
    }

    static void forget() {
        HEARD.set(null);
        LEFT_BEHIND.set(0);
    }

    static void check() {
        Broken heard = HEARD.get();
        if (heard != null) {
            throw heard;
        }
    }
}
