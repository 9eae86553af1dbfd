package dev.gpubroker.broker.quote;

import dev.gpubroker.adapter.spi.LineKind;
import dev.gpubroker.adapter.spi.Money;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * One priced part.
 *
 * @param unitPrice plain decimal, up to 12 places; null when it is charged but its price is not known
 * @param amount {@code quantity × unitPrice}, rounded half-even when the line was made; null with the unit price
 */
public record QuoteLine(
        LineKind kind,
        String description,
        String unit,
        BigDecimal quantity,
        @Nullable BigDecimal unitPrice,
        @Nullable Money amount) {}
