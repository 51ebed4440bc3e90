package kafka_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"testing"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// works holds a configuration against a broker with both client libraries.
func works(t *testing.T, brokers []string, sets ...string) {
	t.Helper()
	c := configured(t, brokers, sets...)
	a := connect(t, c)
	if _, err := a.ListTopics(t.Context()); err != nil {
		t.Errorf("admin: %v", err)
	}
	opts, err := kafka.ConsumerOptions(c)
	if err != nil {
		t.Fatal(err)
	}
	consumer, err := kgo.NewClient(append(opts, kgo.ConsumerGroup("g"), kgo.ConsumeTopics("t"))...)
	if err != nil {
		t.Fatal(err)
	}
	defer consumer.Close()
	if err := consumer.Ping(t.Context()); err != nil {
		t.Errorf("consumer: %v", err)
	}
	sc, err := kafka.SaramaConfig(c)
	if err != nil {
		t.Fatal(err)
	}
	client, err := sarama.NewClient(brokers, sc)
	if err != nil {
		t.Fatalf("sarama: %v", err)
	}
	defer client.Close()
	if _, err := client.Controller(); err != nil {
		t.Errorf("sarama: %v", err)
	}
}

func refuses(t *testing.T, brokers []string, sets ...string) {
	t.Helper()
	_, err := kafka.Connect(t.Context(), configured(t, brokers, sets...))
	refusal(t, err)
}

func sasl(protocol, mechanism, password string) []string {
	return []string{
		"consumer.override.security.protocol=" + protocol, "consumer.override.sasl.mechanism=" + mechanism,
		"consumer.override.sasl.username=anna", "consumer.override.sasl.password=${file:testdata/secrets.properties:" + password + "}",
	}
}

func TestSASL(t *testing.T) {
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"} {
		t.Run(mechanism, func(t *testing.T) {
			cluster := kafkatest.Fake(t, kfake.EnableSASL(), kfake.Superuser(mechanism, "anna", "right one"))
			works(t, cluster.Brokers, sasl("SASL_PLAINTEXT", mechanism, "right")...)
			// kfake closes the connection where Kafka answers; so the answer is given for it.
			cluster.Kfake.ControlKey(int16(kmsg.SASLAuthenticate), func(request kmsg.Request) (kmsg.Response, error, bool) {
				cluster.Kfake.KeepControl()
				response := request.ResponseKind().(*kmsg.SASLAuthenticateResponse)
				response.ErrorCode = kerr.SaslAuthenticationFailed.Code
				return response, nil, true
			})
			refuses(t, cluster.Brokers, sasl("SASL_PLAINTEXT", mechanism, "wrong")...)
		})
	}
	t.Run("jaas", func(t *testing.T) {
		cluster := kafkatest.Fake(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "anna", "right one"))
		works(t, cluster.Brokers, "consumer.override.security.protocol=SASL_PLAINTEXT", "consumer.override.sasl.mechanism=PLAIN",
			`consumer.override.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="anna" password="${file:testdata/secrets.properties:right}";`)
	})
	t.Run("missing", func(t *testing.T) {
		cluster := kafkatest.Fake(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "anna", "right one"))
		refuses(t, cluster.Brokers)
	})
}

func TestTLS(t *testing.T) {
	trusted, other := kafkatest.NewAuthority(t), kafkatest.NewAuthority(t)
	broker, _ := trusted.Issue(t, "broker", net.IPv4(127, 0, 0, 1))
	_, client := trusted.Issue(t, "client")
	pool := x509.NewCertPool()
	pool.AddCert(trusted.Certificate)
	const ssl = "consumer.override.security.protocol=SSL"
	ca := "consumer.override.ssl.ca.location=" + trusted.File

	t.Run("one-way", func(t *testing.T) {
		cluster := kafkatest.Fake(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{broker}}))
		works(t, cluster.Brokers, ssl, ca)
		refuses(t, cluster.Brokers, ssl)
		refuses(t, cluster.Brokers, ssl, "consumer.override.ssl.truststore.location="+other.File)
		refuses(t, cluster.Brokers)
	})
	t.Run("mutual", func(t *testing.T) {
		cluster := kafkatest.Fake(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{broker}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}))
		works(t, cluster.Brokers, ssl, ca, "consumer.override.ssl.keystore.location="+client)
		works(t, cluster.Brokers, ssl, ca, "consumer.override.ssl.certificate.location="+client, "consumer.override.ssl.key.location="+client)
		refuses(t, cluster.Brokers, ssl, ca)
	})
	t.Run("name", func(t *testing.T) {
		named, _ := trusted.Issue(t, "broker")
		cluster := kafkatest.Fake(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{named}}))
		refuses(t, cluster.Brokers, ssl, ca)
		works(t, cluster.Brokers, ssl, ca, "consumer.override.ssl.endpoint.identification.algorithm=none")
		refuses(t, cluster.Brokers, ssl, "consumer.override.ssl.ca.location="+other.File, "consumer.override.ssl.endpoint.identification.algorithm=")
	})
	t.Run("with SASL", func(t *testing.T) {
		cluster := kafkatest.Fake(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{broker}}), kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-256", "anna", "right one"))
		works(t, cluster.Brokers, append(sasl("SASL_SSL", "SCRAM-SHA-256", "right"), ca)...)
	})
}
