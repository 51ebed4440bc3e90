package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// usageExamples are shown by --help and in docs/cli.md, by command path
// without the program's name; a test holds them against the flags that there
// are.
var usageExamples = map[string]string{
	"": `auditstream demo                                    # no Kafka needed
auditstream check -c audit.properties               # before the first run
auditstream run -c audit.properties`,
	"run": `auditstream run -c audit.properties
auditstream run --set topics=ticks --set bootstrap.servers=broker:9092
auditstream run -c audit.properties --stop-at-end --fail-on CRITICAL`,
	"replay": `auditstream replay -c audit.properties --from 2026-11-29T14:30:00Z --to 2026-11-29T15:00:00Z --html incident.html
auditstream replay --set topics=ticks --input ticks.kcat.zst --partitions 16 --out reports.ndjson
kcat -C -b broker:9092 -t ticks -e -J | auditstream replay --set topics=ticks --input -`,
	"plan": `auditstream plan partition AAPL --partitions 16
auditstream plan divergence AAPL MSFT --clients java,librdkafka --partitions 16`,
	"plan partition": `auditstream plan partition AAPL MSFT --partitions 16
auditstream plan partition --keys symbols.txt --partitions 16 --partitioner sarama --json
auditstream plan partition --list`,
	"plan divergence": `auditstream plan divergence --keys symbols.txt --clients java,librdkafka --partitions 16`,
	"plan growth":     `auditstream plan growth --keys symbols.txt --from 16 --to 32`,
	"plan producer":   `auditstream plan producer --client librdkafka --partitioner murmur2 --json`,
	"plan topic":      `auditstream plan topic --rate 200000 --size 120 --consumers 24 --keep 72h`,
	"plan capacity":   `auditstream plan capacity --rate 1000000 --symbols 100000 --partitions 64 --instances 4`,
	"check": `auditstream check -c audit.properties
auditstream check -c audit.properties --rate 200000 --size 120 --consumers 24
auditstream check -c audit.properties --json`,
	"watch": `auditstream watch -c audit.properties
auditstream watch --set audit.topic=ticks.audit --from-beginning
auditstream watch -c audit.properties --json | jq 'select(.status != "KAFKA_STREAM_HEALTHY")'`,
	"alert": `auditstream alert -c audit.properties --test
auditstream alert -c audit.properties
auditstream alert --set audit.topic=ticks.audit --set alert.target=alertmanager --set alert.url=http://am:9093`,
	"explain": `auditstream explain
auditstream explain UPSTREAM_DISORDER`,
	"dlq": `auditstream dlq list -c audit.properties
auditstream dlq replay -c audit.properties --reason truncated --yes`,
	"dlq list": `auditstream dlq list -c audit.properties --topic ticks --limit 20
auditstream dlq list -c audit.properties --reason truncated --json`,
	"dlq replay": `auditstream dlq replay -c audit.properties --reason truncated         # only says what it would write
auditstream dlq replay -c audit.properties --reason truncated --yes`,
	"demo": `auditstream demo
auditstream demo --port 9092 --seed 7
auditstream demo --format avro
auditstream demo --faults disorder,venue-clock`,
	"config": `auditstream config defaults > audit.properties
auditstream config validate -c audit.properties`,
	"config validate": `auditstream config validate -c audit.properties
auditstream config validate -c connector.json --set topics=ticks`,
	"config defaults": `auditstream config defaults > audit.properties`,
	"config docs":     `auditstream config docs | less`,
	"healthcheck": `auditstream healthcheck
auditstream healthcheck http://127.0.0.1:8084/healthz`,
	"version": `auditstream version`,
}

// pathOf is a command's path without the program's name.
func pathOf(cmd *cobra.Command) string {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	return path
}

// eachCommand visits a command and all below it.
func eachCommand(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, sub := range cmd.Commands() {
		eachCommand(sub, visit)
	}
}

// showExamples gives every command its examples, as --help shows them.
func showExamples(root *cobra.Command) {
	eachCommand(root, func(cmd *cobra.Command) {
		if text, ok := usageExamples[pathOf(cmd)]; ok {
			cmd.Example = "  " + strings.ReplaceAll(text, "\n", "\n  ")
		}
	})
}
