package config

// Scope is the client that a setting is for.
type Scope uint8

// The clients: the consumer group, the transactional producer, and the
// requests about topics, groups and offsets.
const (
	Consumer Scope = 1 << iota
	Producer
	Admin
	every = Consumer | Producer | Admin
)

// String is the scope as the prefix of override keys spells it.
func (s Scope) String() string {
	switch s {
	case Consumer:
		return "consumer"
	case Producer:
		return "producer"
	case Admin:
		return "admin"
	}
	return "every client"
}

// ClientKey is one client setting by Kafka's own name, given as
// consumer.override.<name>, producer.override.<name> or admin.override.<name>.
type ClientKey struct {
	Name    string
	Scopes  Scope
	Default string
	Meaning string
	clientKind
	Secret bool
}

// ClientKeys is every client setting, in the order of the reference. Those of
// the connection (security.protocol, sasl.*, ssl.*) that are given for the
// consumer hold for producer and admin too, unless these have their own.
var ClientKeys = []ClientKey{
	{"security.protocol", every, "PLAINTEXT", "", words("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"), false},
	{"sasl.mechanism", every, "", "", words("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"), false},
	{"sasl.username", every, "", "", anything, false},
	{"sasl.password", every, "", "", anything, true},
	{"sasl.jaas.config", every, "", "`PlainLoginModule` or `ScramLoginModule` with `username` and `password`, `OAuthBearerLoginModule` with `clientId`, `clientSecret`, `scope` and `extension_…`; in place of the settings of their own.", anything, true},
	{"sasl.oauthbearer.token.endpoint.url", every, "", "With `OAUTHBEARER`: where tokens are issued, by the grant of client credentials (RFC 6749, 4.4).", anything, false},
	{"sasl.oauthbearer.client.credentials.client.id", every, "", "", anything, false},
	{"sasl.oauthbearer.client.credentials.client.secret", every, "", "", anything, true},
	{"sasl.oauthbearer.scope", every, "", "Asked for with tokens; without it the issuer's own.", anything, false},
	{"sasl.oauthbearer.extensions", every, "", "Told to the brokers with each token: `logicalCluster=lkc-1,identityPoolId=pool-1`.", anything, false},
	{"sasl.login.callback.handler.class", every, "", "Java's class that fetches tokens; what it does is done whatever it says.", anything, false},
	{"ssl.ca.location", every, "", "PEM file of trusted authorities; without it the system's.", inFile(authoritiesRule), false},
	{"ssl.truststore.location", every, "", "The same by Java's name; PEM only.", inFile(authoritiesRule), false},
	{"ssl.truststore.type", every, "PEM", "", words("PEM"), false},
	{"ssl.certificate.location", every, "", "PEM file of the client's certificate chain.", inFile(authoritiesRule), false},
	{"ssl.key.location", every, "", "PEM file of the client's private key.", inFile(fileRule), false},
	{"ssl.key.password", every, "", "", refused("encrypted keys are not read; keep the key in a file that only auditstream may read"), true},
	{"ssl.keystore.location", every, "", "Certificate chain and key in one PEM file.", inFile(keystoreRule), false},
	{"ssl.keystore.type", every, "PEM", "", words("PEM"), false},
	{"ssl.endpoint.identification.algorithm", every, "https", "`none` or empty: the broker's name is not held against its certificate.", words("https", "none", ""), false},
	{"client.id", every, "auditstream", "Name in the brokers' quotas, metrics and logs.", anything, false},
	{"client.rack", Consumer, "", "Rack of the nearest replicas to read from.", anything, false},
	{"request.timeout.ms", every, "30000", "", duration(100), false},
	{"socket.connection.setup.timeout.ms", every, "10000", "", duration(100), false},
	{"metadata.max.age.ms", every, "60000", "How soon new partitions and moved leaders are seen at the latest.", duration(100), false},

	{"auto.offset.reset", Consumer, "earliest", "Where a group without offsets begins.", words("earliest", "latest"), false},
	{"isolation.level", Consumer, "read_committed", "`read_uncommitted` also audits what transactions abort; the report says so.", words("read_committed", "read_uncommitted"), false},
	{"session.timeout.ms", Consumer, "10000", "", duration(100), false},
	{"heartbeat.interval.ms", Consumer, "250", "Less than the session timeout; by default at most a third of it. In a rebalance all members wait for the last that hears of it.", duration(10), false},
	{"max.poll.interval.ms", Consumer, "60000", "How long a rebalance waits for a member.", duration(100), false},
	{"fetch.min.bytes", Consumer, "1", "", size(1), false},
	{"fetch.max.bytes", Consumer, "8388608", "Less than Kafka's 52428800: what a fetch brings is decoded at once, and judged while it is still near the processor. More for brokers that are far away.", size(1024), false},
	{"max.partition.fetch.bytes", Consumer, "1048576", "", size(1024), false},
	{"fetch.max.wait.ms", Consumer, "500", "", duration(10), false},
	{"group.id", Consumer, "", "", refused("the group is named by the key name: auditstream-<name>"), false},
	{"group.instance.id", Consumer, "", "", refused("static members are named by the key instance.id"), false},
	{"enable.auto.commit", Consumer, "false", "Offsets are committed with the state.", words("false"), false},

	{"acks", Producer, "all", "", words("all", "-1"), false},
	{"enable.idempotence", Producer, "true", "", words("true"), false},
	{"max.in.flight.requests.per.connection", Producer, "1", "", words("1"), false},
	{"linger.ms", Producer, "5", "", duration(0), false},
	{"compression.type", Producer, "lz4", "", words("none", "gzip", "snappy", "lz4", "zstd"), false},
	{"max.request.size", Producer, "1000000", "Largest record that is written.", size(1024), false},
	{"delivery.timeout.ms", Producer, "150000", "How long state may fail to be written, or a group to be joined, before the run ends with the cause; the input waits meanwhile.", duration(1000), false},
	{"transaction.timeout.ms", Producer, "10000", "More than `checkpoint.interval.ms`; by default at least twice that.", duration(1000), false},
	{"transactional.id", Producer, "", "", refused("transactional ids are named by the key instance.id"), false},
}

// inherited says whether a setting given for the consumer holds for the others
// too.
func (k ClientKey) inherited() bool {
	return k.Scopes == every && k.Name != "client.id"
}

func clientKey(name string) (ClientKey, bool) {
	for _, key := range ClientKeys {
		if key.Name == name {
			return key, true
		}
	}
	return ClientKey{}, false
}
