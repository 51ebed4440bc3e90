#!/bin/sh
# A small market for the topic "ticks": eight symbols, keyed, every second. Once
# a minute AAPL is ten seconds late, so that there is something to find.
set -eu
second=0
while :; do
  now=$(date +%s)
  for symbol in AAPL AMZN GOOG IBM MSFT NVDA ORCL TSLA; do
    at=$now
    if [ "$symbol" = AAPL ] && [ $((second % 60)) = 59 ]; then at=$((now - 10)); fi
    echo "$symbol|{\"symbol\":\"$symbol\",\"timestamp_ns\":${at}000000000,\"bid_price\":$((100 + now % 7)).25,\"ask_price\":$((100 + now % 7)).27}"
  done
  second=$((second + 1))
  sleep 1
done | /opt/kafka/bin/kafka-console-producer.sh --bootstrap-server kafka:9092 --topic ticks \
  --reader-property parse.key=true --reader-property 'key.separator=|'
