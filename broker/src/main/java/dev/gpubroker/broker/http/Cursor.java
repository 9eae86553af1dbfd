package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Base64;

/**
 * A place in a list sorted by an instant and, where instants are equal, by id. The next page holds what comes after
 * {@code (at, id)}, so that rows inserted meanwhile neither repeat nor hide anything.
 *
 * @param at of the last item of the page before, to the microsecond, which is all that PostgreSQL keeps
 * @param id of the last item of the page before
 */
public record Cursor(Instant at, String id) {
    private static final byte VERSION = 1;
    private static final int CHECK_BYTES = 8;
    private static final int FIXED_BYTES = 1 + Long.BYTES + CHECK_BYTES;
    private static final int LONGEST = 500;

    public Cursor {
        at = at.truncatedTo(ChronoUnit.MICROS);
        requireNonNull(id, "id");
    }

    /**
     * The cursor as text that means nothing to a caller and is good for this filter only.
     *
     * @param filter anything that is the same for the same list: its name, the team and every filter but the limit
     */
    public String encoded(String filter) {
        byte[] name = id.getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(FIXED_BYTES + name.length);
        bytes.put(VERSION).putLong(micros());
        bytes.put(check(filter)).put(name);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    /**
     * Reads a cursor that a caller sent back.
     *
     * @throws ApiProblem 400 on field {@code cursor} if it is garbage or belongs to another filter
     */
    public static Cursor decoded(String text, String filter) {
        try {
            if (text.length() > LONGEST) {
                throw bad();
            }
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
            if (bytes.remaining() <= FIXED_BYTES || bytes.get() != VERSION) {
                throw bad();
            }
            Instant at = Instant.EPOCH.plus(bytes.getLong(), ChronoUnit.MICROS);
            byte[] check = new byte[CHECK_BYTES];
            bytes.get(check);
            String id = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
            Cursor cursor = new Cursor(at, id);
            if (!MessageDigest.isEqual(check, cursor.check(filter))) {
                throw bad();
            }
            return cursor;
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException | CharacterCodingException e) {
            throw bad();
        }
    }

    private long micros() {
        return Math.addExact(Math.multiplyExact(at.getEpochSecond(), 1_000_000L), at.getNano() / 1000);
    }

    /** Ties the place to its filter; changes with each of them. */
    private byte[] check(String filter) {
        try {
            String whole = filter + "\n" + at + "\n" + id;
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(whole.getBytes(StandardCharsets.UTF_8));
            return Arrays.copyOf(digest, CHECK_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static ApiProblem bad() {
        return new ApiProblem(Problem.invalidField(
                "cursor",
                "cursor",
                "is not a cursor of this list and filter; start again without it",
                "不是该列表及筛选条件的游标；请不带游标重新开始"));
    }
}
