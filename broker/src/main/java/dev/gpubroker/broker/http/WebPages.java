package dev.gpubroker.broker.http;

import dev.gpubroker.broker.http.ClassPathFiles.Resource;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The pages in {@code webroot/}, the contract at {@code /openapi.yaml}, its documentation at {@code /docs}, and the
 * libraries that pages load: {@code /webjars/lit/…} is that of {@code org.webjars.npm:lit} or {@code org.webjars:lit},
 * whatever its version. The command for CI jobs is at {@code /cli/gpu-broker}, to be fetched by machines without Java.
 */
public final class WebPages implements Pages {
    private static final String ROOT = "webroot/";
    private static final String COMMAND = "/cli/gpu-broker";
    private static final String WEBJARS = "META-INF/resources/webjars/";
    /** Kept by browsers, but asked for again each time; the answer is then 304. */
    private static final String REVALIDATE = "no-cache";
    /** Libraries change with the build only. */
    private static final String AN_HOUR = "public, max-age=3600";

    private final ClassPathFiles files = new ClassPathFiles();
    private final Map<String, Optional<String>> versions = new ConcurrentHashMap<>();
    private final Resource contract;
    private final Resource command;

    public WebPages(Contract contract) {
        this.contract = Resource.of(contract.published(), "application/yaml");
        this.command = Resource.of(packaged(COMMAND), "text/x-python; charset=utf-8");
    }

    private static byte[] packaged(String name) {
        try (InputStream in = WebPages.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("not on the class path: " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException("cannot read " + name, e);
        }
    }

    @Override
    public void addTo(Router router) {
        for (HttpMethod method : List.of(HttpMethod.GET, HttpMethod.HEAD)) {
            router.route(method, "/openapi.yaml")
                    .handler(context -> ClassPathFiles.send(context, contract, REVALIDATE));
            router.route(method, COMMAND).handler(context -> ClassPathFiles.send(context, command, REVALIDATE));
            router.route(method, "/webjars/*").handler(this::library);
            router.route(method, "/*").handler(this::page);
        }
    }

    private void page(RoutingContext context) {
        String path = context.normalizedPath().replaceFirst("^/", "").replaceFirst("/$", "");
        if (!path.isEmpty() && !ClassPathFiles.isHarmless(path)) {
            context.next();
            return;
        }
        List<String> names = path.isEmpty()
                ? List.of("index.html")
                : path.contains(".") ? List.of(path) : List.of(path + ".html", path + "/index.html");
        Future<Optional<Resource>> found = Future.succeededFuture(Optional.empty());
        for (String name : names) {
            found = found.compose(
                    file -> file.isPresent() ? Future.succeededFuture(file) : files.find(context, ROOT + name));
        }
        found.onFailure(context::fail).onSuccess(file -> {
            if (file.isEmpty()) {
                context.next();
                return;
            }
            if (file.get().isPage()) {
                String policy = SecurityHeaders.forPage(file.get().bytes().toString(), path.equals("docs"));
                context.response().putHeader("Content-Security-Policy", policy);
            }
            ClassPathFiles.send(context, file.get(), REVALIDATE);
        });
    }

    private void library(RoutingContext context) {
        String path = context.normalizedPath().replaceFirst("^/webjars/", "");
        int slash = path.indexOf('/');
        if (!ClassPathFiles.isHarmless(path) || slash < 0) {
            context.next();
            return;
        }
        String name = path.substring(0, slash);
        context.vertx()
                .executeBlocking(() -> version(name))
                .compose(version -> version.isEmpty()
                        ? Future.succeededFuture(Optional.<Resource>empty())
                        : files.find(context, WEBJARS + name + "/" + version.get() + path.substring(slash)))
                .onFailure(context::fail)
                .onSuccess(file -> {
                    if (file.isEmpty()) {
                        context.next();
                    } else {
                        ClassPathFiles.send(context, file.get(), AN_HOUR);
                    }
                });
    }

    /** The version of a library on the class path, from the properties that its build left in its jar. */
    private Optional<String> version(String name) throws IOException {
        Optional<String> known = versions.get(name);
        if (known != null) {
            return known;
        }
        for (String group : List.of("org.webjars.npm", "org.webjars")) {
            String file = "META-INF/maven/" + group + "/" + name + "/pom.properties";
            try (InputStream in = WebPages.class.getClassLoader().getResourceAsStream(file)) {
                if (in != null) {
                    Properties properties = new Properties();
                    properties.load(in);
                    Optional<String> version = Optional.ofNullable(properties.getProperty("version"));
                    versions.put(name, version);
                    return version;
                }
            }
        }
        return Optional.empty();
    }
}
