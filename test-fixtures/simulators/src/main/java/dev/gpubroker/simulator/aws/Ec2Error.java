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

    /** The status that usually comes with a code. */
    static int statusOf(String code) {
        switch (code) {
            case "InternalError":
            case "InternalFailure":
            case "InsufficientInstanceCapacity":
            case "InsufficientHostCapacity":
                return 500;
            case "Unavailable":
            case "ServiceUnavailable":
            case "RequestLimitExceeded":
                return 503;
            case "AuthFailure":
                return 401;
            case "UnauthorizedOperation":
            case "InvalidClientTokenId":
            case "SignatureDoesNotMatch":
                return 403;
            default:
                return 400;
        }
    }

    int status() {
        return status;
    }

    String code() {
        return code;
    }
}
