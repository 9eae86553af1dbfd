package dev.gpubroker.simulator.zhixingyun;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.simulator.SimInstance;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;

/** A machine as detail and list show it: the platform's spelling, null money, and passwords in plain text. */
final class Detail {
    /** In every answer, as with the real platform; it must reach no log of ours. */
    static final String PASSWORD = "sim-Pw-peeNa3qu";

    static final int SYSTEM_DISK_GB = 200;

    static ObjectNode of(SimInstance machine, Instant now, boolean showExtUid, int sshPort) {
        boolean up = machine.state().equals("1");
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("Id", Integer.parseInt(machine.attribute("number")));
        json.put("Container_name", machine.id());
        json.put("ContainerType", "kvm");
        json.put("Status", Integer.parseInt(machine.state()));
        json.put("IsAbnormal", 0);
        json.put("Gpu_type", machine.attribute("gpuType"));
        json.put("Gpu_num", machine.gpus());
        json.put("Gpu_index", "0");
        json.put("Cpu_num", up ? Integer.parseInt(machine.attribute("cpus")) : 0);
        json.put("Memory", up ? Integer.parseInt(machine.attribute("memoryGb")) : 0);
        json.put("AddDisk", Integer.parseInt(machine.attribute("diskGb")));
        json.put("Bandwidth", 32);
        json.put("NoFreeBandwidth", 0);
        json.put("District", ZhixingyunCatalogue.DISTRICT);
        json.put("Host", "inner-0112");
        json.put("Url", up ? "127.0.0.1" : "");
        json.put("SshPort", up ? sshPort : 0);
        json.put("LoginUserName", up ? "root" : "");
        json.put("Image", machine.attribute("image"));
        json.put("DueMode", Integer.parseInt(machine.attribute("dueMode")));
        json.put("PayTypeFirst", machine.attribute("payTypeFirst"));
        json.putNull("InstanceAutorenew");
        json.put("Message", message(machine));
        json.put("Note", machine.attribute("note"));
        json.put("SubAccountName", "");
        json.put("IsLatestCopy", true);
        json.put("Ctime", machine.createdAt().getEpochSecond());
        json.put("Due_time", Instant.parse(machine.attribute("dueAt")).getEpochSecond());
        json.put("End_time", epoch(machine.attribute("endedAt")));
        json.put("ServerTime", now.getEpochSecond());
        json.put("Total_cost", new BigDecimal(machine.attribute("paid")));
        json.putNull("BandwidthCost");
        json.put("AddDiskCost", 0);
        json.put("KeeppedDiskCost", keptDiskCost(machine, now));
        json.put("ReturnMoney", new BigDecimal(machine.attribute("returned")));
        json.put("Init_passwd", PASSWORD);
        json.put("LastInitPasswd", PASSWORD);
        json.put("RdpPasswd", PASSWORD);
        json.put("VncPasswd", PASSWORD);
        if (showExtUid) {
            json.put("ext_uid", machine.attribute("extUid"));
        }
        return json;
    }

    private static String message(SimInstance machine) {
        return switch (machine.state()) {
            case "4" -> "[processing]启动kvm";
            case "-1", "-2" -> "[fail]回滚成功!";
            default -> "[success]服务启动成功!";
        };
    }

    /** A kept disk costs by the started hour until it is released. */
    private static BigDecimal keptDiskCost(SimInstance machine, Instant now) {
        String kept = machine.attribute("keptAt");
        if (kept.isEmpty()) {
            return BigDecimal.ZERO;
        }
        Instant until = machine.releasedAt() == null ? now : machine.releasedAt();
        long hours = Duration.between(Instant.parse(kept), until).toHours() + 1;
        int gb = SYSTEM_DISK_GB + Integer.parseInt(machine.attribute("diskGb"));
        return Pack.DISK_GB_HOUR.multiply(BigDecimal.valueOf(gb)).multiply(BigDecimal.valueOf(hours));
    }

    private static long epoch(String instant) {
        return instant.isEmpty() ? 0 : Instant.parse(instant).getEpochSecond();
    }

    private Detail() {}
}
