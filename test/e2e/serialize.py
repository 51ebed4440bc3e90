"""Produces ticks with confluent-kafka's serializers: Avro whose schema grows,
JSON with a schema, Protobuf of a nested message, and ids in headers.

Usage: serialize.py BOOTSTRAP REGISTRY TOPIC FIRST_TIME_NS
Prints {"id", "form"} for each record, in their order on the topic.
"""
import json
import sys

from confluent_kafka import Producer
from confluent_kafka.schema_registry import SchemaRegistryClient, header_schema_id_serializer
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2

bootstrap, url, topic, first = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
registry = SchemaRegistryClient({"url": url})
producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True})
written = 0


def failed(err, _):
    if err is not None:
        sys.exit(str(err))


def produce(form, serializer, value, suffix):
    """One record, its subject of its own so that forms do not exclude each other."""
    global written
    headers = []
    context = SerializationContext(topic + suffix, MessageField.VALUE, headers)
    payload = serializer(value, context)
    at = first // 1_000_000 + 1000 * written
    producer.produce(topic, key="QXA", value=payload, headers=context.headers or headers, timestamp=at, partition=0, on_delivery=failed)
    written += 1
    print(json.dumps({"form": form, "first_bytes": payload[:8].hex()}))


def now():
    return first + written * 1_000_000_000


def avro(*fields, **conf):
    schema = {"type": "record", "name": "Tick", "namespace": "market", "fields": list(fields)}
    return AvroSerializer(registry, json.dumps(schema), conf=conf)


symbol = {"name": "symbol", "type": "string"}
ts = {"name": "ts", "type": "long"}
millis = {"name": "ts", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}]}
venue = {"name": "venue", "type": "string", "default": "X"}
first_version, second_version = avro(symbol, ts), avro(venue, symbol, ts)
produce("avro", first_version, {"symbol": "QXA", "ts": now()}, "")
produce("avro", second_version, {"venue": "V", "symbol": "QXA", "ts": now()}, "")
produce("avro", avro(millis, symbol), {"symbol": "QXA", "ts": now() // 1000}, "")
produce("avro", first_version, {"symbol": "QXA", "ts": now()}, "")
in_header = {"schema.id.serializer": header_schema_id_serializer, "auto.register.schemas": False, "use.latest.version": True}
produce("avro by header", avro(millis, symbol, **in_header), {"symbol": "QXA", "ts": now() // 1000}, "")

json_schema = '{"title": "Tick", "type": "object", "properties": {"symbol": {"type": "string"}, "ts": {"type": "integer"}}}'
produce("json", JSONSerializer(json_schema, registry), {"symbol": "QXA", "ts": now()}, "-json")

file = descriptor_pb2.FileDescriptorProto(name="tick.proto", package="market", syntax="proto3", dependency=["google/protobuf/timestamp.proto"])
file.message_type.add(name="Unused")
outer = file.message_type.add(name="Feed")
tick = outer.nested_type.add(name="Tick")
field = descriptor_pb2.FieldDescriptorProto
tick.field.add(name="symbol", number=1, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
tick.field.add(name="ts", number=2, type=field.TYPE_MESSAGE, type_name=".google.protobuf.Timestamp", label=field.LABEL_OPTIONAL)
pool = descriptor_pool.Default()
pool.Add(file)
Tick = message_factory.GetMessageClass(pool.FindMessageTypeByName("market.Feed.Tick"))


def message():
    t = Tick(symbol="QXA")
    t.ts.CopyFrom(timestamp_pb2.Timestamp(seconds=now() // 1_000_000_000, nanos=now() % 1_000_000_000))
    return t


produce("protobuf", ProtobufSerializer(Tick, registry), message(), "-proto")
produce("protobuf by header", ProtobufSerializer(Tick, registry, {**in_header, "use.latest.version": False}), message(), "-proto")
if left := producer.flush(60):
    sys.exit(f"{left} records were not acknowledged")
