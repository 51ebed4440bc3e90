package peers;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;

/** Measures the process from the first tick to the last and prints one line of JSON. */
public final class Meter {
  public static final LongAdder TICKS = new LongAdder();
  public static final LongAdder BACKWARD = new LongAdder();
  private static final CountDownLatch FIRST = new CountDownLatch(1);
  private static final OperatingSystemMXBean OS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private static volatile long start;
  private static volatile long cpu;

  private Meter() {}

  /** Notes a tick. */
  public static void tick(boolean backward) {
    if (FIRST.getCount() > 0) {
      first();
    }
    TICKS.increment();
    if (backward) {
      BACKWARD.increment();
    }
  }

  private static synchronized void first() {
    if (FIRST.getCount() > 0) {
      start = System.nanoTime();
      cpu = OS.getProcessCpuTime();
      FIRST.countDown();
    }
  }

  /** Waits until that many ticks are done, then prints what was measured. */
  public static void await(long want) throws InterruptedException {
    FIRST.await();
    while (TICKS.sum() < want) {
      Thread.sleep(1);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    double busy = (OS.getProcessCpuTime() - cpu) / 1e9;
    System.out.printf("{\"ticks\":%d,\"backward\":%d,\"seconds\":%f,\"cpu_seconds\":%f}%n",
        TICKS.sum(), BACKWARD.sum(), seconds, busy);
    System.out.flush();
  }
}
