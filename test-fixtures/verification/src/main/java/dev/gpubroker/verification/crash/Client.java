package dev.gpubroker.verification.crash;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.verification.lab.Api;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** One customer: books, changes its mind, cancels, accepts what is proposed, and remembers what it was told. */
final class Client {
    private final String name;
    private final Calls calls;
    private final Wishes wishes;
    private final Random random;
    private final List<Booked> bookings = new ArrayList<>();
    private final Map<String, ObjectNode> bodies = new HashMap<>();
    private final List<String> refused = new ArrayList<>();
    private final List<String> contradictions = new ArrayList<>();
    private int number;

    /** @param name begins each of its keys; of this client alone */
    Client(String name, Calls calls, Wishes wishes, Random random) {
        this.name = name;
        this.calls = calls;
        this.wishes = wishes;
        this.random = random;
    }

    /** Goes on until told to stop; what is begun is brought to a known end. */
    void run(BooleanSupplier stops) throws InterruptedException {
        while (!stops.getAsBoolean()) {
            int at = bookings.isEmpty() ? -1 : random.nextInt(bookings.size());
            if (at < 0 || random.nextInt(100) < 50 || bookings.get(at).isCancelled()) {
                book();
            } else {
                bookings.set(at, touch(bookings.get(at)));
            }
            TimeUnit.MILLISECONDS.sleep(random.nextInt(200));
        }
    }

    List<Booked> bookings() {
        return List.copyOf(bookings);
    }

    /** Keys whose booking was refused: nothing may exist under them. */
    List<String> refused() {
        return List.copyOf(refused);
    }

    /** Answers that cannot both be right. */
    List<String> contradictions() {
        return List.copyOf(contradictions);
    }

    private String key() {
        return name + "-" + ++number;
    }

    private void book() throws InterruptedException {
        String key = key();
        ObjectNode body = wishes.next(key);
        bodies.put(key, body);
        Optional<Api.Answer> answer = calls.make(Calls.Call.post("book", "/v1/reservations", body, key));
        if (answer.isEmpty()) {
            return;
        }
        if (!answer.get().isOk()) {
            refused.add(key);
            return;
        }
        JsonNode booked = answer.get().body();
        if (!booked.path("title").asText().equals(key)) {
            contradictions.add("the key " + key + " was answered with " + booked.path("title"));
        }
        bookings.add(new Booked(
                key,
                booked.get("id").asText(),
                OffsetDateTime.parse(booked.at("/request/start").asText()),
                OffsetDateTime.parse(booked.at("/request/end").asText()),
                "",
                true));
    }

    /** Books again what was booked, with the same keys: the answers must be the same. */
    void repeatBookings() throws InterruptedException {
        for (Booked booked : bookings) {
            ObjectNode body = Objects.requireNonNull(bodies.get(booked.key()), "every booking has a body");
            Optional<Api.Answer> answer =
                    calls.make(Calls.Call.post("book again", "/v1/reservations", body, booked.key()));
            if (answer.isPresent() && !answer.get().body().path("id").asText().equals(booked.id())) {
                contradictions.add(booked.key() + " was answered with " + booked.id() + ", and again with "
                        + answer.get().status() + " " + answer.get().body());
            }
        }
    }

    private Booked touch(Booked booked) throws InterruptedException {
        Optional<Api.Answer> seen = calls.make(Calls.Call.read("/v1/reservations/" + booked.id()));
        if (seen.isEmpty()) {
            return booked;
        }
        if (!seen.get().isOk()) {
            contradictions.add(booked.id() + " was booked and reading it answers "
                    + seen.get().status());
            return booked;
        }
        JsonNode now = seen.get().body();
        if (now.path("state").asText().equals("offered")) {
            return accept(booked);
        }
        return random.nextInt(100) < 55 ? move(booked, now) : cancel(booked);
    }

    /** One or two hours longer or shorter. */
    private Booked move(Booked booked, JsonNode now) throws InterruptedException {
        OffsetDateTime longer = booked.end().plusHours(1 + random.nextInt(2));
        OffsetDateTime shorter = booked.end().minusHours(1);
        OffsetDateTime end = random.nextBoolean() && shorter.isAfter(booked.start()) ? shorter : longer;
        JsonNode body = Api.JSON.createObjectNode().put("end", end.toString());
        String version = "\"" + now.get("version").asLong() + "\"";
        Optional<Api.Answer> answer =
                calls.make(new Calls.Call("change", "PATCH", "/v1/reservations/" + booked.id(), body, key(), version));
        if (answer.isEmpty()) {
            return booked.uncertain();
        }
        return answer.get().isOk() ? booked.endingAt(end) : booked;
    }

    private Booked cancel(Booked booked) throws InterruptedException {
        String path = "/v1/reservations/" + booked.id();
        Optional<Api.Answer> answer =
                calls.make(Calls.Call.post("cancel", path + "/cancel", Api.JSON.createObjectNode(), key()));
        if (answer.isPresent() && answer.get().code().equals("cancellation_quote_required")) {
            answer = calls.make(
                    Calls.Call.post("quote", path + "/cancellation-quotes", Api.JSON.createObjectNode(), key()));
            if (answer.isPresent() && answer.get().isOk()) {
                JsonNode agreed = Api.JSON
                        .createObjectNode()
                        .put("quoteId", answer.get().body().get("id").asText());
                answer = calls.make(Calls.Call.post("cancel", path + "/cancel", agreed, key()));
            }
        }
        if (answer.isEmpty()) {
            return booked.uncertain();
        }
        String state = answer.get().body().path("state").asText();
        return answer.get().isOk() && !state.isEmpty() ? booked.cancelledAs(state) : booked;
    }

    private Booked accept(Booked booked) throws InterruptedException {
        calls.make(Calls.Call.post(
                "accept", "/v1/reservations/" + booked.id() + "/accept", Api.JSON.createObjectNode(), key()));
        return booked;
    }
}
