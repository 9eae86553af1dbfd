package dev.gpubroker.broker.cli;

import java.util.HashMap;
import java.util.Map;

/** Words of the API as a person reads them. */
final class Words {
    private static final Map<String, String> CHINESE = new HashMap<>();

    static {
        // States
        zh("queued", "排队中");
        zh("offered", "待确认");
        zh("ordering", "下单中");
        zh("confirmed", "已确认");
        zh("provisioning", "开机中");
        zh("active", "使用中");
        zh("releasing", "释放中");
        zh("completed", "已完成");
        zh("cancelled", "已取消");
        zh("expired", "已失效");
        zh("failed", "失败");
        zh("no_show", "未使用");
        // Health
        zh("substituted", "已替代");
        zh("degraded", "性能下降");
        zh("partly_filled", "部分交付");
        zh("delayed", "延迟");
        zh("sla_incident", "SLA 事件");
        zh("release_unconfirmed", "释放未确认");
        zh("blocked", "受阻");
        // How it is obtained, and how surely
        zh("pool", "自有资源池");
        zh("forward", "预购时段");
        zh("hold_early", "提前占用");
        zh("just_in_time", "到时下单");
        zh("manual", "人工下单");
        zh("guaranteed", "有保障");
        zh("best_effort", "尽力而为");
        zh("as_confirmed", "以确认为准");
        zh("exact", "时段一致");
        zh("covers", "覆盖所需时段");
        // Stock and lead time
        zh("known", "有货");
        zh("scarce", "紧张");
        zh("unknown", "未知");
        zh("sold_out", "售罄");
        zh("platform", "平台答复");
        zh("history", "历史库存");
        zh("operator", "管理员设置");
        zh("prior", "内置经验值");
        zh("assumed", "假定");
        // Stand-ins
        zh("planned", "计划中");
        zh("final", "已确定");
        zh("measured", "实测");
        zh("estimated", "估算");
        zh("substitute", "替代型号");
        zh("held_place", "保留名额");
        zh("higher_price", "价格上涨");
        // Refunds
        zh("pay_per_use", "按量计费，停止即不再计费");
        zh("unused_hours", "退还未使用的整小时（扣手续费）");
        zh("none", "不退款");
        // What comes next
        zh("watch_stock", "关注库存");
        zh("decide_fallback", "决定是否改用替代方案");
        zh("order", "下单");
        zh("hold", "占用");
        zh("start", "开始");
        zh("remind", "提醒");
        zh("accept_or_decline", "接受或拒绝提议");
        zh("settle", "核实下单结果");
        zh("release", "释放");
        zh("end", "结束");
        // Lines of a price
        zh("gpu", "GPU");
        zh("cpu_memory", "CPU 与内存");
        zh("system_disk", "系统盘");
        zh("data_disk", "数据盘");
        zh("image", "镜像");
        zh("network", "网络");
        zh("bandwidth", "带宽流量");
        zh("public_ip", "公网 IP");
        zh("operations", "运维");
        zh("diagnosis", "故障诊断");
        zh("migration", "迁移");
        zh("scale_fee", "扩缩容费");
        zh("depreciation", "折旧");
        zh("tax", "税费");
        zh("early_hold", "提前占用");
        zh("idle_after", "结束后闲置");
        zh("keep", "数据保留");
        zh("penalty", "违约金");
        zh("other", "其他");
        // What an outage did
        zh("moved", "已换到其他机器");
        zh("restored", "已恢复");
        zh("outage", "机器停用");
        // Events
        zh("booked", "已预订");
        zh("created", "创建");
        zh("state_changed", "状态变更");
        zh("changed", "修改");
        zh("readiness", "就绪检查");
        zh("access_read", "查看登录信息");
    }

    private Words() {}

    private static void zh(String word, String chinese) {
        CHINESE.put(word, chinese);
    }

    /** {@code just_in_time} as "just in time" or 到时下单; a word that is not known here stays what it is. */
    static String of(String word, Lang lang) {
        return lang.pick(word.replace('_', ' '), CHINESE.get(word));
    }
}
