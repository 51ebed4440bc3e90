package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// Every file that a key names is looked at when the configuration is read:
// all that is wrong is told at once, with the file and what is wrong with it.
func TestFilesThatAreNotThere(t *testing.T) {
	missing, folder := filepath.Join(t.TempDir(), "missing"), t.TempDir()
	for name, settings := range map[string][]string{
		"avro":     {"value.converter=avro", "value.converter.avro.schema.file"},
		"protobuf": {"value.converter=protobuf", "value.converter.protobuf.message=a.B", "value.converter.protobuf.descriptor.file"},
		"calendar": {"calendar"},
		"listener": {"listeners.https.ssl.keystore.location", "listeners.https.ssl.truststore.location"},
		"alert":    {"alert.ssl.ca.location"},
		"registry": {"value.converter.schema.registry.ssl.ca.location", "value.converter.schema.registry.ssl.truststore.location",
			"value.converter.schema.registry.ssl.certificate.location", "value.converter.schema.registry.ssl.key.location", "value.converter.schema.registry.ssl.keystore.location"},
		"clients": {"consumer.override.security.protocol=SSL", "producer.override.security.protocol=SSL", "admin.override.security.protocol=SSL",
			"consumer.override.ssl.ca.location", "consumer.override.ssl.truststore.location", "producer.override.ssl.certificate.location",
			"producer.override.ssl.key.location", "admin.override.ssl.keystore.location"},
	} {
		for path, why := range map[string]string{missing: "no such file or directory", folder: "is no file"} {
			var sets, wanted []string
			for _, s := range append([]string{"topics=t"}, settings...) {
				if !strings.Contains(s, "=") {
					wanted = append(wanted, "--set: "+s+": ", path+": "+why)
					s += "=" + path
				}
				sets = append(sets, s)
			}
			_, err := config.Load("", nil, sets)
			for _, want := range wanted {
				if name == "calendar" && path == folder {
					continue // a calendar's own words
				}
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v\nwant %q", name, err, want)
				}
			}
		}
	}
	if _, err := config.Load("", nil, []string{"topics=t", "alert.authorization=${file:" + missing + ":hook}"}); err == nil ||
		!strings.Contains(err.Error(), "alert.authorization: ${file:"+missing+":hook}: ") || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("a secret: %v", err)
	}
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	folder := t.TempDir()
	bad := filepath.Join(folder, "bad")
	if err := os.WriteFile(bad, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	authority := kafkatest.NewAuthority(t)
	_, one := authority.Issue(t, "one")
	_, two := authority.Issue(t, "two")
	for _, test := range []struct {
		settings []string
		want     string
	}{
		{[]string{"value.converter=avro", "value.converter.avro.schema.file=" + bad}, "value.converter.avro.schema.file: " + bad + ": "},
		{[]string{"value.converter=protobuf", "value.converter.protobuf.descriptor.file=" + bad, "value.converter.protobuf.message=a.B"},
			"value.converter.protobuf.descriptor.file: " + bad + ": no descriptor set"},
		{[]string{"alert.ssl.ca.location=" + bad}, bad + ": holds no certificate in PEM form"},
		{[]string{"listeners.https.ssl.keystore.location=" + authority.File}, authority.File + ": "},
		{[]string{"value.converter.schema.registry.ssl.certificate.location=" + one, "value.converter.schema.registry.ssl.key.location=" + two},
			two + " with " + one + ": "},
		{[]string{"consumer.override.security.protocol=SSL", "consumer.override.ssl.certificate.location=" + one, "consumer.override.ssl.key.location=" + two},
			two + " with " + one + ": "},
		{[]string{"consumer.override.security.protocol=SSL", "consumer.override.ssl.certificate.location=" + one, "consumer.override.ssl.key.location=" + one}, ""},
	} {
		_, err := config.Load("", nil, append(test.settings, "topics=t"))
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.settings, err, test.want)
		}
	}
}
