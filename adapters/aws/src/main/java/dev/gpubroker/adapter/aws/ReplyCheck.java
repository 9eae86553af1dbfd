package dev.gpubroker.adapter.aws;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute;

/**
 * Lets only whole answers of the operation through. Left alone, the SDK reads an HTML page or an empty 200 as an answer
 * with nothing in it, and a search would then say that nothing was found.
 */
final class ReplyCheck implements ExecutionInterceptor {
    private static final int MOST_BYTES = 32 * 1024 * 1024;

    @Override
    public Optional<InputStream> modifyHttpResponseContent(
            Context.ModifyHttpResponse context, ExecutionAttributes attributes) {
        if (!context.httpResponse().isSuccessful()) {
            return context.responseBody();
        }
        String operation = attributes.getAttribute(SdkExecutionAttribute.OPERATION_NAME);
        byte[] body = context.responseBody().map(ReplyCheck::read).orElse(new byte[0]);
        if (!isWhole(new String(body, StandardCharsets.UTF_8), String.valueOf(operation))) {
            throw new Unreadable(
                    "the answer to " + operation + " is not EC2's or not whole (" + body.length + " bytes)");
        }
        return Optional.of(new ByteArrayInputStream(body));
    }

    static boolean isWhole(String body, String operation) {
        String root = operation + "Response";
        String text = body.strip();
        int begins = text.indexOf('<' + root);
        return begins >= 0
                && text.substring(0, begins)
                        .replaceFirst("^\\uFEFF?<\\?xml[^>]*\\?>", "")
                        .isBlank()
                && text.endsWith("</" + root + ">");
    }

    private static byte[] read(InputStream stream) {
        try {
            byte[] body = stream.readNBytes(MOST_BYTES + 1);
            if (body.length > MOST_BYTES) {
                throw new Unreadable("an answer of more than " + MOST_BYTES + " bytes");
            }
            return body;
        } catch (IOException cut) {
            throw SdkClientException.create("the answer broke off", cut);
        }
    }

    /** Unchecked, and not the SDK's own, so that nothing along the way takes it for a network fault. */
    static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unreadable(String message) {
            super(message);
        }
    }
}
