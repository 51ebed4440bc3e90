package security

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

const (
	rootSecret  = "s3cret-of-root"
	plainSecret = "s3cret-of-plain"
	scramSecret = "s3cret-of-scram"
	// clientSecret is that of every client of the issuer.
	clientSecret = "s3cret-of-bearer"
)

// kafka is a broker with a listener for each way to log in. Its only superuser
// is root.
type kafka struct {
	*kafkatest.Process
	authority kafkatest.Authority
	issuer    *issuer
	listeners map[string]string // addresses by name
	client    *kgo.Client
	admin     *kadm.Client
	dir       string
}

func startKafka(t *testing.T) *kafka {
	t.Helper()
	k := &kafka{authority: kafkatest.NewAuthority(t), listeners: map[string]string{}, dir: t.TempDir()}
	k.issuer = startIssuer(t, k.authority)
	_, keystore := k.authority.Issue(t, "broker", net.IPv4(127, 0, 0, 1))
	var listeners []string
	for _, name := range []string{"ROOT", "PLAIN", "SCRAM", "BEARER", "TLS", "MUTUAL", "CONTROLLER"} {
		k.listeners[name] = fmt.Sprintf("127.0.0.1:%d", kafkatest.FreePort())
		listeners = append(listeners, name+"://"+k.listeners[name])
	}
	root := kgo.SASL(plain.Auth{User: "root", Pass: rootSecret}.AsMechanism())
	k.Process = &kafkatest.Process{
		ID: 1, Dir: filepath.Join(k.dir, "kafka"), Libs: kafkatest.Libs(t), Address: k.listeners["ROOT"], Options: []kgo.Opt{root},
		Flags: []string{"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=" + k.issuer.keysURL},
	}
	settings := fmt.Sprintf(brokerSettings, k.listeners["CONTROLLER"], strings.Join(listeners, ","), strings.Join(listeners[:len(listeners)-1], ","),
		k.Data(), keystore, k.authority.File, k.issuer.keysURL, rootSecret, plainSecret)
	for _, step := range []func() error{func() error { return k.Configure(settings) }, k.Format, k.Start, k.Await} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { k.Signal(syscall.SIGKILL) })
	var err error
	if k.client, err = kgo.NewClient(kgo.SeedBrokers(k.Address), root, kgo.RecordPartitioner(kgo.ManualPartitioner())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.client.Close)
	k.admin = kadm.NewClient(k.client)
	for _, mechanism := range []kadm.ScramMechanism{kadm.ScramSha256, kadm.ScramSha512} {
		altered, err := k.admin.AlterUserSCRAMs(t.Context(), nil, []kadm.UpsertSCRAM{{User: "scram", Mechanism: mechanism, Iterations: 4096, Password: scramSecret}})
		if err == nil {
			err = altered.Error()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return k
}

// brokerSettings are %[1]s the controller's address, [2] listeners, [3] those
// that are advertised, [4] the data, [5] the certificate, [6] its authority,
// [7] the issuer's keys, [8] and [9] passwords.
const brokerSettings = `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@%[1]s
listeners=%[2]s
advertised.listeners=%[3]s
controller.listener.names=CONTROLLER
inter.broker.listener.name=ROOT
listener.security.protocol.map=CONTROLLER:SASL_PLAINTEXT,ROOT:SASL_PLAINTEXT,PLAIN:SASL_PLAINTEXT,SCRAM:SASL_SSL,BEARER:SASL_SSL,TLS:SSL,MUTUAL:SSL
sasl.mechanism.controller.protocol=PLAIN
sasl.mechanism.inter.broker.protocol=PLAIN
listener.name.controller.sasl.enabled.mechanisms=PLAIN
listener.name.controller.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="root" password="%[8]s" user_root="%[8]s";
listener.name.root.sasl.enabled.mechanisms=PLAIN
listener.name.root.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="root" password="%[8]s" user_root="%[8]s";
listener.name.plain.sasl.enabled.mechanisms=PLAIN
listener.name.plain.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_plain="%[9]s";
listener.name.scram.sasl.enabled.mechanisms=SCRAM-SHA-256,SCRAM-SHA-512
listener.name.scram.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.scram.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.bearer.sasl.enabled.mechanisms=OAUTHBEARER
listener.name.bearer.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;
listener.name.bearer.oauthbearer.sasl.server.callback.handler.class=org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler
listener.name.bearer.oauthbearer.connections.max.reauth.ms=3600000
sasl.oauthbearer.jwks.endpoint.url=%[7]s
sasl.oauthbearer.expected.audience=kafka
ssl.keystore.type=PEM
ssl.keystore.location=%[5]s
ssl.truststore.type=PEM
ssl.truststore.location=%[6]s
listener.name.mutual.ssl.client.auth=required
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:root
log.dirs=%[4]s
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=2
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=2
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=500
`

// makeTopic makes a topic of two partitions.
func (k *kafka) makeTopic(t *testing.T, name string) {
	t.Helper()
	if _, err := k.admin.CreateTopic(t.Context(), 2, 1, nil, name); err != nil {
		t.Fatal(err)
	}
}

// feed produces ten ticks and one record that is unreadable.
func (k *kafka) feed(t *testing.T, topic string) {
	t.Helper()
	var records []*kgo.Record
	for i := range 11 {
		symbol := fmt.Sprintf("S%d", i%4)
		value := fmt.Appendf(nil, `{"symbol":%q,"timestamp_ns":%d}`, symbol, 1_700_000_000_000_000_000+i)
		if i == 10 {
			value = []byte("no tick")
		}
		records = append(records, &kgo.Record{Topic: topic, Partition: int32(i % 2), Key: []byte(symbol), Value: value})
	}
	if err := k.client.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
		t.Fatal(err)
	}
}

// unread counts the records of a topic that a group has not committed.
func (k *kafka) unread(t *testing.T, topic, group string) (n int64) {
	t.Helper()
	ends, err := k.admin.ListEndOffsets(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	committed, err := k.admin.FetchOffsets(t.Context(), group)
	if err != nil {
		t.Fatal(err)
	}
	ends.Each(func(end kadm.ListedOffset) {
		n += end.Offset
		if at, ok := committed.Lookup(topic, end.Partition); ok {
			n -= at.At
		}
	})
	return n
}

// grant grants rights and waits until the authorizer knows them.
func (k *kafka) grant(t *testing.T, rights ...acl) {
	t.Helper()
	if err := createACLs(t.Context(), k.client, rights); err != nil {
		t.Fatal(err)
	}
	last := rights[len(rights)-1]
	kafkatest.Eventually(t, "the right "+last.String(), func() bool { return known(t.Context(), k.client, last) })
}

// secret is a reference to one of the secrets that are right.
func (k *kafka) secret(t *testing.T, secret string) string {
	t.Helper()
	file := filepath.Join(k.dir, "secrets.properties")
	text := fmt.Sprintf("plain=%s\nscram=%s\nbearer=%s\n", plainSecret, scramSecret, clientSecret)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "${file:" + file + ":" + secret + "}"
}
