package dev.gpubroker.broker.schedule.quartz;

import org.quartz.Job;
import org.quartz.JobExecutionContext;

/** The only job: its name is stored with each trigger, its instances are made by {@link WakeUps}. */
final class WakeUpJob implements Job {
    private final Runnable wake;

    WakeUpJob(Runnable wake) {
        this.wake = wake;
    }

    @Override
    public void execute(JobExecutionContext context) {
        wake.run();
    }
}
