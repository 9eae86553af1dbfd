/** Who calls: teams, tokens, OIDC tokens of CI jobs, rules that say which of them are trusted, and tickets that jobs get for them. */
@NullMarked
package dev.gpubroker.broker.identity;

import org.jspecify.annotations.NullMarked;
