"""Produces JSON lines {"topic","key","value","timestamp"?} from stdin with librdkafka
and prints {"partition","offset"} for each, in the order of the input.

Usage: produce.py BOOTSTRAP [setting=value ...]
"""
import json
import sys

from confluent_kafka import Producer

settings = {"bootstrap.servers": sys.argv[1], "enable.idempotence": True, "linger.ms": 5}
settings.update(s.split("=", 1) for s in sys.argv[2:])
producer = Producer(settings)
places = []


def delivered(slot):
    def note(err, msg):
        if err is not None:
            sys.exit(f"record {slot}: {err}")
        places[slot] = {"partition": msg.partition(), "offset": msg.offset()}

    return note


for line in sys.stdin:
    record = json.loads(line)
    more = {"timestamp": record["timestamp"]} if "timestamp" in record else {}
    places.append(None)
    while True:
        try:
            producer.produce(
                record["topic"],
                key=record["key"],
                value=record["value"],
                on_delivery=delivered(len(places) - 1),
                **more,
            )
            break
        except BufferError:
            producer.poll(0.1)
    producer.poll(0)
if left := producer.flush(60):
    sys.exit(f"{left} records were not acknowledged")
for place in places:
    print(json.dumps(place))
