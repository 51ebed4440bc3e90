package config

import (
	"slices"

	"github.com/auditstream/auditstream/codecs"
)

// Key is one configuration key.
type Key struct {
	Name    string
	Default string // as it would be written in a file; "" when there is none
	Unset   string // what an empty value means, for the reference
	Meaning string
	kind
}

// Secret says whether the key's value is told to nobody.
func (k Key) Secret() bool { return isSecret(k.Name) }

// Keys is every key, in the order of the reference. Client overrides are in
// [ClientKeys].
var Keys = slices.Concat(auditKeys, alertKeys)

var auditKeys = []Key{
	{"name", "auditstream", "", "Names the group (`auditstream-<name>`), the internal topics and the state.",
		text(func(c *Config) *string { return &c.Name }, nameRule)},
	{"bootstrap.servers", "localhost:9092", "", "Brokers to begin with.",
		list(func(c *Config) *[]string { return &c.BootstrapServers }, addressRule)},
	{"topics", "", "required", "The tick topics; every one is audited on its own.",
		list(func(c *Config) *[]string { return &c.Topics }, topicRule)},
	{"audit.topic", "", "`<first topic>.audit`", "Where reports go.",
		text(func(c *Config) *string { return &c.AuditTopic }, topicRule)},
	{"audit.value.converter", "json", "", "Form of the reports. `avro`: the same fields behind a frame of the registry of `value.converter.schema.registry.url`, their schema registered under `<audit.topic>-value` with BACKWARD compatibility.",
		oneOf(func(c *Config) *string { return &c.AuditValueConverter }, "json", "avro")},

	{"errors.tolerance", "all", "", "`all`: unreadable records are counted and told. `none`: the first record that is unreadable or has no usable symbol or time ends the run with exit code 1, its place named, and without a FINAL report.",
		oneOf(func(c *Config) *string { return &c.ErrorsTolerance }, "all", "none")},
	{"errors.deadletterqueue.topic.name", "", "no dead-letter topic", "Unreadable records go there with their bytes and headers, and Connect's `__connect.errors.*` headers.",
		text(func(c *Config) *string { return &c.DeadLetterTopic }, topicRule)},
	{"key.converter", "string", "", "Form of the keys. A schema registry's frame (a zero byte and the schema's id) before the symbol is recognised, and the symbol behind it, plain or as Avro writes it, is what is compared; the whole key is what places the record.",
		oneOf(func(c *Config) *string { return &c.KeyConverter }, "string")},
	{"value.converter", "json", "", "Form of the values: a format, or a feed whose messages are known by name. `avro` and `protobuf` read by a registry's schemas, or by files for records that name none. With a registry every record is read by the schema that it names, whatever this says.",
		oneOf(func(c *Config) *string { return &c.ValueConverter }, slices.Concat([]string{"json", "csv", "avro", "protobuf"}, codecs.FeedNames())...)},
	{"value.converter.schema.registry.url", "", "none", "Addresses of one schema registry; another is asked when one does not answer. Records wait for it, and a registry that is away for `producer.override.delivery.timeout.ms` ends the run.",
		list(func(c *Config) *[]string { return &c.Registry.URLs }, urlRule)},
	{"value.converter.basic.auth.credentials.source", "URL", "", "`USER_INFO`: value.converter.basic.auth.user.info. `URL`: credentials in the address, if there are any.",
		oneOf(func(c *Config) *string { return &c.Registry.CredentialsSource }, "URL", "USER_INFO")},
	{"value.converter.basic.auth.user.info", "", "none", "`user:password` of the registry.",
		text(func(c *Config) *string { return &c.Registry.UserInfo }, anyText)},
	{"value.converter.bearer.auth.credentials.source", "", "none", "`STATIC_TOKEN`: value.converter.bearer.auth.token.",
		text(func(c *Config) *string { return &c.Registry.TokenSource }, wordsRule("STATIC_TOKEN"))},
	{"value.converter.bearer.auth.token", "", "none", "Bearer token of the registry.",
		text(func(c *Config) *string { return &c.Registry.Token }, anyText)},
	{"value.converter.schema.registry.ssl.ca.location", "", "the system's", "PEM file of authorities trusted with the registry.",
		text(func(c *Config) *string { return &c.Registry.CA }, authoritiesRule)},
	{"value.converter.schema.registry.ssl.truststore.location", "", "none", "The same by Java's name; PEM only.",
		text(func(c *Config) *string { return &c.Registry.Truststore }, authoritiesRule)},
	{"value.converter.schema.registry.ssl.truststore.type", "PEM", "", "", oneOf(func(c *Config) *string { return &c.Registry.TruststoreType }, "PEM")},
	{"value.converter.schema.registry.ssl.certificate.location", "", "none", "PEM file of the client's certificate chain for the registry.",
		text(func(c *Config) *string { return &c.Registry.Certificate }, authoritiesRule)},
	{"value.converter.schema.registry.ssl.key.location", "", "none", "PEM file of its private key.",
		text(func(c *Config) *string { return &c.Registry.Key }, fileRule)},
	{"value.converter.schema.registry.ssl.keystore.location", "", "none", "Certificate chain and key in one PEM file.",
		text(func(c *Config) *string { return &c.Registry.Keystore }, keystoreRule)},
	{"value.converter.schema.registry.ssl.keystore.type", "PEM", "", "", oneOf(func(c *Config) *string { return &c.Registry.KeystoreType }, "PEM")},
	{"value.converter.schema.registry.ssl.endpoint.identification.algorithm", "https", "", "`none`: the registry's name is not held against its certificate.",
		oneOf(func(c *Config) *string { return &c.Registry.VerifyName }, "https", "none")},
	{"value.converter.avro.schema.file", "", "none", "Avro schemas (`.avsc`) of records that name no registry's: the first reads bare records, and all of them single-object encoded ones by their fingerprint.",
		list(func(c *Config) *[]string { return &c.AvroSchemaFiles }, fileRule)},
	{"value.converter.protobuf.descriptor.file", "", "none", "Descriptor set (`protoc --include_imports --descriptor_set_out`) of records that name no schema.",
		text(func(c *Config) *string { return &c.ProtobufDescriptorFile }, fileRule)},
	{"value.converter.protobuf.message", "", "none", "Full name of the message in it.",
		text(func(c *Config) *string { return &c.ProtobufMessage }, anyText)},

	{"value.converter.csv.header", "", "columns are numbers, or names in the first line of each record", "Names of the columns of `csv`, in their order. A line that spells them is no tick; one with another number of columns is unreadable.",
		list(func(c *Config) *[]string { return &c.CSVHeader }, anyText)},
	{"value.converter.csv.delimiter", ",", "", "What stands between the fields of `csv`, or `tab`.",
		text(func(c *Config) *string { return &c.CSVDelimiter }, delimiterRule)},

	{"field.symbol", "symbol", "", "Dotted path of the symbol, exact case (a named feed knows it); of `csv` a column's name, or its number from 0. A step that ends in `[]` goes into every element of an array, each a tick of its own: `data[].s`, or `[].s` where the message is the array. `|` joins alternatives, of which the first that is there counts.",
		text(func(c *Config) *string { return &c.FieldSymbol }, pathRule)},
	{"field.timestamp", "timestamp_ns", "", "Path of the event time, as of the symbol. It may be empty where `field.timestamp.missing` is `record`.",
		text(func(c *Config) *string { return &c.FieldTimestamp }, pathRule)},
	{"field.timestamp.missing", "fail", "", "A tick whose event time is missing or null: `fail` makes it unusable, `record` judges it by its record's time, and the report names `record` among its units.",
		oneOf(func(c *Config) *string { return &c.TimestampMissing }, "fail", "record")},
	{"field.timestamp.date", "none", "", "`record`: event times are times of day, as hh:mm:ss or as a number of `field.timestamp.unit` since midnight of `field.timestamp.zone` (UTC). Of all days it is the one on which the time lies nearest to the record's.",
		oneOf(func(c *Config) *string { return &c.TimestampDate }, "none", "record")},
	{"field.sequence", "", "ticks have none", "Path of the sequence number, as of the symbol. `first..last` are two paths, of the range that an aggregate takes up.",
		text(func(c *Config) *string { return &c.FieldSequence }, rangeRule)},
	{"field.venue", "", "ticks have none", "Path of the venue, as of the symbol.",
		text(func(c *Config) *string { return &c.FieldVenue }, pathRule)},
	{"sequence.filtered.venues", "", "numbers without holes", "Venues whose sequence numbers have holes by design, such as filtered channels, or `*` for all: gaps are not judged there, repeats and new counts are.",
		list(func(c *Config) *[]string { return &c.SequenceFilteredVenues }, anyText)},
	{"field.kind", "", "every message is a tick", "Path of what says of which kind a message, or an item of it, is.",
		text(func(c *Config) *string { return &c.FieldKind }, pathRule)},
	{"field.kind.ticks", "", "all kinds", "Kinds that are ticks. Messages of others, such as heartbeats and answers, are counted as `ignored`.",
		list(func(c *Config) *[]string { return &c.FieldKindTicks }, anyText)},
	{"feed.streams", "apart", "", "Streams of a named feed: `apart` judges the order of each, its name being the tick's venue; `merged` that of all that a symbol has, without the feed's sequence numbers.",
		oneOf(func(c *Config) *string { return &c.FeedStreams }, "apart", "merged")},
	{"field.producer", "", "producers are not told apart", "Name of the record header that says who wrote the record, exact case: findings about partitioners then name producers.",
		text(func(c *Config) *string { return &c.FieldProducer }, anyText)},
	{"field.timestamp.zone", "", "such a time is unusable", "Zone of times that carry none, by its IANA name. Of an hour that its clock shows twice, the reading nearer to the record's time counts; a time that its clock skips is unusable.",
		zone()},
	{"field.timestamp.unit", "auto", "", "Unit of the event time. `auto` goes by the number of digits only, and the report says so. With a unit, a number that has as many digits as today's times in another one is read in that one, and told as `TIMESTAMP_UNIT_CHANGED`.",
		oneOf(func(c *Config) *string { return &c.FieldTimestampUnit }, "auto", "ns", "us", "ms", "s", "iso")},
	{"symbol.normalize", "none", "", "`none`: state per exact symbol, spellings reported. `upper`: white space around it stripped, upper case.",
		oneOf(func(c *Config) *string { return &c.SymbolNormalize }, "none", "upper")},
	{"partitioner", "auto", "", "`auto` infers the hash from the topic; a name of `auditstream plan partition --list` pins it, and every contradiction is a finding.",
		text(func(c *Config) *string { return &c.Partitioner }, partitionerRule)},

	{"max.tick.age.ms", "", "staleness is not judged", "A tick older than this is stale.",
		optionalMillis(func(c *Config) *int64 { return (*int64)(&c.MaxTickAge) })},
	{"max.symbol.silence.ms", "", "silence is not judged", "How long one symbol may be silent, or its content stand still while its time goes on, while its market is open. `auto`: by the symbol's own rate.",
		silence()},
	{"clock.skew.tolerance.ms", "0", "", "A tick ahead of the clock by more than this is skewed.",
		millis(func(c *Config) *int64 { return (*int64)(&c.ClockSkewTolerance) }, 0)},
	{"partition.skew.threshold", "2.0", "", "Busiest ÷ mean load over all partitions. Not judged with fewer symbols than partitions.",
		decimal(func(c *Config) *float64 { return &c.PartitionSkewThreshold }, 1)},
	{"partition.skew.min.ticks", "100", "", "A window with fewer ticks is not judged for skew.",
		integer(func(c *Config) *int64 { return &c.PartitionSkewMinTicks }, 1)},
	{"backfill.min.records", "10", "", "So many old records of one symbol, ascending among themselves, are one backfill rather than disorder.",
		integer(func(c *Config) *int64 { return &c.BackfillMinRecords }, 2)},
	{"late.report.tolerance.ms", "0", "", "A tick that lies behind its symbol's last one by at most this is a late report: counted as `late_reports`, and no disorder.",
		millis(func(c *Config) *int64 { return (*int64)(&c.LateReportTolerance) }, 0)},
	{"late.report.venues", "", "the tolerance is for every tick", "Venues that report late by rule, as trades off exchange are: only their ticks have the tolerance, against the last one of all venues.",
		list(func(c *Config) *[]string { return &c.LateReportVenues }, anyText)},
	{"max.lag.ticks", "10000", "", "A watched group's lag in records; strictly more is a breach.",
		integer(func(c *Config) *int64 { return &c.MaxLagTicks }, 0)},
	{"max.lag.ms", "30000", "", "A watched group's lag in time; strictly more is a breach.",
		millis(func(c *Config) *int64 { return (*int64)(&c.MaxLag) }, 0)},
	{"consumer.lag.groups", "", "no group is watched", "Production groups whose lag is watched: names, or regular expressions that match the whole name.",
		list(func(c *Config) *[]string { return &c.ConsumerLagGroups }, regexpRule)},
	{"offset.basis", "COMMITTED", "", "What a group's position rests on.",
		oneOf(func(c *Config) *string { return &c.OffsetBasis }, "COMMITTED", "CURRENT_POSITION")},
	{"calendar", "", "markets are always open", "Sessions, holidays and halts; silence counts only open time. The path of a [calendar file](calendar.md), or the name of a market that is built in.",
		hours()},
	{"field.halt", "", "ticks do not tell of halts", "Path of the field by which a tick tells that trading of its symbol is halted, as of the symbol. A symbol that is halted is not silent.",
		text(func(c *Config) *string { return &c.FieldHalt }, pathRule)},
	{"halt.values", "", "none", "Values of `field.halt` that mean a halt. Any other value there means that trading goes on; a tick without the field changes nothing.",
		list(func(c *Config) *[]string { return &c.HaltValues }, anyText)},

	{"report.interval.ms", "10000", "", "Length of the report windows. Findings are not held back by it.",
		millis(func(c *Config) *int64 { return (*int64)(&c.ReportInterval) }, 100)},
	{"checkpoint.interval.ms", "1000", "", "State, reports and offsets are made durable together, this often.",
		millis(func(c *Config) *int64 { return (*int64)(&c.CheckpointInterval) }, 10)},
	{"processing.guarantee", ExactlyOnceV2, "", "`exactly_once_v2`: state, reports and offsets in one transaction; read the audit topic with `isolation.level=read_committed`. `at_least_once`: a crash may repeat reports, with the same ids.",
		oneOf(func(c *Config) *string { return &c.ProcessingGuarantee }, ExactlyOnceV2, AtLeastOnce)},
	{"findings.max.per.report", "100", "", "The rest is counted, never silently cut.",
		count(func(c *Config) *int { return &c.FindingsMaxPerReport }, 1, 10_000)},
	{"instance.id", "", "the host name and the first free slot on it", "Static member and transactional id. Two running instances cannot have the same.",
		text(func(c *Config) *string { return &c.InstanceID }, nameRule)},
	{"state.dir", "", "the user's cache folder", "Slot locks and resume files. Losing it loses nothing.",
		text(func(c *Config) *string { return &c.StateDir }, anyText)},
	{"rest.listeners", "http://127.0.0.1:8083", "no HTTP", "Addresses of the page, REST, metrics and health. One beyond loopback needs `rest.basic.auth.username` or https, or `rest.unprotected=true`.",
		text(func(c *Config) *string { return &c.RestListeners }, listenerRule)},
	{"rest.unprotected", "false", "", "`true`: listen beyond loopback although anybody there may then pause and stop the audit, and see its symbols.",
		oneOf(func(c *Config) *string { return &c.RestUnprotected }, "false", "true")},
	{"rest.basic.auth.username", "", "everybody may ask", "Who may ask for anything but `/healthz` and `/readyz`.",
		text(func(c *Config) *string { return &c.RestUsername }, anyText)},
	{"rest.basic.auth.password", "", "none", "The password of that name. A secret.",
		text(func(c *Config) *string { return &c.RestPassword }, anyText)},
	{"listeners.https.ssl.keystore.location", "", "no https", "PEM file of the certificate chain and private key of https listeners. It is read again when it changes.",
		text(func(c *Config) *string { return &c.RestKeystore }, keystoreRule)},
	{"listeners.https.ssl.keystore.type", "PEM", "", "",
		oneOf(func(c *Config) *string { return new(string) }, "PEM")},
	{"listeners.https.ssl.truststore.location", "", "the system's authorities", "PEM file of the authorities that clients' certificates are held against.",
		text(func(c *Config) *string { return &c.RestTruststore }, authoritiesRule)},
	{"listeners.https.ssl.client.auth", "none", "", "Whether clients show a certificate.",
		oneOf(func(c *Config) *string { return &c.RestClientAuth }, "none", "requested", "required")},
	{"metrics.lag.names", "", "the product's own names alone", "Lag of watched groups is exported under the metric names of these exporters as well, for their dashboards.",
		list(func(c *Config) *[]string { return &c.MetricsLagNames }, wordsRule("kafka_exporter", "kminion"))},
}

// waitingKeys are keys whose value is checked and kept, and by which nothing
// is judged yet. To set one is noted, so that nobody relies on it.
var waitingKeys = map[string]string{
	"offset.basis": "a running group's position is known to its members alone; what it has committed is judged",
}

// ignoredKeys are keys of Kafka Connect that a pasted connector configuration
// carries and that have no counterpart here. They are accepted with a note.
var ignoredKeys = map[string]string{
	"connector.class":                                 "auditstream is its own program, not a plug-in",
	"connector.plugin.version":                        "auditstream is its own program, not a plug-in",
	"tasks.max":                                       "every instance takes its share of the partitions",
	"header.converter":                                "headers are kept as bytes",
	"key.converter.schemas.enable":                    "keys are read without an envelope",
	"value.converter.schemas.enable":                  "values are read without an envelope",
	"config.action.reload":                            "a configuration is read once, at the start",
	"errors.log.enable":                               "unreadable records are findings, not log lines",
	"errors.log.include.messages":                     "unreadable records are findings, not log lines",
	"errors.retry.timeout":                            "reading a record is not retried",
	"errors.retry.delay.max.ms":                       "reading a record is not retried",
	"errors.deadletterqueue.context.headers.enable":   "the headers are always added",
	"errors.deadletterqueue.topic.replication.factor": "the cluster's default, at least 3 on three brokers",
}

// aliases are Connect's class names for converters.
var aliases = map[string]string{
	"org.apache.kafka.connect.storage.StringConverter": "string",
	"org.apache.kafka.connect.json.JsonConverter":      "json",
	"io.confluent.connect.avro.AvroConverter":          "avro",
	"io.confluent.connect.protobuf.ProtobufConverter":  "protobuf",
	"io.confluent.connect.json.JsonSchemaConverter":    "json",
}

// defaultOf is a key's default, as text.
func defaultOf(name string) string {
	for i := range Keys {
		if Keys[i].Name == name {
			return Keys[i].Default
		}
	}
	return ""
}
