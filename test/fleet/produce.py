"""Produces JSON lines {"key": hex, "value": text} from stdin to one topic.

Usage: produce.py confluent-kafka|kafka-python BOOTSTRAP TOPIC [setting=value ...]
The setting header.producer becomes a header "producer" of every record.
"""
import json
import sys

client, bootstrap, topic = sys.argv[1:4]
settings = dict(s.split("=", 1) for s in sys.argv[4:])
name = settings.pop("header.producer", None)
headers = [("producer", name.encode())] if name else []
records = [(bytes.fromhex(r["key"]), r["value"].encode()) for r in map(json.loads, sys.stdin)]

if client == "confluent-kafka":
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": bootstrap, **settings})
    for key, value in records:
        producer.produce(topic, key=key, value=value, headers=headers)
    if left := producer.flush(60):
        sys.exit(f"{left} records were not acknowledged")
elif client == "kafka-python":
    from kafka import KafkaProducer

    producer = KafkaProducer(bootstrap_servers=bootstrap)
    for future in [producer.send(topic, key=key, value=value, headers=headers) for key, value in records]:
        future.get(timeout=60)
    producer.close()
else:
    sys.exit(f"unknown client {client}")
