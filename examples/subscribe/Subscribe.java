import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Tells what opens and what is over in an audit, with kafka-clients and
 * jackson-databind.
 *
 * <pre>java -cp 'libs/*' Subscribe.java localhost:9092 ticks.audit my-alerting</pre>
 */
public final class Subscribe {
    public static void main(String[] args) throws Exception {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", args[0]);
        settings.put("group.id", args[2]);
        settings.put("isolation.level", "read_committed"); // reports, state and offsets are one transaction
        settings.put("enable.auto.commit", "false"); // committed below, once reports have been dealt with
        settings.put("auto.offset.reset", "earliest"); // a new group's first position; the default skips
        ObjectMapper json = new ObjectMapper();
        // finding_id to the last state told; the same id is the same fault, also
        // after a crash or in a replay.
        Map<String, String> told = new HashMap<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            Thread main = Thread.currentThread();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                consumer.wakeup();
                try {
                    main.join(); // until the group is left
                } catch (InterruptedException e) {
                    main.interrupt();
                }
            }));
            consumer.subscribe(List.of(args[1]));
            while (true) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
                    JsonNode report = json.readTree(record.value());
                    // FINDING reports tell what has happened. INTERVAL and FINAL
                    // reports list what is open, and a replay tells of the past.
                    if (!report.path("trigger").asText().equals("FINDING") || !report.path("mode").asText().equals("LIVE")) {
                        continue;
                    }
                    for (JsonNode finding : report.path("findings")) {
                        String id = finding.path("finding_id").asText();
                        String state = finding.path("state").asText();
                        String known = told.get(id);
                        if (state.equals("UPDATED") || state.equals(known) || "RESOLVED".equals(known)) {
                            continue;
                        }
                        dealWith(finding);
                        told.put(id, state);
                    }
                }
                consumer.commitSync();
            }
        } catch (WakeupException e) {
            // Asked to end.
        }
    }

    /** What your alerting does; here a line. */
    private static void dealWith(JsonNode finding) {
        System.out.println(String.join(" ",
                finding.path("state").asText(), finding.path("severity").asText(), finding.path("code").asText(),
                finding.path("finding_id").asText(), finding.path("symbol").asText("-") + ":",
                finding.path("cause").asText()));
    }

    private Subscribe() {}
}
