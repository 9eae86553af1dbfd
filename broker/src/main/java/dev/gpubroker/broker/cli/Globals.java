package dev.gpubroker.broker.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** Options that every command has. */
final class Globals {
    @Option(
            names = "--url",
            scope = ScopeType.INHERIT,
            paramLabel = "URL",
            description = "Address of the broker; else GPU_BROKER_URL, else http://127.0.0.1:8080.")
    @Nullable
    String url;

    @Option(
            names = "--json",
            scope = ScopeType.INHERIT,
            description = "Prints the API's answer, or its problem document, as JSON and nothing else.")
    boolean json;

    @Option(
            names = "--lang",
            scope = ScopeType.INHERIT,
            paramLabel = "en|zh",
            description = "Language of the output; else as LC_ALL or LANG says.")
    @Nullable
    String lang;
}
