"""Prints the values of a topic, one a line, to the ends that it has now, as a
subscriber with read committed sees them.

Usage: consume.py BOOTSTRAP TOPIC
"""
import sys
import uuid

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

bootstrap, topic = sys.argv[1:3]
consumer = Consumer(
    {
        "bootstrap.servers": bootstrap,
        "group.id": str(uuid.uuid4()),
        "isolation.level": "read_committed",
        "enable.auto.commit": False,
        "enable.partition.eof": True,
    }
)
partitions = consumer.list_topics(topic, timeout=20).topics[topic].partitions
consumer.assign([TopicPartition(topic, p, OFFSET_BEGINNING) for p in partitions])
open_partitions = set(partitions)
while open_partitions:
    msg = consumer.poll(20)
    if msg is None:
        sys.exit(f"nothing for 20 s, partitions {sorted(open_partitions)} of {topic} have no end")
    if msg.error() is None:
        print(msg.value().decode("utf-8"))
    elif msg.error().code() == KafkaError._PARTITION_EOF:
        open_partitions.discard(msg.partition())
    else:
        sys.exit(str(msg.error()))
consumer.close()
