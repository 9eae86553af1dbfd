package dev.gpubroker.broker.cli;

import dev.gpubroker.client.model.Calendar;
import dev.gpubroker.client.model.CalendarBar;
import dev.gpubroker.client.model.CalendarRow;
import dev.gpubroker.client.model.State;
import java.time.Duration;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The calendar as text: a row for each platform and pool, a column for each day, bookings as bars {@code [A title=====]}
 * that begin with the letter of their state; one that began before or ends after what is shown is open at that side.
 * Bars that overlap stand on lines below each other.
 */
final class CalendarView {
    private static final int WIDEST_LABEL = 24;
    private static final int WIDEST_DAY = 4;

    private final Calendar calendar;
    private final Lang lang;
    private final OffsetDateTime from;
    private final int days;
    /** Columns of one day. */
    private final int day;

    private final int label;

    private CalendarView(Calendar calendar, int columns, Lang lang) {
        this.calendar = calendar;
        this.lang = lang;
        this.from = Times.read(calendar.getFrom());
        Duration span = Duration.between(from, Times.read(calendar.getTo()));
        this.days = (int) Math.max(1, span.plusDays(1).minusNanos(1).toDays());
        int widest = calendar.getRows().stream()
                .mapToInt(row -> Width.of(Width.clean(row.getLabel())))
                .max()
                .orElse(0);
        this.label = Math.min(WIDEST_LABEL, Math.max(widest, "2026-12".length())) + 1;
        this.day = Math.max(1, Math.min(WIDEST_DAY, (columns - label - 1) / days));
    }

    /** @param columns how wide a line may be; a span of very many days may still be wider */
    static String text(Calendar calendar, int columns, Lang lang) {
        CalendarView view = new CalendarView(calendar, columns, lang);
        return view.header() + view.rows() + view.legend() + view.list();
    }

    // ---- head ---------------------------------------------------------------------------------------------

    /** The months, then the days of the month; where days are narrow only those that have room. */
    private String header() {
        StringBuilder months = new StringBuilder();
        StringBuilder numbers = new StringBuilder();
        int everyDays = day >= 3 ? 1 : day == 2 ? 2 : 5;
        for (int i = 0; i < days; i++) {
            LocalDate date = from.toLocalDate().plusDays(i);
            if (i == 0 || date.getDayOfMonth() == 1) {
                place(months, i * day, String.format(Locale.ROOT, "%04d-%02d", date.getYear(), date.getMonthValue()));
            }
            if (i % everyDays == 0) {
                place(numbers, i * day, Integer.toString(date.getDayOfMonth()));
            }
        }
        return line("", months.toString()) + line("", numbers.toString());
    }

    /** Writes at a column, unless what stands there already reaches it. */
    private static void place(StringBuilder line, int column, String text) {
        if (line.length() == 0 || line.length() < column) {
            line.append(" ".repeat(column - line.length())).append(text);
        }
    }

    private String line(String name, String cells) {
        return (Width.pad(Width.cut(name, label - 1), label) + cells).stripTrailing() + "\n";
    }

    // ---- rows ---------------------------------------------------------------------------------------------

    /** A bar on the columns {@code [first, last)}. */
    private record Placed(CalendarBar bar, int first, int last, boolean cutLeft, boolean cutRight) {}

    private String rows() {
        StringBuilder text = new StringBuilder();
        for (CalendarRow row : calendar.getRows()) {
            String name = Width.clean(row.getLabel());
            List<List<Placed>> lanes = lanes(row.getBars());
            if (lanes.isEmpty()) {
                text.append(line(name, "·".repeat(days * day)));
            }
            for (List<Placed> lane : lanes) {
                text.append(line(name, cells(lane)));
                name = "";
            }
        }
        return text.toString();
    }

    private List<List<Placed>> lanes(List<CalendarBar> bars) {
        List<List<Placed>> lanes = new ArrayList<>();
        List<Placed> all = bars.stream()
                .map(this::placed)
                .filter(placed -> placed.first() < placed.last())
                .sorted(Comparator.comparingInt(Placed::first)
                        .thenComparing(placed -> placed.bar().getReservation()))
                .toList();
        for (Placed placed : all) {
            List<Placed> free = lanes.stream()
                    .filter(lane -> lane.get(lane.size() - 1).last() <= placed.first())
                    .findFirst()
                    .orElse(null);
            if (free == null) {
                free = new ArrayList<>();
                lanes.add(free);
            }
            free.add(placed);
        }
        return lanes;
    }

    private Placed placed(CalendarBar bar) {
        int width = days * day;
        long begin = column(bar.getStart(), false);
        long end = Math.max(begin + 1, column(bar.getEnd(), true));
        return new Placed(
                bar,
                (int) Math.max(0, Math.min(begin, width)),
                (int) Math.max(0, Math.min(end, width)),
                begin < 0,
                end > width);
    }

    /** The column of an instant; of an end the first one behind it. */
    private long column(String time, boolean isEnd) {
        long seconds = Duration.between(from, Times.read(time)).toSeconds() * day;
        long perDay = Duration.ofDays(1).toSeconds();
        return isEnd ? -Math.floorDiv(-seconds, perDay) : Math.floorDiv(seconds, perDay);
    }

    private String cells(List<Placed> lane) {
        StringBuilder cells = new StringBuilder();
        int column = 0;
        for (Placed placed : lane) {
            cells.append("·".repeat(placed.first() - column)).append(drawn(placed));
            column = placed.last();
        }
        return cells.append("·".repeat(days * day - column)).toString();
    }

    private static String drawn(Placed placed) {
        int width = placed.last() - placed.first();
        String letter = letter(placed.bar().getState());
        if (width < 3) {
            return letter.repeat(width);
        }
        String mark = letter + (placed.bar().getSubstituted() ? "*" : "");
        String title = Width.clean(title(placed.bar())).replace('\n', ' ');
        int room = width - 2;
        String inside = room == 1 ? letter : Width.cut(mark + " " + title, room);
        return (placed.cutLeft() ? "<" : "[")
                + inside
                + "=".repeat(Math.max(0, room - Width.of(inside)))
                + (placed.cutRight() ? ">" : "]");
    }

    private static String title(CalendarBar bar) {
        String gpus = bar.getGpus().getCount() + "×" + bar.getGpus().getModel();
        return bar.getTitle() == null || bar.getTitle().isBlank() ? gpus : bar.getTitle();
    }

    /** One letter for each state. */
    static String letter(State state) {
        return switch (state) {
            case QUEUED -> "Q";
            case OFFERED -> "O";
            case ORDERING -> "B";
            case CONFIRMED -> "C";
            case PROVISIONING -> "P";
            case ACTIVE -> "A";
            case RELEASING -> "R";
            case COMPLETED -> "D";
            case CANCELLED -> "X";
            case EXPIRED -> "E";
            case FAILED -> "F";
            case NO_SHOW -> "N";
            default -> "?";
        };
    }

    // ---- below ----------------------------------------------------------------------------------------------

    private List<CalendarBar> bars() {
        return calendar.getRows().stream()
                .flatMap(row -> row.getBars().stream())
                .toList();
    }

    private String legend() {
        Set<State> states = bars().stream().map(CalendarBar::getState).collect(Collectors.toCollection(TreeSet::new));
        List<String> entries = new ArrayList<>();
        states.forEach(state -> entries.add(letter(state) + " " + Words.of(state.getValue(), lang)));
        if (bars().stream().anyMatch(CalendarBar::getSubstituted)) {
            entries.add("* " + lang.pick("another model stands in", "已替代型号"));
        }
        return entries.isEmpty() ? lang.pick("Nothing is booked.", "没有预订。") + "\n" : String.join("   ", entries) + "\n";
    }

    private String list() {
        Table table = new Table("", "", "", "", "", "");
        for (CalendarRow row : calendar.getRows()) {
            for (CalendarBar bar : row.getBars()) {
                table.row(
                        letter(bar.getState()) + (bar.getSubstituted() ? "*" : ""),
                        bar.getReservation(),
                        row.getLabel(),
                        Times.shown(bar.getStart()) + " → " + Times.shown(bar.getEnd()),
                        bar.getGpus().getCount() + "×" + bar.getGpus().getModel(),
                        bar.getTitle());
            }
        }
        return table.text("  ");
    }
}
