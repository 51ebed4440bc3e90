package check

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"github.com/auditstream/auditstream/internal/config"
)

func checkedSchemas(t *testing.T, settings ...string) []Check {
	t.Helper()
	c, err := config.Load("", nil, append([]string{"topics=ticks,quotes"}, settings...))
	if err != nil {
		t.Fatal(err)
	}
	return schemas(t.Context(), c)
}

func TestSchemasOfTheTopics(t *testing.T) {
	r := srfake.New(srfake.WithGlobalCompat(sr.CompatFull))
	defer r.Close()
	client, err := sr.NewClient(sr.URLs(r.URL()))
	if err != nil {
		t.Fatal(err)
	}
	schema := sr.Schema{Type: sr.TypeAvro, Schema: `{"type":"record","name":"T","fields":[{"name":"symbol","type":"string"}]}`}
	if _, err := client.CreateSchema(t.Context(), "ticks-value", schema); err != nil {
		t.Fatal(err)
	}
	all := checkedSchemas(t, "value.converter.schema.registry.url="+r.URL())
	if len(all) != 3 || all[0].Status != OK || all[1].Status != OK || all[2].Status != Warn {
		t.Fatalf("%+v", all)
	}
	if got := all[1].Observed; got != "AVRO, version 1, id 1, compatibility FULL" {
		t.Errorf("ticks: %s", got)
	}
	if got := all[2].Observed; got != "no schema, compatibility FULL" || all[2].Action == "" {
		t.Errorf("quotes: %+v", all[2])
	}
	if set := client.SetCompatibility(t.Context(), sr.SetCompatibility{Level: sr.CompatNone}, "ticks-value")[0]; set.Err != nil {
		t.Fatal(set.Err)
	}
	if all = checkedSchemas(t, "value.converter.schema.registry.url="+r.URL()); all[1].Status != Warn || !strings.HasSuffix(all[1].Observed, "NONE") {
		t.Errorf("without compatibility: %+v", all[1])
	}
}

func TestSchemasOfARegistryThatDoesNotAnswer(t *testing.T) {
	r := srfake.New(srfake.WithAuth("Basic dXNlcjpwYXNz"))
	if all := checkedSchemas(t, "value.converter.schema.registry.url="+r.URL()); len(all) != 1 || all[0].Status != Fail || !strings.Contains(all[0].Observed, "401") {
		t.Errorf("refused: %+v", all)
	}
	url := r.URL()
	r.Close()
	if all := checkedSchemas(t, "value.converter.schema.registry.url="+url); len(all) != 1 || all[0].Status != Fail || all[0].Action == "" {
		t.Errorf("away: %+v", all)
	}
	if all := checkedSchemas(t); len(all) != 0 {
		t.Errorf("no registry: %+v", all)
	}
}
