package peers;

import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * The last time of every symbol and the ticks that step back behind it, in Kafka Streams, exactly once: an in-memory
 * store with a changelog and a cache, commits once a second. It is the cheapest form that keeps its state.
 *
 * <p>Arguments: bootstrap servers, tick topic, audit topic, application id, ticks.
 */
public final class Streams {
  private Streams() {}

  public static void main(String[] args) throws Exception {
    Properties p = new Properties();
    p.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, args[0]);
    p.put(StreamsConfig.APPLICATION_ID_CONFIG, args[3]);
    p.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    p.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 1000);
    p.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, Runtime.getRuntime().availableProcessors());
    p.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, 1);
    p.put(StreamsConfig.STATE_DIR_CONFIG, System.getProperty("java.io.tmpdir") + "/" + args[3]);
    p.put("auto.offset.reset", "earliest");
    p.put("consumer.fetch.max.bytes", 50 << 20);
    StreamsBuilder b = new StreamsBuilder();
    b.addStateStore(Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore("last"), Serdes.String(), Serdes.Long())
        .withCachingEnabled());
    b.stream(args[1], Consumed.with(Serdes.ByteArray(), Serdes.ByteArray()))
        .process(Audit::new, "last")
        .to(args[2], Produced.with(Serdes.String(), Serdes.String()));
    KafkaStreams streams = new KafkaStreams(b.build(), p);
    streams.start();
    Meter.await(Long.parseLong(args[4]));
    streams.close();
    streams.cleanUp();
  }

  private static final class Audit implements Processor<byte[], byte[], String, String> {
    private ProcessorContext<String, String> context;
    private KeyValueStore<String, Long> last;

    @Override
    public void init(ProcessorContext<String, String> c) {
      context = c;
      last = c.getStateStore("last");
    }

    @Override
    public void process(Record<byte[], byte[]> r) {
      Tick t = Tick.of(r.value());
      Long before = last.get(t.symbol());
      boolean backward = before != null && t.time() < before;
      if (backward) {
        context.forward(new Record<>(t.symbol(), "disorder of " + (before - t.time()) + " ns", r.timestamp()));
      } else {
        last.put(t.symbol(), t.time());
      }
      Meter.tick(backward);
    }
  }
}
