package dev.gpubroker.verification.simulation;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Plants a bug in a copy of the broker's source, compiles it beside the real classes and lets a simulation run on both: the
 * product has no hook for it.
 */
final class Greenhouse {
    private static final String PACKAGE = "dev/gpubroker/broker";

    private final Path sources;
    private final String classPath;
    private final Path folder;

    /**
     * @param sources the broker's {@code src/main/java}
     * @param classPath of the broker and the simulation
     * @param folder where planted classes go
     */
    Greenhouse(Path sources, String classPath, Path folder) {
        this.sources = sources;
        this.classPath = classPath;
        this.folder = folder;
    }

    /** What a simulation on planted classes said. */
    record Harvest(Plant plant, String output) {
        private static final Pattern BROKEN =
                Pattern.compile("^seed (\\d+): BROKEN, ([^;]+); (\\d+) steps,.* in (\\d+) s$", Pattern.MULTILINE);

        /** Whether a rule broke by this bug; a simulation that fails otherwise proves nothing. */
        boolean isFound() {
            return plant.rules().contains(rule());
        }

        /** The rule that broke; empty if none did. */
        String rule() {
            Matcher line = BROKEN.matcher(output);
            return line.find() ? line.group(2) : "";
        }

        /** As the document lists it: the plant, its bug, the rule, the seed, the step, seconds; empty if none broke. */
        String row() {
            Matcher line = BROKEN.matcher(output);
            return line.find()
                    ? String.join(
                            " | ",
                            "| `" + plant.name() + "`",
                            plant.what(),
                            line.group(2),
                            line.group(1),
                            line.group(3),
                            line.group(4) + " |")
                    : "";
        }
    }

    /** @throws IllegalStateException if the source has changed so that the plant does not fit any more */
    Path plant(Plant plant) throws IOException {
        Path planted = folder.resolve(plant.name());
        Map<String, String> texts = new LinkedHashMap<>();
        for (Plant.Edit edit : plant.edits()) {
            String text = texts.containsKey(edit.file())
                    ? texts.get(edit.file())
                    : Files.readString(sources.resolve(PACKAGE).resolve(edit.file()));
            texts.put(edit.file(), replaced(plant, edit, text));
        }
        List<String> files = new ArrayList<>();
        for (Map.Entry<String, String> text : texts.entrySet()) {
            Path file = planted.resolve("source").resolve(PACKAGE).resolve(text.getKey());
            Files.createDirectories(file.getParent());
            Files.writeString(file, text.getValue());
            files.add(file.toString());
        }
        Path classes = Files.createDirectories(planted.resolve("classes"));
        compile(plant, classes, files);
        return classes;
    }

    /** White space does not count: a formatter may move it. */
    private static String replaced(Plant plant, Plant.Edit edit, String text) {
        StringBuilder dense = new StringBuilder();
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < text.length(); i++) {
            if (!java.lang.Character.isWhitespace(text.charAt(i))) {
                dense.append(text.charAt(i));
                places.add(i);
            }
        }
        String old = edit.old().replaceAll("\\s", "");
        int at = dense.indexOf(old);
        if (at < 0 || dense.indexOf(old, at + 1) >= 0) {
            throw new IllegalStateException("plant " + plant.name() + " has rotted: in " + edit.file()
                    + " there stands " + (at < 0 ? "no" : "more than one") + "\n" + edit.old());
        }
        return text.substring(0, places.get(at)) + edit.now() + text.substring(places.get(at + old.length() - 1) + 1);
    }

    private void compile(Plant plant, Path classes, List<String> files) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("a plant needs a JDK, this is a JRE");
        }
        List<String> arguments = new ArrayList<>(List.of(
                "-proc:none",
                "-implicit:none",
                "-nowarn",
                "-encoding",
                "UTF-8",
                "-cp",
                classPath,
                "-d",
                classes.toString()));
        arguments.addAll(files);
        java.io.ByteArrayOutputStream complaints = new java.io.ByteArrayOutputStream();
        int code = compiler.run(null, complaints, complaints, arguments.toArray(String[]::new));
        if (code != 0) {
            throw new IllegalStateException("plant " + plant.name() + " does not compile:\n"
                    + complaints.toString(java.nio.charset.StandardCharsets.UTF_8));
        }
    }

    /** Lives through seeds on the planted classes, in a process of its own, until one breaks or all have held. */
    Harvest grow(Plant plant, long seed, int seeds, Server server) throws IOException, InterruptedException {
        Path classes = plant(plant);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Duser.timezone=UTC",
                "-Dfile.encoding=UTF-8",
                "-cp",
                classes + File.pathSeparator + classPath,
                SimulationCommand.class.getName(),
                "--postgres-port",
                Integer.toString(server.port()),
                "--seed",
                Long.toString(seed),
                "--seeds",
                Integer.toString(seeds),
                "--steps",
                Integer.toString(plant.steps()),
                "--platforms",
                String.join(",", plant.platforms().stream().sorted().toList())));
        plant.often().stream().sorted().forEach(action -> command.addAll(List.of("--often", action)));
        Path output = folder.resolve(plant.name() + ".log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            if (!process.waitFor(10, TimeUnit.MINUTES)) {
                throw new IllegalStateException(
                        "plant " + plant.name() + " does not come to an end: " + Files.readString(output));
            }
        } finally {
            process.destroyForcibly();
        }
        return new Harvest(plant, Files.readString(output));
    }
}
