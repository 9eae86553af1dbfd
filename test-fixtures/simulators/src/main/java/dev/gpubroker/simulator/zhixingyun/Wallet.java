package dev.gpubroker.simulator.zhixingyun;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.simulator.SimTable;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Locale;

/** Cash and vouchers (算力券) of the one account; everything is prepaid. */
final class Wallet {
    private static final String MAIN = "main";

    private final SimTable<Account> accounts;
    private final SimTable<Change> changes;

    record Account(BigDecimal money, BigDecimal power) {}

    record Change(Instant at, BigDecimal diffMoney, BigDecimal diffPower, BigDecimal moneyLeft, String remark) {}

    Wallet(SimTable<Account> accounts, SimTable<Change> changes) {
        this.accounts = accounts;
        this.changes = changes;
        if (accounts.get(MAIN) == null) {
            fill("100000000");
        }
    }

    void fill(String money) {
        accounts.put(MAIN, new Account(new BigDecimal(money), BigDecimal.ZERO));
    }

    /**
     * Vouchers first, then cash; a negative cost is a refund, which goes into vouchers.
     *
     * @return false, and nothing done, if both together are too little
     */
    boolean pay(BigDecimal cost, Instant now, String remark) {
        Account before = accounts.find(MAIN).orElseThrow();
        if (before.money().add(before.power()).compareTo(cost) < 0) {
            return false;
        }
        BigDecimal fromPower = cost.min(before.power());
        BigDecimal fromMoney = cost.subtract(fromPower);
        Account after =
                new Account(before.money().subtract(fromMoney), before.power().subtract(fromPower));
        accounts.put(MAIN, after);
        changes.put(
                String.format(Locale.ROOT, "%08d", changes.ids().size() + 1),
                new Change(now, fromMoney.negate(), fromPower.negate(), after.money(), remark));
        return true;
    }

    ObjectNode account() {
        Account account = accounts.find(MAIN).orElseThrow();
        return JsonNodeFactory.instance
                .objectNode()
                .put("Name", "sim")
                .put("Money", account.money())
                .put("PowerMoney", account.power())
                .put("CreditMoneyQuota", 0)
                .put("VipLevel", 0)
                .putNull("CustomDiscount");
    }

    ObjectNode changes() {
        ObjectNode data = JsonNodeFactory.instance.objectNode();
        ArrayNode list = data.putArray("list");
        changes.all()
                .forEach(change -> list.addObject()
                        .put("CreateTime", change.at().toString())
                        .put("DiffMoney", change.diffMoney())
                        .put("DiffPower", change.diffPower())
                        .put("MoneyLeft", change.moneyLeft())
                        .put("Remark", change.remark()));
        data.put("has_more", false);
        data.put("total_count", list.size());
        return data;
    }
}
