package dev.gpubroker.broker.http;

import static java.util.Objects.requireNonNull;

/** Carries a {@link Problem} to the edge. Expected, so it has no stack trace. */
public final class ApiProblem extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    public ApiProblem(Problem problem) {
        super(requireNonNull(problem, "problem").code() + ": " + problem.detail(), null, false, false);
        this.problem = problem;
    }

    /** A problem without errors, extensions and headers. */
    public ApiProblem(int status, String code, String detail, String detailZh) {
        this(Problem.of(status, code, detail, detailZh));
    }

    public Problem problem() {
        return problem;
    }
}
