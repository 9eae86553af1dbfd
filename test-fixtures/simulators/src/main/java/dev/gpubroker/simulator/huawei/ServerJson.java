package dev.gpubroker.simulator.huawei;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.gpubroker.simulator.SimInstance;

/** A server as {@code cloudservers/detail} shows it. That tags stand there as {@code key=value} is unverified. */
final class ServerJson {
    static ObjectNode of(SimInstance machine) {
        boolean deleting = !machine.attribute("goneAt").isEmpty();
        ObjectNode json = Replies.object()
                .put("id", machine.id())
                .put("name", machine.attribute("name"))
                .put("status", machine.state())
                .put("created", machine.createdAt().toString())
                .put("updated", machine.createdAt().toString())
                .put("tenant_id", SdkSignature.PROJECT_ID)
                .put("OS-EXT-AZ:availability_zone", machine.attribute("zone"))
                .put("OS-EXT-STS:vm_state", machine.state().equals("BUILD") ? "building" : "active")
                .put("OS-EXT-STS:task_state", deleting ? "deleting" : null)
                .put("auto_terminate_time", machine.attribute("end"));
        json.putObject("flavor").put("id", machine.sku()).put("name", machine.sku());
        json.putObject("image").put("id", machine.attribute("image"));
        ArrayNode tags = json.putArray("tags");
        machine.tags().forEach((key, value) -> tags.add(key + "=" + value));
        ObjectNode addresses = json.putObject("addresses");
        if (machine.state().equals("ACTIVE")) {
            ArrayNode network = addresses.putArray("1b2c3d4e-5f60-4718-8293-a4b5c6d7e8f9");
            network.addObject().put("version", "4").put("addr", "127.0.0.1").put("OS-EXT-IPS:type", "fixed");
            if (!machine.attribute("publicIp").isEmpty()) {
                network.addObject()
                        .put("version", "4")
                        .put("addr", machine.attribute("publicIp"))
                        .put("OS-EXT-IPS:type", "floating");
            }
        }
        if (machine.state().equals("ERROR")) {
            json.putObject("fault").put("code", 500).put("message", "Insufficient resources.");
        }
        return json;
    }

    /** What {@code server_id=} shows of a server that does not exist: nothing but the id and a fault. */
    static ObjectNode unknown(String id) {
        ObjectNode json = Replies.object().put("id", id);
        json.putObject("fault").put("code", 404).put("message", "Instance could not be found.");
        return json;
    }

    private ServerJson() {}
}
