package dev.gpubroker.broker.booking;

import dev.gpubroker.broker.planning.Acquisition;
import dev.gpubroker.broker.planning.Plan;

/** What becomes of the data on the machines of a plan when it ends. No adapter can have a disk kept or an image made. */
final class DataAtEnd {
    private static final Why GONE = new Why(
            "all data on the machines is gone at the end; copy what is to be kept before, by hand or by atEnd.hook",
            "结束时机器上的所有数据都会被清除，请提前手动备份或用 atEnd.hook 备份");
    private static final Why STAYS = new Why(
            "the machines and their disks are own ones and stay with their owner, who may clear them; no image is made",
            "机器及其磁盘为自有，结束后仍归其所有者，可能被清理；不会制作镜像");

    private DataAtEnd() {}

    /** One clause in each language. */
    static Why of(Plan plan) {
        return plan.acquisition() == Acquisition.POOL ? STAYS : GONE;
    }
}
