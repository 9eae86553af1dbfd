package dev.gpubroker.broker.substitution;

import dev.gpubroker.broker.catalogue.GpuModel;
import dev.gpubroker.broker.catalogue.SubstitutionFacts.Basis;
import dev.gpubroker.broker.catalogue.SubstitutionFacts.Fact;

/** Says to a person what a stand-in means for the job, with the source of its figure. */
record ReasonText(String asked, GpuModel model, Fact fact, int askedMemoryGb, boolean otherStack) {

    String english() {
        StringBuilder text = new StringBuilder(model.id() + " (" + model.memoryGb() + " GB) stands in for " + asked
                + ": run time about ×" + fact.expectedSlowdown().toPlainString() + ", "
                + fact.basis().wireName() + " (" + fact.provenance().source() + ")");
        if (askedMemoryGb > 0) {
            text.append("; less memory per GPU than ").append(askedMemoryGb).append(" GB");
        }
        if (otherStack) {
            text.append("; another software stack (").append(model.vendor()).append(')');
        }
        text.append('.');
        if (fact.note() != null) {
            text.append(' ').append(fact.note());
        }
        return text.toString();
    }

    String chinese() {
        String basis = fact.basis() == Basis.MEASURED ? "实测" : "估算";
        StringBuilder text = new StringBuilder("以 " + model.id() + "（" + model.memoryGb() + " GB）替代 " + asked
                + "：运行时间约为 ×" + fact.expectedSlowdown().toPlainString() + "，" + basis + "（来源："
                + fact.provenance().source() + "）");
        if (askedMemoryGb > 0) {
            text.append("；每卡显存少于 ").append(askedMemoryGb).append(" GB");
        }
        if (otherStack) {
            text.append("；软件栈不同（").append(model.vendor()).append("）");
        }
        text.append("。");
        if (fact.noteZh() != null) {
            text.append(fact.noteZh());
        }
        return text.toString();
    }
}
