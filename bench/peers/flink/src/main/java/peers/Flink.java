package peers;

import java.io.IOException;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * The same job as a Flink program in one JVM: keyed by symbol, state on the heap, object reuse, a checkpoint and a
 * transaction of the sink once a second.
 *
 * <p>Arguments: bootstrap servers, tick topic, audit topic, group, ticks.
 */
public final class Flink {
  private Flink() {}

  public static void main(String[] args) throws Exception {
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(Runtime.getRuntime().availableProcessors());
    env.enableCheckpointing(1000);
    env.getConfig().enableObjectReuse();
    KafkaSource<Tuple2<String, Long>> source = KafkaSource.<Tuple2<String, Long>>builder()
        .setBootstrapServers(args[0]).setTopics(args[1]).setGroupId(args[3])
        .setStartingOffsets(OffsetsInitializer.earliest())
        .setProperty("isolation.level", "read_committed")
        .setProperty("max.poll.records", "5000")
        .setDeserializer(new Decode()).build();
    KafkaSink<String> sink = KafkaSink.<String>builder()
        .setBootstrapServers(args[0])
        .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
        .setTransactionalIdPrefix(args[3])
        .setProperty("transaction.timeout.ms", "60000")
        .setRecordSerializer(KafkaRecordSerializationSchema.builder().setTopic(args[2])
            .setValueSerializationSchema(new SimpleStringSchema()).build())
        .build();
    env.fromSource(source, WatermarkStrategy.noWatermarks(), "ticks")
        .keyBy(t -> t.f0).process(new Audit()).sinkTo(sink);
    JobClient job = env.executeAsync();
    Meter.await(Long.parseLong(args[4]));
    job.cancel().get();
    System.exit(0);
  }

  private static final class Decode implements KafkaRecordDeserializationSchema<Tuple2<String, Long>> {
    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> r, Collector<Tuple2<String, Long>> out) throws IOException {
      Tick t = Tick.of(r.value());
      out.collect(Tuple2.of(t.symbol(), t.time()));
    }

    @Override
    public TypeInformation<Tuple2<String, Long>> getProducedType() {
      return Types.TUPLE(Types.STRING, Types.LONG);
    }
  }

  private static final class Audit extends KeyedProcessFunction<String, Tuple2<String, Long>, String> {
    private transient ValueState<Long> last;

    @Override
    public void open(OpenContext c) {
      last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Types.LONG));
    }

    @Override
    public void processElement(Tuple2<String, Long> t, Context c, Collector<String> out) throws Exception {
      Long before = last.value();
      boolean backward = before != null && t.f1 < before;
      if (backward) {
        out.collect(t.f0 + ": disorder of " + (before - t.f1) + " ns");
      } else {
        last.update(t.f1);
      }
      Meter.tick(backward);
    }
  }
}
