package dev.gpubroker.simulator.aws;

/** An answer of EC2 that is an error; the codes are those of its error reference. */
final class Ec2Error extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final int status;
    private final String code;

    Ec2Error(int status, String code, String message) {
        super(message, null, false, false);
        this.status = status;
        this.code = code;
    }

    static Ec2Error invalid(String parameter, String value) {
        return new Ec2Error(
                400, "InvalidParameterValue", "Value (" + value + ") for parameter " + parameter + " is invalid.");
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }
}
