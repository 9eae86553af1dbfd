package dev.gpubroker.broker.page;

import static java.util.Objects.requireNonNull;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

/** A headless Chromium of this machine; nothing is downloaded. */
final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration OFTEN = Duration.ofMillis(50);
    private static final Path SCREENSHOTS = Path.of("target", "screenshots");

    private final ChromeDriver driver;

    private Browser(File browser, File driverProgram) {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(browser);
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--lang=en-US",
                "--window-size=1400,900");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability(ChromeOptions.LOGGING_PREFS, logs);
        driver = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(driverProgram)
                        .build(),
                options);
        size(1400, 900);
    }

    /** Starts one, or answers nothing where the machine has none. */
    static Optional<Browser> start() {
        Optional<File> browser = program("chromium", "chromium-browser", "google-chrome");
        Optional<File> driver = program("chromedriver");
        return browser.isEmpty() || driver.isEmpty()
                ? Optional.empty()
                : Optional.of(new Browser(browser.get(), driver.get()));
    }

    private static Optional<File> program(String... names) {
        List<String> folders =
                List.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator, -1));
        return Stream.of(names)
                .flatMap(name -> folders.stream().map(folder -> new File(folder, name)))
                .filter(File::canExecute)
                .findFirst();
    }

    /** Sizes the page itself, whatever the window's frame. */
    void size(int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    void dark(boolean dark) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    void open(String url) {
        driver.get(url);
    }

    String url() {
        return requireNonNull(driver.getCurrentUrl());
    }

    /** Waits for the element. */
    WebElement find(String css) {
        return wait("no element " + css, () -> all(css).stream().findFirst().orElse(null));
    }

    List<WebElement> all(String css) {
        return driver.findElements(By.cssSelector(css));
    }

    void click(String css) {
        find(css).click();
    }

    void doubleClick(String css) {
        new Actions(driver).doubleClick(find(css)).perform();
    }

    void clickAt(int x, int y) {
        new Actions(driver).moveToLocation(x, y).click().perform();
    }

    void waitForText(String css, String text) {
        waitUntil(
                css + " never said " + text,
                () -> all(css).stream().anyMatch(element -> text(element).contains(text)));
    }

    /** Text with what is only there for screen readers. */
    String text(WebElement element) {
        return Optional.ofNullable(element.getDomProperty("textContent"))
                .orElse("")
                .strip()
                .replaceAll("\\s+", " ");
    }

    void waitUntil(String otherwise, Condition condition) {
        wait(otherwise, () -> condition.holds() ? Boolean.TRUE : null);
    }

    private <T> T wait(String otherwise, Probe<T> probe) {
        return requireNonNull(new WebDriverWait(driver, PATIENCE, OFTEN)
                .withMessage(() -> otherwise + "; console: " + errors())
                .ignoring(StaleElementReferenceException.class)
                .until(anything -> probe.look()));
    }

    /** Runs script; {@code return} gives its value. */
    @SuppressWarnings("TypeParameterUnusedInFormals") // The script's author knows what it returns.
    <T> T script(String script, Object... arguments) {
        @SuppressWarnings("unchecked")
        T result = (T) driver.executeScript(script, arguments);
        return requireNonNull(result, script);
    }

    /**
     * Runs a script with modules of the page, and answers what it returns.
     *
     * @param script sees {@code modules}, what each module exports, and {@code values}, the arguments
     */
    @SuppressWarnings("TypeParameterUnusedInFormals") // As above.
    <T> T withModules(List<String> names, String script, Object... arguments) {
        @SuppressWarnings("unchecked")
        T result = (T) driver.executeAsyncScript("""
                const [names, values, done] = arguments;
                const run = (modules) => { %s };
                Promise.all(names.map((name) => import(`/app/${name}.js`)))
                    .then(run)
                    .then(done, (failure) => done(`failed: ${failure.stack}`));
                """.formatted(script), names, List.of(arguments));
        return requireNonNull(result, script);
    }

    /** Errors that the page has written to the console since the last call. */
    List<String> errors() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.SEVERE.intValue())
                .map(entry -> entry.getMessage())
                .toList();
    }

    /** Writes target/screenshots/NAME.png. */
    Path screenshot(String name) {
        try {
            Files.createDirectories(SCREENSHOTS);
            return Files.write(SCREENSHOTS.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        driver.quit();
    }

    /** Something to wait for. */
    interface Condition {
        boolean holds();
    }

    private interface Probe<T> {
        @Nullable
        T look();
    }
}
