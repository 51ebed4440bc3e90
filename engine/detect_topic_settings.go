package engine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Under this replication one broker may fail without loss and without a stop,
// with acks=all.
const (
	wantedReplicas = 3
	wantedISR      = 2
)

// KeepHistory is what must stay readable of a tick topic where nothing else is
// said.
const KeepHistory = 24 * time.Hour

// TopicSettings are the settings of a tick topic as the brokers tell them.
type TopicSettings struct {
	Topic     string
	Bootstrap string            // brokers for the commands that are advised
	Brokers   int               // in the cluster, 0: not known
	Replicas  int               // of each partition
	Values    map[string]string // by Kafka's names; nil: they may not be read
	Keep      time.Duration     // history that must stay readable
}

// SettingAdvice is one setting held against what ticks need.
type SettingAdvice struct {
	Name     string // as Kafka has it, or replication
	Observed string
	Expected string
	Action   string // what to do, "": nothing
	AtOdds   bool   // it is not as ticks need it
	Unknown  bool   // it was not told
	Unlikely bool   // at odds, and the cluster allows nothing better
}

// Advise holds a tick topic's settings against what ticks need, replication
// first. Without values it says nothing about them.
func (s *TopicSettings) Advise() []SettingAdvice {
	all := []SettingAdvice{s.replication()}
	if s.Values == nil {
		return all
	}
	return append(all, s.minISR(), s.uncleanElection(), s.cleanup(), s.retention(), s.timestampType())
}

func (s *TopicSettings) replication() SettingAdvice {
	a := SettingAdvice{Name: "replication", Observed: strconv.Itoa(s.Replicas), Expected: strconv.Itoa(wantedReplicas) + " or more"}
	if s.Replicas < wantedReplicas {
		a.AtOdds = true
		a.Action = fmt.Sprintf("kafka-reassign-partitions.sh with %d replicas for every partition", wantedReplicas)
		if s.Brokers < wantedReplicas {
			a.Unlikely = s.Replicas >= s.Brokers
			a.Action = fmt.Sprintf("a cluster of %d brokers or more; this one has %d, and what it loses is lost", wantedReplicas, s.Brokers)
		}
	}
	return a
}

// of begins the advice on a setting.
func (s *TopicSettings) of(name, expected string) SettingAdvice {
	return SettingAdvice{Name: name, Observed: s.Values[name], Expected: expected}
}

func (s *TopicSettings) minISR() SettingAdvice {
	a := s.of("min.insync.replicas", strconv.Itoa(wantedISR)+", below the replication")
	n, err := strconv.Atoi(a.Observed)
	// With fewer replicas than wanted this setting would stop every producer
	// that asks for acks=all, at once or when one broker fails.
	raise := s.alter("min.insync.replicas=2") + ", so that acks=all means two brokers"
	if s.Replicas < wantedReplicas {
		raise = fmt.Sprintf("replication first: %d replicas or more, then min.insync.replicas=%d", wantedReplicas, wantedISR)
	}
	switch {
	case err != nil:
		a.Unknown, a.Observed, a.Action = true, "not told", raise
	case n < wantedISR:
		a.AtOdds, a.Unlikely, a.Action = true, s.Replicas <= wantedISR, raise
	case n >= s.Replicas:
		a.AtOdds, a.Observed = true, fmt.Sprintf("%d of %s", n, plural(int64(s.Replicas), "replica"))
		a.Action = "more replicas: as it is, one broker that fails stops the producers"
	}
	return a
}

func (s *TopicSettings) uncleanElection() SettingAdvice {
	a := s.of("unclean.leader.election.enable", "false")
	switch a.Observed {
	case "":
		a.Unknown, a.Observed, a.Action = true, "not told", s.alter("unclean.leader.election.enable=false")
	case "true":
		a.AtOdds = true
		a.Action = s.alter("unclean.leader.election.enable=false") + ": an election may cut off ticks that consumers have read"
	}
	return a
}

func (s *TopicSettings) cleanup() SettingAdvice {
	a := s.of("cleanup.policy", "delete")
	if strings.Contains(a.Observed, "compact") {
		a.AtOdds = true
		a.Action = s.alter("cleanup.policy=delete") + ": compaction keeps the last tick of a symbol alone"
	}
	return a
}

func (s *TopicSettings) retention() SettingAdvice {
	a := s.of("retention.ms", fmt.Sprintf("-1, or %d (%s) or more", s.Keep.Milliseconds(), s.Keep))
	ms, err := strconv.ParseInt(a.Observed, 10, 64)
	switch {
	case err != nil:
		a.Unknown, a.Observed, a.Action = true, "not told", "see kafka-configs.sh --describe --topic "+s.Topic
	case ms >= 0 && ms < s.Keep.Milliseconds():
		a.AtOdds = true
		a.Observed += fmt.Sprintf(" (%s)", time.Duration(ms)*time.Millisecond)
		a.Action = s.alter(fmt.Sprintf("retention.ms=%d", s.Keep.Milliseconds()))
	}
	return a
}

// timestampType tells whose clock record times are. Either will do, unless
// brokers take times that are far off.
func (s *TopicSettings) timestampType() SettingAdvice {
	a := s.of("message.timestamp.type", "CreateTime or LogAppendTime")
	switch a.Observed {
	case "CreateTime":
		a.Observed += ": record times are the producers'"
	case "LogAppendTime":
		a.Observed += ": record times are the brokers'"
	default:
		a.Unknown, a.Observed, a.Action = true, "not told", "see kafka-configs.sh --describe --topic "+s.Topic
	}
	return a
}

func (s *TopicSettings) alter(setting string) string {
	return fmt.Sprintf("kafka-configs.sh --bootstrap-server %s --alter --topic %s --add-config %s", s.Bootstrap, s.Topic, setting)
}

const settingsSubject = "settings"

// ObserveSettings holds the topic's settings at time now against what ticks
// need. What the cluster allows no better is not told: check does that.
func (t *Topic) ObserveSettings(s *TopicSettings, now int64) {
	var odd []SettingAdvice
	for _, a := range s.Advise() {
		if a.AtOdds && !a.Unlikely {
			odd = append(odd, a)
		}
	}
	f := t.find(settingsSubject)
	if len(odd) == 0 {
		t.close(settingsSubject)
		return
	}
	found, texts := map[string]string{}, []string{}
	advice := map[string]string{}
	for _, a := range odd {
		found[a.Name], advice[a.Name] = a.Observed, a.Action
		texts = append(texts, fmt.Sprintf("%s is %s, not %s", a.Name, a.Observed, a.Expected))
	}
	opened := f == nil
	if opened {
		f = t.newFinding(TopicSettingsOdd, settingsSubject, -1)
		f.FirstTime, f.Unit = Time(now), "settings"
	}
	same := !opened && maps.Equal(stringsOf(f.Evidence["found"]), found)
	f.LastTime, f.Observed = Time(now), float64(len(odd))
	f.Count = max(f.Count, int64(len(odd)))
	f.Evidence["found"], f.Evidence["advice"] = found, advice
	f.Cause = fmt.Sprintf("settings of topic %s are at odds with ticks: %s", t.name, strings.Join(texts, "; "))
	f.Action = strings.Join(slices.Sorted(maps.Values(advice)), "; ")
	switch {
	case opened:
		t.openFinding(settingsSubject, f)
	case !same:
		t.update(settingsSubject)
	}
}

// stringsOf reads a map of texts in evidence, which comes back from a row as a
// map of anything.
func stringsOf(v any) map[string]string {
	switch m := v.(type) {
	case map[string]string:
		return m
	case map[string]any:
		out := make(map[string]string, len(m))
		for k, one := range m {
			out[k] = fmt.Sprint(one)
		}
		return out
	}
	return nil
}
