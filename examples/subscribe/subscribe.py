"""Tells what opens and what is over in an audit, with confluent-kafka.

    pip install confluent-kafka
    python subscribe.py localhost:9092 ticks.audit my-alerting
"""

import json
import signal
import sys

from confluent_kafka import Consumer, KafkaException

brokers, topic, group = sys.argv[1:4]
consumer = Consumer({
    "bootstrap.servers": brokers,
    "group.id": group,
    "isolation.level": "read_committed",  # reports, state and offsets are one transaction
    "enable.auto.commit": False,          # committed below, once a report has been dealt with
    "auto.offset.reset": "earliest",      # a new group's first position; the default skips
})
consumer.subscribe([topic])
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))

told = {}  # finding_id -> last state told; the same id is the same fault, also after a crash or in a replay


def deal_with(finding):
    """What your alerting does; here a line."""
    print(finding["state"], finding["severity"], finding["code"], finding["finding_id"],
          finding.get("symbol", "-") + ":", finding["cause"], flush=True)


try:
    while True:
        message = consumer.poll(1.0)
        if message is None:
            continue
        if message.error():
            raise KafkaException(message.error())
        report = json.loads(message.value())
        # FINDING reports tell what has happened. INTERVAL and FINAL reports list
        # what is open, and a replay tells of the past.
        if report["trigger"] == "FINDING" and report["mode"] == "LIVE":
            for finding in report["findings"]:
                known = told.get(finding["finding_id"])
                if finding["state"] == "UPDATED" or known in (finding["state"], "RESOLVED"):
                    continue
                deal_with(finding)
                told[finding["finding_id"]] = finding["state"]
        consumer.commit(message, asynchronous=False)
except KeyboardInterrupt:
    pass
finally:
    consumer.close()
