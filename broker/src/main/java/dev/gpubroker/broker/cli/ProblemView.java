package dev.gpubroker.broker.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.gpubroker.client.ApiException;
import dev.gpubroker.client.model.CancellationQuote;
import dev.gpubroker.client.model.FieldError;
import dev.gpubroker.client.model.Problem;
import dev.gpubroker.client.model.Quote;
import java.io.IOException;
import java.net.http.HttpTimeoutException;
import org.jspecify.annotations.Nullable;

/** What went wrong, with all that the broker says about it; and the exit code for it. */
final class ProblemView {
    private static final int SHOWN = 300;

    private final Session session;
    private final Lang lang;

    ProblemView(Session session) {
        this.session = session;
        this.lang = session.lang();
    }

    /** Prints it and gives the exit code. */
    int show(ApiException fault) {
        if (fault.getCode() == 0) {
            session.note("gpu-broker: " + unreachable(fault));
            return ExitCode.NO_ACCESS;
        }
        String body = fault.getResponseBody();
        Problem problem = read(body);
        if (session.json() && problem != null && body != null) {
            session.say(body);
        } else if (problem == null) {
            session.note("gpu-broker: " + session.url() + " " + lang.pick("answered ", "返回 ") + fault.getCode()
                    + (body == null || body.isBlank() ? "" : ": " + Width.cut(Width.clean(body), SHOWN)));
        } else {
            session.note(text(problem));
        }
        return exitCode(fault.getCode(), problem == null ? "" : problem.getCode());
    }

    static int exitCode(int status, String code) {
        if (code.equals("needs_confirmation") || code.equals("cancellation_quote_required")) {
            return ExitCode.NEEDS_CONFIRMATION;
        }
        return switch (status) {
            case 400, 405, 415 -> ExitCode.USAGE;
            case 401, 403, 503 -> ExitCode.NO_ACCESS;
            case 409, 412, 422, 428, 429 -> ExitCode.REFUSED;
            default -> ExitCode.FAILED;
        };
    }

    private String unreachable(ApiException fault) {
        Throwable cause = fault.getCause();
        if (!(cause instanceof IOException)) {
            return lang.pick("The call failed: ", "调用失败：") + fault.getMessage();
        }
        if (cause instanceof JsonProcessingException) {
            return lang.pick(
                    "What answers at " + session.url() + " is no gpu-broker, or a much newer one.",
                    session.url() + " 的答复不是 gpu-broker 的格式，或版本过新。");
        }
        if (cause instanceof HttpTimeoutException) {
            return lang.pick("No answer from " + session.url() + " in time.", session.url() + " 未在限定时间内答复。");
        }
        String why = cause.getMessage() == null ? "" : " (" + cause.getMessage() + ")";
        return lang.pick(
                "No broker can be reached at " + session.url() + why
                        + ". Start one with 'gpu-broker serve', or name another with --url or GPU_BROKER_URL.",
                "无法连接 " + session.url() + why + "。请先运行 gpu-broker serve，或用 --url / GPU_BROKER_URL 指定地址。");
    }

    /** The document, or null where the body is none. */
    @Nullable
    Problem read(@Nullable String body) {
        if (body == null || !body.startsWith("{")) {
            return null;
        }
        try {
            Problem problem = session.mapper().readValue(body, Problem.class);
            return problem.getCode() == null ? null : problem;
        } catch (JsonProcessingException unreadable) {
            return null;
        }
    }

    private String text(Problem problem) {
        StringBuilder text = new StringBuilder();
        text.append(Width.clean("gpu-broker: " + problem.getCode() + ": "
                        + lang.pick(problem.getDetail(), problem.getDetailZh())))
                .append('\n');
        if (problem.getErrors() != null) {
            Table errors = new Table("", "");
            for (FieldError error : problem.getErrors()) {
                String detail = lang.pick(error.getDetail(), error.getDetailZh());
                boolean isSaid = detail.equals(lang.pick(problem.getDetail(), problem.getDetailZh()));
                errors.row(error.getField().isEmpty() ? "-" : error.getField(), isSaid ? "" : detail);
            }
            text.append(errors.text("  "));
        }
        Fields fields = new Fields();
        if (problem.getSuggestions() != null) {
            fields.add(lang.pick("Perhaps", "是否想写"), String.join(", ", problem.getSuggestions()));
        }
        fields.add(lang.pick("Last bookable", "最晚可订"), Times.shown(problem.getLastBookable()));
        fields.add(lang.pick("Longest end", "最晚可延至"), Times.shown(problem.getLongestEnd()));
        if (problem.getLimit() != null) {
            fields.add(lang.pick("Agreed for as much", "按约定上限"), PlanView.money(problem.getLimit()));
        }
        if (problem.getState() != null) {
            fields.add(lang.pick("State", "状态"), Words.of(problem.getState().getValue(), lang));
        }
        text.append(fields.text());
        windows(problem, text);
        if (problem.getExplanation() != null) {
            text.append(PlanView.explanation(problem.getExplanation(), lang));
        }
        if (problem.getReadings() != null && !problem.getCode().equals("needs_confirmation")) {
            problem.getReadings()
                    .forEach(reading -> text.append("  ")
                            .append(Width.clean(lang.pick(reading.getEcho(), reading.getEchoZh())))
                            .append('\n'));
        }
        quote(problem, text);
        if (problem.getCode().equals("unauthorized")) {
            text.append(hint());
        }
        return text.toString();
    }

    private void windows(Problem problem, StringBuilder text) {
        if (problem.getFreeWindows() != null && !problem.getFreeWindows().isEmpty()) {
            Table free =
                    new Table(lang.pick("Free from", "空闲自"), lang.pick("to", "至"), "GPU", lang.pick("where", "位置"));
            problem.getFreeWindows()
                    .forEach(window -> free.row(
                            Times.shown(window.getStart()),
                            Times.shown(window.getEnd()),
                            window.getCount() == null ? "" : window.getCount().toString(),
                            window.getPool() == null ? window.getPlatform() : window.getPool()));
            text.append(free.text("  "));
        }
        if (problem.getConflicts() != null && !problem.getConflicts().isEmpty()) {
            Table taken =
                    new Table(lang.pick("Taken from", "占用自"), lang.pick("to", "至"), lang.pick("node", "节点"), "", "");
            problem.getConflicts()
                    .forEach(conflict -> taken.row(
                            Times.shown(conflict.getStart()),
                            Times.shown(conflict.getEnd()),
                            conflict.getNode(),
                            conflict.getReservation(),
                            conflict.getTitle()));
            text.append(taken.text("  "));
        }
    }

    private void quote(Problem problem, StringBuilder text) {
        if (problem.getQuote() == null) {
            return;
        }
        if (problem.getCode().equals("price_changed")) {
            Quote quote = session.mapper().convertValue(problem.getQuote(), Quote.class);
            text.append(PlanView.price(quote.getLines(), quote.getTotal(), quote.getSimulated(), lang))
                    .append(lang.pick("Agree with: ", "同意请执行："))
                    .append("gpu-broker book --quote ")
                    .append(quote.getQuoteId())
                    .append('\n');
        } else if (problem.getCode().equals("cancellation_quote_required")) {
            text.append(CancelCommand.text(
                    session.mapper().convertValue(problem.getQuote(), CancellationQuote.class), lang));
        }
    }

    private String hint() {
        boolean set = session.terminal().variable("GPU_BROKER_TOKEN") != null;
        return set
                ? lang.pick("  The token in GPU_BROKER_TOKEN is not known there.\n", "  GPU_BROKER_TOKEN 中的令牌无效。\n")
                : lang.pick(
                        "  Set GPU_BROKER_TOKEN; without it the token of a broker on this machine is read from "
                                + session.tokenFile() + " (GPU_BROKER_DATA names its folder).\n",
                        "  请设置 GPU_BROKER_TOKEN；未设置时读取本机文件 " + session.tokenFile() + "（目录由 GPU_BROKER_DATA 指定）。\n");
    }
}
