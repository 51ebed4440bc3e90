package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/doctest"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

func TestDocsConfiguration(t *testing.T) {
	doctest.Check(t, "configuration.md", config.Reference())
}

func TestEveryFormGivesTheSame(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	want := config.Default()
	want.Name = "prices"
	want.BootstrapServers = []string{"broker-1:9092", "broker-2:9092"}
	want.Topics = []string{"ticks", "trades"}
	want.AuditTopic = "ticks.audit"
	want.ErrorsTolerance = "none"
	want.FieldSymbol = "data.s"
	want.FieldTimestampZone = berlin
	want.MaxTickAge = 250 * time.Millisecond
	want.PartitionSkewThreshold = 1.5
	want.ConsumerLagGroups = []string{"strategy-.*"}
	want.ProcessingGuarantee = config.AtLeastOnce
	want.Consumer["session.timeout.ms"] = "45000"

	files, err := filepath.Glob("testdata/good/*")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			got, err := config.Load(file, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			ignore := cmp.Options{
				cmpopts.IgnoreUnexported(config.Config{}), cmpopts.IgnoreFields(config.Config{}, "Notes"),
				cmp.Comparer(func(a, b *time.Location) bool { return a.String() == b.String() }),
			}
			if diff := cmp.Diff(want, got, ignore); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			notes := strings.Join(got.Notes, "\n")
			if len(got.Notes) != 2 || !strings.Contains(notes, "connector.class has no effect") || !strings.Contains(notes, "tasks.max has no effect") {
				t.Errorf("notes: %s", notes)
			}
		})
	}
}

func TestBadFilesAreToldWhole(t *testing.T) {
	wants, err := filepath.Glob("testdata/bad/*.want")
	if err != nil || len(wants) < 8 {
		t.Fatalf("%d files, %v", len(wants), err)
	}
	for _, want := range wants {
		file := strings.TrimSuffix(want, ".want")
		t.Run(filepath.Base(file), func(t *testing.T) {
			message, err := os.ReadFile(want)
			if err != nil {
				t.Fatal(err)
			}
			_, err = config.Load(file, nil, nil)
			var invalid *config.Error
			if !errors.As(err, &invalid) {
				t.Fatalf("%v is no *config.Error", err)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(message)), err.Error()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func load(t *testing.T, env, sets []string, lines ...string) (*config.Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.properties")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return config.Load(file, env, sets)
}

func TestPrecedence(t *testing.T) {
	env := []string{"AUDITSTREAM_MAX_LAG_TICKS=3", "AUDITSTREAM_MAX_LAG_MS=3", "AUDITSTREAM_CONSUMER_OVERRIDE_CLIENT_ID=env", "MAX_LAG_TICKS=9"}
	c, err := load(t, env, []string{"max.lag.ms=4", "max.lag.ms=5"}, "topics=t", "max.lag.ticks=2", "max.lag.ms=2", "report.interval.ms=2000")
	if err != nil {
		t.Fatal(err)
	}
	if c.MaxLag != 5*time.Millisecond || c.MaxLagTicks != 3 || c.ReportInterval != 2*time.Second || c.CheckpointInterval != time.Second {
		t.Errorf("flag %v, environment %d, file %v, default %v", c.MaxLag, c.MaxLagTicks, c.ReportInterval, c.CheckpointInterval)
	}
	if got := c.Client(config.Consumer).Text("client.id"); got != "env" {
		t.Errorf("client.id %q", got)
	}
}

func TestWithoutFile(t *testing.T) {
	c, err := config.Load("", nil, []string{"topics=t"})
	if err != nil {
		t.Fatal(err)
	}
	if c.AuditTopic != "t.audit" || c.Name != "auditstream" || !c.ExactlyOnce() {
		t.Errorf("got %+v", c)
	}
	if _, err := config.Load("", nil, nil); err == nil {
		t.Error("topics have no default")
	}
	if _, err := config.Load("", nil, nil, config.TopicsOptional()); err != nil {
		t.Error(err)
	}
}

func TestUnknownVariablesAreOnlyNoted(t *testing.T) {
	c, err := config.Load("", []string{"AUDITSTREAM_SERVICE_HOST=10.0.0.1", "AUDITSTREAM_TOPIC=x"}, []string{"topics=t"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"variable AUDITSTREAM_SERVICE_HOST is no key and has no effect",
		"variable AUDITSTREAM_TOPIC is no key and has no effect; the nearest is AUDITSTREAM_TOPICS",
	}
	if diff := cmp.Diff(want, c.Notes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReferences(t *testing.T) {
	secrets := filepath.Join(t.TempDir(), "secrets.properties")
	if err := os.WriteFile(secrets, []byte("pass\\:word = s3cret=\\\nvery\nuser=anna\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := load(t, []string{"WHO=t"}, []string{"consumer.override.sasl.password=${env:WHO}${env:WHO}"},
		"topics=${env:WHO}1,${env:WHO}2",
		"consumer.override.security.protocol=sasl_plaintext",
		"consumer.override.sasl.mechanism=plain",
		"consumer.override.sasl.username=${file:"+secrets+":user}",
		"consumer.override.sasl.password=overridden",
		"admin.override.security.protocol=SASL_PLAINTEXT",
		"admin.override.sasl.mechanism=PLAIN",
		"admin.override.sasl.username=root",
		"admin.override.sasl.password=plain text",
	)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Topics, []string{"t1", "t2"}) {
		t.Errorf("topics %v", c.Topics)
	}
	for scope, want := range map[config.Scope]string{config.Consumer: "anna tt", config.Producer: "anna tt", config.Admin: "root plain text"} {
		login, err := c.Client(scope).Login()
		if got := login.User + " " + login.Password; got != want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", scope, got, err, want)
		}
	}
	settings := c.Settings()
	if got := settings["consumer.override.sasl.password"]; got != "${env:WHO}${env:WHO}" {
		t.Errorf("shown: %s", got)
	}
	if got := settings["admin.override.sasl.password"]; got != "[hidden]" {
		t.Errorf("shown: %s", got)
	}
}

func TestReferenceFaults(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for value, want := range map[string]string{
		"${env:NOPE}":                 "${env:NOPE}: variable NOPE is not set",
		"${file:" + missing + ":k}":   "no such file",
		"${file:nocolon}":             "a file reference is ${file:/path:key}",
		"${vault:a:b}":                "only ${file:/path:key} and ${env:NAME} are known",
		"${file:config_test.go:nope}": `config_test.go has no key "nope"`,
	} {
		_, err := load(t, nil, nil, "topics=t", "state.dir="+value)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", value, err, want)
		}
	}
}

func TestSecretsAreRefusedOnTheCommandLine(t *testing.T) {
	const key = "consumer.override.sasl.password"
	const jaas = "consumer.override.sasl.jaas.config"
	for set, ok := range map[string]bool{
		key + "=hunter2":        false,
		key + "=":               true,
		key + "=${env:P}":       true,
		key + "=hunter${env:P}": false,
		jaas + `=o.a.k.PlainLoginModule required username="u" password="p";`:                  false,
		jaas + `=o.a.k.PlainLoginModule required username="u" password="${env:P}";`:           true,
		jaas + `=o.a.k.OAuthBearerLoginModule required clientId="u" clientSecret="p";`:        false,
		jaas + `=o.a.k.OAuthBearerLoginModule required clientId="u" clientSecret="${env:P}";`: true,
		"consumer.override.sasl.oauthbearer.client.credentials.client.secret=hunter2":         false,
	} {
		_, err := config.Load("", []string{"P=p"}, []string{"topics=t", set})
		told := err != nil && strings.Contains(err.Error(), "a secret on the command line")
		if told == ok {
			t.Errorf("%s: %v", set, err)
		}
		if err != nil && (strings.Contains(err.Error(), "hunter") || strings.Contains(err.Error(), `"p"`)) {
			t.Errorf("the message tells the secret: %v", err)
		}
	}
}

func TestDefaultsThatFollowOtherSettings(t *testing.T) {
	c, err := config.Load("", nil, []string{"topics=t", "consumer.override.session.timeout.ms=600", "checkpoint.interval.ms=20000"})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Client(config.Consumer).Millis("heartbeat.interval.ms"); got != 200*time.Millisecond {
		t.Errorf("heartbeat %v", got)
	}
	if got := c.Client(config.Producer).Millis("transaction.timeout.ms"); got != 40*time.Second {
		t.Errorf("transaction timeout %v", got)
	}
}

func TestARepeatedKeyIsNoted(t *testing.T) {
	c, err := load(t, nil, nil, "topics=a", "", "topics=b")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Notes) != 1 || !strings.Contains(c.Notes[0], ":3: topics overrides line 1") || c.Topics[0] != "b" {
		t.Errorf("topics %v, notes %q", c.Topics, c.Notes)
	}
}

func TestSetNeedsKeyAndValue(t *testing.T) {
	_, err := config.Load("", nil, []string{"topics=t", "name"})
	if err == nil || err.Error() != `configuration: --set: "name" is not key=value` {
		t.Error(err)
	}
}

func TestJAAS(t *testing.T) {
	for line, want := range map[string]string{
		`org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="p";`:            "u/p",
		`org.apache.kafka.common.security.plain.PlainLoginModule required password="a\"b\\c" username = "u;u" ;`: `u;u/a"b\c`,
		"x.PlainLoginModule   required\n username=u\n password=p;":                                               "u/p",
		`x.ScramLoginModule required username="u" password="p";`:                                                 "its login module does not fit sasl.mechanism PLAIN",
		`x.Krb5LoginModule required;`:               "its login module is none of PlainLoginModule, ScramLoginModule and OAuthBearerLoginModule",
		`x.PlainLoginModule required username="u";`: `it has no username="…" and password="…"`,
	} {
		c := config.Default()
		c.Topics = []string{"t"}
		c.Consumer["security.protocol"], c.Consumer["sasl.mechanism"], c.Consumer["sasl.jaas.config"] = "SASL_SSL", "PLAIN", line
		login, err := c.Client(config.Consumer).Login()
		got := login.User + "/" + login.Password
		if err != nil {
			got = err.Error()
			if invalid := c.Validate(); invalid == nil || !strings.Contains(invalid.Error(), got) {
				t.Errorf("%s: Validate says %v", line, invalid)
			}
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}

func TestOAuthBearer(t *testing.T) {
	const at = "consumer.override.sasl."
	base := []string{"topics=t", "consumer.override.security.protocol=SASL_SSL", at + "mechanism=OAUTHBEARER"}
	want := config.Login{User: "id", Password: "secret", Tokens: "https://issuer/token", Scope: "kafka", Extensions: map[string]string{"logicalCluster": "lkc-1"}}
	for name, sets := range map[string][]string{
		"settings": {
			at + "oauthbearer.token.endpoint.url=https://issuer/token", at + "oauthbearer.client.credentials.client.id=id",
			at + "oauthbearer.client.credentials.client.secret=secret", at + "oauthbearer.scope=kafka", at + "oauthbearer.extensions=logicalCluster=lkc-1",
		},
		"jaas": {
			at + "oauthbearer.token.endpoint.url=https://issuer/token",
			at + `jaas.config=x.OAuthBearerLoginModule required clientId="id" clientSecret="secret" scope="kafka" extension_logicalCluster="lkc-1";`,
		},
	} {
		c, err := load(t, nil, nil, append(base, sets...)...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := c.Client(config.Producer).Login()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, -want +got:\n%s", name, err, diff)
		}
	}
	_, err := load(t, nil, nil, base...)
	for _, key := range []string{"client.credentials.client.id: OAUTHBEARER needs it", "token.endpoint.url: OAUTHBEARER needs it"} {
		if err == nil || !strings.Contains(err.Error(), at+"oauthbearer."+key) {
			t.Errorf("not told of %s: %v", key, err)
		}
	}
	_, err = load(t, nil, nil, "topics=t", "consumer.override.security.protocol=SASL_SSL", at+"mechanism=PLAIN", at+"username=u", at+"password=p", at+"oauthbearer.scope=x")
	if err == nil || !strings.Contains(err.Error(), "oauthbearer.scope: has no effect with sasl.mechanism PLAIN") {
		t.Error(err)
	}
}

func TestPrintedDefaultsAreTheDefaults(t *testing.T) {
	c, err := load(t, nil, nil, config.Properties(), "topics=t")
	if err != nil {
		t.Fatal(err)
	}
	want := config.Default()
	want.Topics, want.AuditTopic = []string{"t"}, "t.audit"
	if diff := cmp.Diff(want, c, cmpopts.IgnoreUnexported(config.Config{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestKeysAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, key := range config.Keys {
		if seen[key.Name] {
			t.Errorf("%s twice", key.Name)
		}
		seen[key.Name] = true
		if (key.Default == "") == (key.Unset == "") && key.Name != "rest.listeners" {
			t.Errorf("%s: a key has a default or says what it means to be unset", key.Name)
		}
	}
	for _, key := range config.ClientKeys {
		if seen[key.Name] {
			t.Errorf("%s twice", key.Name)
		}
		seen[key.Name] = true
	}
}

// A key by which nothing is judged yet must not pass for one that works.
func TestKeysWithoutEffectAreNoted(t *testing.T) {
	c, err := config.Load("", nil, []string{"topics=t", "offset.basis=CURRENT_POSITION", "field.sequence=seq"})
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(c.Notes, "\n")
	for _, want := range []string{"offset.basis=CURRENT_POSITION has no effect on findings"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes do not say %q: %s", want, notes)
		}
	}
	if len(c.Notes) != 1 {
		t.Errorf("%d notes: %s", len(c.Notes), notes)
	}
}

// Over HTTP an audit is stopped and shown, so who may do so is said.
func TestListenersBeyondLoopback(t *testing.T) {
	const open = "can be reached from other hosts"
	_, pem := kafkatest.NewAuthority(t).Issue(t, "audit")
	keystore := "listeners.https.ssl.keystore.location=" + pem
	for _, test := range []struct {
		settings []string
		fault    string
	}{
		{[]string{"rest.listeners=http://0.0.0.0:8083"}, open},
		{[]string{"rest.listeners=http://:8083"}, open},
		{[]string{"rest.listeners=http://[::]:8083"}, open},
		{[]string{"rest.listeners=http://audit.example:8083"}, open},
		{[]string{"rest.listeners=http://127.0.0.1:8083, http://10.0.0.7:8083"}, open},
		{[]string{"rest.listeners=http://127.0.0.2:8083,http://[::1]:8083,http://localhost:8083"}, ""},
		{[]string{"rest.listeners="}, ""},
		{[]string{"rest.listeners=http://0.0.0.0:8083", "rest.unprotected=true"}, ""},
		{[]string{"rest.listeners=http://0.0.0.0:8083", "rest.basic.auth.username=u", "rest.basic.auth.password=${env:P}"}, ""},
		{[]string{"rest.basic.auth.username=u"}, "go together"},
		{[]string{"rest.listeners=https://0.0.0.0:8083"}, "a PEM file of certificate chain and key"},
		{[]string{"rest.listeners=https://0.0.0.0:8083", keystore}, ""},
		{[]string{"rest.listeners=https://0.0.0.0:8083,http://0.0.0.0:8084", keystore}, open},
		{[]string{"listeners.https.ssl.client.auth=required"}, "has no effect without an https:// address"},
		{[]string{"rest.basic.auth.username=u", "rest.basic.auth.password=secret"}, "a secret on the command line"},
	} {
		_, err := config.Load("", []string{"P=s"}, append(test.settings, "topics=t"))
		if (err == nil) != (test.fault == "") || err != nil && !strings.Contains(err.Error(), test.fault) {
			t.Errorf("%q: %v, want %q", test.settings, err, test.fault)
		}
	}
}

func TestGivenHidesSecrets(t *testing.T) {
	c, err := load(t, []string{"P=secret-1"}, nil, "topics=t", "rest.basic.auth.username=u", "rest.basic.auth.password=${env:P}",
		"consumer.override.security.protocol=SASL_SSL", "consumer.override.sasl.mechanism=PLAIN",
		"consumer.override.sasl.username=${env:P}", "consumer.override.sasl.password=secret-2")
	if err != nil {
		t.Fatal(err)
	}
	given := c.Given()
	if given["rest.basic.auth.password"] != "${env:P}" || given["consumer.override.sasl.username"] != "${env:P}" ||
		given["consumer.override.sasl.password"] != "[hidden]" || given["topics"] != "t" || len(given) != 7 {
		t.Errorf("given %v", given)
	}
}

// A check for somebody else reads no file and no variable.
func TestCheckResolvesNothing(t *testing.T) {
	t.Setenv("AUDITSTREAM_TEST_SECRET", "x")
	faults := config.Check(map[string]string{
		"topics": "${file:/nowhere:key}", "rest.basic.auth.username": "${env:AUDITSTREAM_TEST_SECRET}", "rest.basic.auth.password": "${env:NOT_SET}",
	})
	if len(faults) != 0 {
		t.Errorf("references: %v", faults)
	}
	faults = config.Check(map[string]string{"connector.class": "x", "tpics": "t", "max.lag.ms": "soon"})
	var keys []string
	for _, f := range faults {
		keys = append(keys, f.Key)
	}
	slices.Sort(keys)
	if !slices.Equal(keys, []string{"max.lag.ms", "topics", "tpics"}) {
		t.Errorf("faults %v", faults)
	}
}
