package engine

import (
	"fmt"
	"strings"
)

// The libraries behind the clients' names, with the version whose records
// were read back from a broker to fill the table.
const (
	libJava      = "org.apache.kafka:kafka-clients 4.2.0"
	libRdkafka   = "librdkafka (confluent-kafka 2.16.1)"
	libPython    = "kafka-python 3.0.12"
	libAIO       = "aiokafka 0.14.0"
	libKafkaJS   = "kafkajs 2.2.4"
	libSarama    = "github.com/IBM/sarama v1.61.1"
	libFranz     = "github.com/twmb/franz-go v1.22.3"
	libSegmentio = "github.com/segmentio/kafka-go v0.4.51"
	libGoka      = "github.com/lovoo/goka v1.1.16"
)

// partitionerTable lists every name that --partitioner takes: the hashes,
// then each client with its default first.
var partitionerTable = []Partitioner{
	{"murmur2", "", "", "", HashMurmur2, KeyUnknown, KeyHashed},
	{"crc32", "", "", "", HashCRC32, KeyUnknown, KeyHashed},
	{"fnv1a-abs", "", "", "", HashFNV1aAbs, KeyUnknown, KeyHashed},
	{"fnv1a-mask", "", "", "", HashFNV1aMask, KeyUnknown, KeyHashed},
	{"fnv1a-uint", "", "", "", HashFNV1aUint, KeyUnknown, KeyHashed},
	{"kafkajs-legacy", "", "", "", HashKafkaJSLegacy, KeyUnknown, KeyHashed},

	{"java", "java", "", libJava, HashMurmur2, KeySticky, KeyHashed},

	{"librdkafka", "librdkafka", "", libRdkafka, HashCRC32, KeySticky, KeySticky},
	{"librdkafka:consistent_random", "librdkafka", "consistent_random", libRdkafka, HashCRC32, KeySticky, KeySticky},
	{"librdkafka:consistent", "librdkafka", "consistent", libRdkafka, HashCRC32, KeyZero, KeyZero},
	{"librdkafka:murmur2_random", "librdkafka", "murmur2_random", libRdkafka, HashMurmur2, KeySticky, KeyHashed},
	{"librdkafka:murmur2", "librdkafka", "murmur2", libRdkafka, HashMurmur2, KeyHashed, KeyHashed},
	{"librdkafka:fnv1a_random", "librdkafka", "fnv1a_random", libRdkafka, HashFNV1aAbs, KeySticky, KeyHashed},
	{"librdkafka:fnv1a", "librdkafka", "fnv1a", libRdkafka, HashFNV1aAbs, KeyHashed, KeyHashed},

	{"kafka-python", "kafka-python", "", libPython, HashMurmur2, KeyRandom, KeyHashed},
	{"kafka-python:sticky", "kafka-python", "sticky", libPython, HashMurmur2, KeySticky, KeyHashed},

	{"aiokafka", "aiokafka", "", libAIO, HashMurmur2, KeyRandom, KeyHashed},

	{"kafkajs", "kafkajs", "", libKafkaJS, HashMurmur2, KeyRoundRobin, KeyHashed},
	{"kafkajs:default", "kafkajs", "default", libKafkaJS, HashMurmur2, KeyRoundRobin, KeyHashed},
	{"kafkajs:java-compatible", "kafkajs", "java-compatible", libKafkaJS, HashMurmur2, KeyRoundRobin, KeyHashed},
	{"kafkajs:legacy", "kafkajs", "legacy", libKafkaJS, HashKafkaJSLegacy, KeyRoundRobin, KeyHashed},

	{"sarama", "sarama", "", libSarama, HashFNV1aAbs, KeyRandom, KeyHashed},
	{"sarama:hash", "sarama", "hash", libSarama, HashFNV1aAbs, KeyRandom, KeyHashed},
	{"sarama:reference", "sarama", "reference", libSarama, HashFNV1aMask, KeyRandom, KeyHashed},
	{"sarama:murmur2", "sarama", "murmur2", libSarama, HashMurmur2, KeyRandom, KeyHashed},
	{"sarama:crc32", "sarama", "crc32", libSarama, HashCRC32, KeyRandom, KeyZero},

	{"franz-go", "franz-go", "", libFranz, HashMurmur2, KeySticky, KeyHashed},
	{"franz-go:sticky-key", "franz-go", "sticky-key", libFranz, HashMurmur2, KeySticky, KeyHashed},
	{"franz-go:sarama-compat", "franz-go", "sarama-compat", libFranz, HashFNV1aAbs, KeySticky, KeyHashed},
	{"franz-go:kafka-fnv1a", "franz-go", "kafka-fnv1a", libFranz, HashFNV1aMask, KeySticky, KeyHashed},
	{"franz-go:sarama", "franz-go", "sarama", libFranz, HashFNV1aUint, KeySticky, KeyHashed},
	{"franz-go:sarama-crc32", "franz-go", "sarama-crc32", libFranz, HashCRC32, KeySticky, KeyHashed},

	{"segmentio", "segmentio", "", libSegmentio, HashNone, KeyRoundRobin, KeyRoundRobin},
	{"segmentio:hash", "segmentio", "hash", libSegmentio, HashFNV1aAbs, KeyRoundRobin, KeyHashed},
	{"segmentio:reference", "segmentio", "reference", libSegmentio, HashFNV1aMask, KeyRoundRobin, KeyHashed},
	{"segmentio:murmur2", "segmentio", "murmur2", libSegmentio, HashMurmur2, KeyRandom, KeyHashed},
	{"segmentio:murmur2-consistent", "segmentio", "murmur2-consistent", libSegmentio, HashMurmur2, KeyHashed, KeyHashed},
	{"segmentio:crc32", "segmentio", "crc32", libSegmentio, HashCRC32, KeyRandom, KeyRandom},
	{"segmentio:crc32-consistent", "segmentio", "crc32-consistent", libSegmentio, HashCRC32, KeyZero, KeyZero},

	{"goka", "goka", "", libGoka, HashFNV1aAbs, KeyRandom, KeyHashed},
}

// Partitioners returns every partitioner that has a name, in a fixed order:
// the hashes, then each client with its default first.
func Partitioners() []Partitioner { return append([]Partitioner(nil), partitionerTable...) }

// PartitionerByName finds a partitioner by its exact name: a hash, a client
// (its default), or client:choice. "fnv1a" alone means fnv1a-abs, the variant
// that most clients use. The error of an unknown name tells the nearest one.
func PartitionerByName(name string) (Partitioner, error) {
	want := name
	if want == "fnv1a" {
		want = HashFNV1aAbs.String()
	}
	for _, p := range partitionerTable {
		if p.Name == want {
			return p, nil
		}
	}
	near, choices := nearestPartitioner(name)
	if len(choices) > 0 {
		return Partitioner{}, fmt.Errorf("unknown partitioner %q: the choices of %s are %s; the nearest name is %q", name, near.Client, strings.Join(choices, ", "), near.Name)
	}
	return Partitioner{}, fmt.Errorf("unknown partitioner %q; the nearest name is %q", name, near.Name)
}

// otherNames are names under which people know a client of the table.
var otherNames = map[string]string{
	"confluent-kafka": "librdkafka", "confluent": "librdkafka", "rdkafka": "librdkafka", "kcat": "librdkafka",
	"kafka-clients": "java", "kafka-go": "segmentio", "segmentio/kafka-go": "segmentio",
	"kgo": "franz-go", "node": "kafkajs",
}

// nearestPartitioner is what an unknown name was likely meant to be. Where it
// is a choice that a known client does not have, it is one of that client's
// own, which are told too.
func nearestPartitioner(name string) (near Partitioner, choices []string) {
	name = strings.ToLower(strings.TrimSpace(name))
	client, choice, chosen := strings.Cut(name, ":")
	if known, ok := otherNames[client]; ok {
		client = known
	}
	if name = client; chosen {
		name += ":" + choice
	}
	among := partitionerTable
	if chosen {
		var own []Partitioner
		for _, p := range partitionerTable {
			if p.Client == client && p.Choice != "" {
				own, choices = append(own, p), append(choices, p.Choice)
			}
		}
		if len(own) > 0 {
			among = own
		}
	}
	least := 1 << 30
	for _, p := range among {
		if p.Name == name {
			return p, choices
		}
	}
	for _, p := range among {
		if strings.HasPrefix(p.Name, name) || len(choices) > 0 && strings.Contains(p.Choice, choice) {
			return p, choices
		}
		if d := editDistance(name, p.Name); d < least {
			near, least = p, d
		}
	}
	return near, choices
}

// editDistance is the Levenshtein distance of two names in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
