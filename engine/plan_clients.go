package engine

// producerClient is what order needs from one client library.
type producerClient struct {
	settings []Setting
	choices  map[string]Setting // by the choice's name in the table of partitioners; "" is the default
	notes    []string
	refusal  string // why no setting keeps order; empty when one does
}

var producerClients = map[string]producerClient{
	"java": {
		settings: []Setting{
			{"enable.idempotence", true}, {"acks", "all"}, {"max.in.flight.requests.per.connection", 5},
		},
		choices: map[string]Setting{"": {"partitioner.ignore.keys", false}},
		notes:   []string{"Leave partitioner.class unset: the built-in partitioner hashes keys with murmur2."},
	},
	"librdkafka": {
		settings: []Setting{
			{"enable.idempotence", true}, {"acks", "all"}, {"max.in.flight.requests.per.connection", 5},
		},
		choices: named("partitioner", map[string]string{
			"": "consistent_random", "consistent_random": "consistent_random", "consistent": "consistent",
			"murmur2_random": "murmur2_random", "murmur2": "murmur2", "fnv1a_random": "fnv1a_random", "fnv1a": "fnv1a",
		}),
	},
	"kafka-python": {
		settings: []Setting{
			{"enable_idempotence", true}, {"acks", "all"}, {"max_in_flight_requests_per_connection", 5},
		},
		choices: named("partitioner", map[string]string{"": "DefaultPartitioner()", "sticky": "StickyPartitioner()"}),
		notes:   []string{"The partitioner is an object of the module kafka.partitioner."},
	},
	"aiokafka": {
		settings: []Setting{{"enable_idempotence", true}, {"acks", "all"}},
		choices:  named("partitioner", map[string]string{"": "DefaultPartitioner()"}),
		notes:    []string{"aiokafka has one batch in flight for each partition and no setting for it."},
	},
	"kafkajs": {
		settings: []Setting{{"idempotent", true}, {"acks", -1}, {"maxInFlightRequests", 1}},
		choices: named("createPartitioner", map[string]string{
			"": "Partitioners.DefaultPartitioner", "default": "Partitioners.DefaultPartitioner",
			"java-compatible": "Partitioners.JavaCompatiblePartitioner", "legacy": "Partitioners.LegacyPartitioner",
		}),
		notes: []string{
			"acks is an argument of send(), the others of kafka.producer().",
			"Await each send() before the next one of the same symbol: a retry starts after a pause in which a later send() would pass it.",
		},
	},
	"sarama": {
		settings: saramaSettings,
		choices: named("Producer.Partitioner", map[string]string{
			"": "NewHashPartitioner", "hash": "NewHashPartitioner", "reference": "NewReferenceHashPartitioner",
			"murmur2": "NewMurmur2Partitioner", "crc32": "NewConsistentCRCHashPartitioner",
		}),
		notes: []string{"sarama refuses idempotence with more than 1 open request."},
	},
	"goka": {
		settings: saramaSettings,
		choices:  named("WithEmitterHasher", map[string]string{"": "goka.DefaultHasher()"}),
		notes: []string{
			"All but the hasher are settings of the sarama configuration that goka.ReplaceGlobalConfig takes.",
			"goka's own default waits for the partition leader alone and is not idempotent.",
		},
	},
	"franz-go": {
		settings: []Setting{{"DisableIdempotentWrite", false}, {"RequiredAcks", "AllISRAcks()"}},
		choices: named("RecordPartitioner", map[string]string{
			"":            "UniformBytesPartitioner(65536, true, true, nil)",
			"sticky-key":  "StickyKeyPartitioner(nil)",
			"kafka-fnv1a": "StickyKeyPartitioner(KafkaHasher(fnv1a))", "sarama": "StickyKeyPartitioner(SaramaHasher(fnv1a))",
			"sarama-compat": "StickyKeyPartitioner(SaramaCompatHasher(fnv1a))",
			"sarama-crc32":  "StickyKeyPartitioner(SaramaHasher(crc32.ChecksumIEEE))",
		}),
		notes: []string{
			"franz-go is idempotent unless the option DisableIdempotentWrite is given, with at most 5 requests in flight; MaxProduceRequestsInflightPerBroker must not be set then.",
		},
	},
	"segmentio": {
		refusal: "kafka-go has no idempotent producer, so that a batch whose acknowledgement is lost is written a second time, its first ticks behind its last ones; use franz-go or sarama",
	},
}

var saramaSettings = []Setting{
	{"Producer.Idempotent", true}, {"Producer.RequiredAcks", "WaitForAll"}, {"Net.MaxOpenRequests", 1},
}

// named gives one setting a value for each choice.
func named(setting string, values map[string]string) map[string]Setting {
	choices := make(map[string]Setting, len(values))
	for choice, value := range values {
		choices[choice] = Setting{setting, value}
	}
	return choices
}
