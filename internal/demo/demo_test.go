package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
)

// The audit itself is played by a script here: what the demo makes of it is
// under test. cmd/auditstream plays the demo with the real one.

// scripted is an audit that writes reports and then waits for its end.
func scripted(reports ...*engine.Report) func(context.Context, []string, func(name, value string)) error {
	return func(ctx context.Context, settings []string, _ func(name, value string)) error {
		broker := ""
		for _, s := range settings {
			if value, ok := strings.CutPrefix(s, "bootstrap.servers="); ok {
				broker = value
			}
		}
		client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.DefaultProduceTopic(auditTopic))
		if err != nil {
			return err
		}
		defer client.Close()
		if _, err := kadm.NewClient(client).CreateTopic(ctx, 1, 1, nil, auditTopic); err != nil {
			return err
		}
		for _, r := range reports {
			value, err := json.Marshal(r)
			if err != nil {
				return err
			}
			if err := client.ProduceSync(ctx, &kgo.Record{Value: value}).FirstErr(); err != nil {
				return err
			}
		}
		<-ctx.Done()
		return nil
	}
}

func reportOf(trigger engine.Trigger, findings ...engine.Finding) *engine.Report {
	return &engine.Report{
		Trigger: trigger, Topic: Topic, Findings: findings, Status: engine.StatusHealthy,
		WindowStart: engine.NoTime, WindowEnd: engine.NoTime,
	}
}

func opened(code engine.Code, severity engine.Severity, symbol string, partition int32) engine.Finding {
	return engine.Finding{
		ID: code.String() + symbol, Code: code, Severity: severity, Symbol: symbol, Partition: &partition,
		FirstTime: engine.NoTime, LastTime: engine.NoTime, Evidence: map[string]any{},
	}
}

// short is a schedule of one fault, over as soon as it may be.
func short() Schedule {
	return Schedule{Length: 300 * time.Millisecond, Faults: []*Fault{skewedClock().window(0, 100*time.Millisecond)}}
}

func playScript(t *testing.T, reports ...*engine.Report) (*Summary, string, error) {
	t.Helper()
	var out bytes.Buffer
	summary, err := Run(t.Context(), Options{Seed: 1, Schedule: short(), Audit: scripted(reports...), Out: &out})
	return summary, out.String(), err
}

func TestAFaultThatIsNotFoundFailsTheDemo(t *testing.T) {
	summary, out, err := playScript(t, reportOf(engine.TriggerInterval))
	if err != nil {
		t.Fatal(err)
	}
	if err := summary.Err(); err == nil || err.Error() != "not found: CLOCK_SKEW of MSFT" {
		t.Errorf("the demo ends with %v\n%s", err, out)
	}
}

func TestAFindingWithoutAFaultFailsTheDemo(t *testing.T) {
	summary, out, err := playScript(t, reportOf(engine.TriggerInterval), reportOf(engine.TriggerFinding,
		opened(engine.KeyMissing, engine.Warning, "", 2)), reportOf(engine.TriggerFinding, opened(engine.Redelivered, engine.Info, "", 2)))
	if err != nil {
		t.Fatal(err)
	}
	if err := summary.Err(); err == nil || !strings.Contains(err.Error(), "found without a fault: KEY_MISSING of partition 2") ||
		strings.Contains(err.Error(), "REDELIVERED") {
		t.Errorf("the demo ends with %v\n%s", err, out)
	}
}

func TestAnAuditThatFailsFailsTheDemo(t *testing.T) {
	_, err := Run(t.Context(), Options{Seed: 1, Schedule: short(), Out: new(bytes.Buffer),
		Audit: func(context.Context, []string, func(name, value string)) error { return context.DeadlineExceeded }})
	if err == nil || !strings.Contains(err.Error(), "audit: context deadline exceeded") {
		t.Errorf("the demo ends with %v", err)
	}
	_, err = Run(t.Context(), Options{Seed: 1, Schedule: short(), Out: new(bytes.Buffer),
		Audit: func(context.Context, []string, func(name, value string)) error { return nil }})
	if err == nil || !strings.Contains(err.Error(), "the audit ended by itself") {
		t.Errorf("the demo ends with %v", err)
	}
}

func TestAPortThatIsTakenIsNamed(t *testing.T) {
	first, err := startBroker(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	_, port, _ := strings.Cut(first.ListenAddrs()[0], ":")
	taken := 0
	for _, digit := range port {
		taken = 10*taken + int(digit-'0')
	}
	if second, err := startBroker(t.Context(), taken); err == nil {
		second.Close()
		t.Error("two brokers on one port")
	} else if !strings.Contains(err.Error(), "127.0.0.1:"+port) {
		t.Errorf("the port is not named: %v", err)
	}
}

func TestLedgerWantsTheRightSymbolAndPartition(t *testing.T) {
	skew := skewedClock()
	opened := func(code engine.Code, severity engine.Severity, symbol string, partition int32) engine.Finding {
		f := opened(code, severity, symbol, partition)
		f.Evidence["attributed_to"] = "symbol " + symbol
		return f
	}
	for _, c := range []struct {
		why      string
		found    engine.Finding
		injected bool
		want     bool
	}{
		{"as injected", opened(engine.ClockSkew, engine.Warning, symbolSkewed, home(symbolSkewed)), true, true},
		{"before it was injected", opened(engine.ClockSkew, engine.Warning, symbolSkewed, home(symbolSkewed)), false, false},
		{"another symbol", opened(engine.ClockSkew, engine.Warning, "IBM", home(symbolSkewed)), true, false},
		{"another partition", opened(engine.ClockSkew, engine.Warning, symbolSkewed, home(symbolSkewed)+1), true, false},
		{"another code", opened(engine.StaleTick, engine.Warning, symbolSkewed, home(symbolSkewed)), true, false},
	} {
		l := newLedger([]*Fault{skew})
		if c.injected {
			l.injected(skew, time.Unix(1, 0))
		}
		l.found(&c.found, time.Unix(2, 0))
		if l.settled() != c.want || (len(l.others) == 0) != c.want {
			t.Errorf("%s: settled %t, others %v", c.why, l.settled(), l.others)
		}
	}
}

func TestAnUnreadableValueNamesItsSymbolByItsFirstBytes(t *testing.T) {
	f := opened(engine.UnreadableValue, engine.Warning, "", home(symbolGarbage))
	e := garbage().Expect[0]
	f.Evidence["first_bytes"] = `{"symbol":"` + symbolGarbage + `","timest`
	if !e.met(&f) {
		t.Errorf("%s is not seen in %v", symbolGarbage, f.Evidence)
	}
	f.Evidence["first_bytes"] = `\x00\x00\x00\x00\x01\x08` + symbolGarbage + `\xf1`
	if !e.met(&f) {
		t.Errorf("%s is not seen in %v", symbolGarbage, f.Evidence)
	}
	f.Evidence["first_bytes"] = `{"symbol":"X` + symbolGarbage + `","timest`
	if e.met(&f) {
		t.Errorf("%s is seen in %v", symbolGarbage, f.Evidence)
	}
}

// What a finding is attributed to may be known later than the finding.
func TestAFindingMustBeAttributedAsInjected(t *testing.T) {
	fault := venueClock(&jsonFormat)
	l := newLedger([]*Fault{fault})
	l.injected(fault, time.Unix(1, 0))
	f := opened(engine.ClockSkew, engine.Warning, "KO", home("KO"))
	f.Evidence["attributed_to"] = "symbol KO"
	l.found(&f, time.Unix(2, 0))
	if l.settled() || len(l.others) > 0 {
		t.Errorf("settled by %v, others %v", f.Evidence, l.others)
	}
	s := Summary{Outcomes: l.outcomes}
	if err := s.Err(); err == nil || err.Error() != "not found: CLOCK_SKEW as of venue XNYS" {
		t.Errorf("the demo ends with %v", err)
	}
	f.Partition, f.Evidence = nil, map[string]any{"attributed_to": "venue XNYS", "partitions": []any{float64(home("KO")), float64(home("V"))}}
	l.mentioned(&f)
	if !l.settled() || s.Err() != nil {
		t.Errorf("not settled by %v: %v", f.Evidence, s.Err())
	}
	if !fault.Expect[0].met(&f) {
		t.Errorf("a finding of several partitions is not seen: %v", f.Evidence)
	}
}
