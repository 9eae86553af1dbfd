package dev.gpubroker.simulator.zhixingyun;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.time.Instant;

/**
 * A prepaid pack and what it costs, in the shape of a renewal quote that third parties saw live (the create quote is said to
 * look alike). Amounts are decimal strings, as seen.
 *
 * @param cardHour price of one card for an hour
 * @param discount on cards and size, not on the disk
 */
record Pack(
        String gpuType,
        int cards,
        ZhixingyunCatalogue.Spec spec,
        int diskGb,
        int hours,
        BigDecimal cardHour,
        BigDecimal discount,
        String payTypeFirst) {
    /** Of an added disk; from the same renewal quote. */
    static final BigDecimal DISK_GB_HOUR = new BigDecimal("0.0006");

    BigDecimal cost() {
        return cost(cardHour, cards, discount)
                .add(cost(spec.hourPrice(), 1, discount))
                .add(cost(DISK_GB_HOUR, diskGb, BigDecimal.ONE));
    }

    ObjectNode toJson(String type, Instant due) {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        ObjectNode sheet = data.putObject("PackPriceInfoSheet");
        sheet.put("ResourceType", "instance");
        sheet.put("Type", type);
        sheet.put("HourLen", hours);
        sheet.put("PayTypeFirst", payTypeFirst);
        sheet.put("FinalCost", plain(cost()));
        sheet.put("Formula", "");
        ArrayNode parts = sheet.putArray("InstanceSubPriceSheet");
        part(parts, "gpu", gpuType, "租用GPU:" + cards + "卡", cardHour, cards, discount);
        part(parts, "spec", "spec", "实例规格" + spec.name(), spec.hourPrice(), 1, discount);
        if (diskGb > 0) {
            part(parts, "disk", "add_disk", "添加/扩容数据盘:" + diskGb + "GB", DISK_GB_HOUR, diskGb, BigDecimal.ONE);
        }
        ObjectNode item = data.putObject("ItemInfoSheet");
        item.put("NewDuetime", due.getEpochSecond());
        item.put("PayTypeFirst", payTypeFirst);
        data.putObject("UserInfoSheet");
        return data;
    }

    private void part(
            ArrayNode parts,
            String resource,
            String type,
            String title,
            BigDecimal hourPrice,
            int amount,
            BigDecimal partDiscount) {
        ObjectNode part = parts.addObject();
        part.put("ResourceType", resource);
        part.put("Type", type);
        part.put("Title", title);
        part.put("SingleHourPrice", plain(hourPrice));
        part.put("Amount", amount);
        part.put("HourLen", hours);
        part.put("FinalDiscount", plain(partDiscount));
        part.put("FinalCost", plain(cost(hourPrice, amount, partDiscount)));
        part.put("PayTypeFirst", payTypeFirst);
    }

    private BigDecimal cost(BigDecimal hourPrice, int amount, BigDecimal partDiscount) {
        return hourPrice
                .multiply(BigDecimal.valueOf(amount))
                .multiply(BigDecimal.valueOf(hours))
                .multiply(partDiscount);
    }

    static String plain(BigDecimal amount) {
        return amount.signum() == 0 ? "0" : amount.stripTrailingZeros().toPlainString();
    }
}
