package dev.gpubroker.broker.planning;

import dev.gpubroker.adapter.spi.Reason;

/** The reasons as a person reads them in Chinese. */
public final class ReasonChinese {
    private ReasonChinese() {}

    public static String of(Reason reason) {
        return switch (reason) {
            case SOLD_OUT -> "售罄";
            case STOCK_UNKNOWN -> "库存无法查询";
            case LEAD_TIME_TOO_LONG -> "到货时间晚于开始时间";
            case NOT_OFFERED -> "平台不提供该型号";
            case SHAPE_NOT_OFFERED -> "平台没有这种机型规格";
            case TERM_NOT_OFFERED -> "平台不支持该租期";
            case WINDOW_UNSUPPORTED -> "平台不支持该时段";
            case NO_QUOTA -> "账户配额不足";
            case NO_BALANCE -> "账户余额不足";
            case NOT_ELIGIBLE -> "账户不符合购买条件";
            case NOT_COMPLIANT -> "不满足合规要求";
            case NOT_ALLOWED_BY_POLICY -> "请求或策略不允许";
            case MEMORY_TOO_SMALL -> "显存不足";
            case FORM_FACTOR -> "形态不符";
            case INTERCONNECT -> "互联方式不符";
            case FRAMEWORK_UNFIT -> "框架不适配";
            case TOO_SLOW -> "速度低于限制";
            case TOO_EXPENSIVE -> "价格超出限制";
            case UNKNOWN_PRICE -> "平台未给出价格";
            case BAD_PRICE -> "平台价格异常";
            case REGION -> "地域不符";
            case PLATFORM_UNAVAILABLE -> "平台没有按时答复";
            case BAD_CREDENTIALS -> "平台凭证无效";
            case PURCHASES_OFF -> "该账户未开启购买";
            case STALE -> "数据过期";
            case REFUSED_UNKNOWN -> "平台拒绝，原因不明";
        };
    }
}
