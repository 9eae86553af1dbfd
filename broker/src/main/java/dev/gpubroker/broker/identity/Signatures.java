package dev.gpubroker.broker.identity;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.RSAKey;
import dev.gpubroker.broker.identity.RefusedToken.Check;
import java.text.ParseException;

/** Checks signatures. The key decides which algorithms go with it, never the token alone. */
final class Signatures {
    private Signatures() {}

    /** @throws RefusedToken if the key does not go with the algorithm, or did not make the signature */
    static void check(Assertion assertion, JWK key) {
        try {
            boolean right = JWSObject.parse(assertion.compact()).verify(verifier(assertion.algorithm(), key));
            if (!right) {
                throw RefusedToken.because(Check.SIGNATURE);
            }
        } catch (ParseException e) {
            throw RefusedToken.because(Check.FORM);
        } catch (JOSEException e) {
            throw RefusedToken.because(Check.SIGNATURE);
        }
    }

    private static JWSVerifier verifier(JWSAlgorithm algorithm, JWK key) throws JOSEException {
        if (key.getAlgorithm() != null && !key.getAlgorithm().equals(algorithm)) {
            throw RefusedToken.because(Check.KEY);
        }
        if (key instanceof RSAKey rsa && JWSAlgorithm.Family.RSA.contains(algorithm)) {
            return new RSASSAVerifier(rsa);
        }
        if (key instanceof ECKey ec && JWSAlgorithm.Family.EC.contains(algorithm)) {
            return new ECDSAVerifier(ec);
        }
        throw RefusedToken.because(Check.KEY);
    }
}
