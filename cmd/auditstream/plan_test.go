package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// planRun runs the program as its main does, on buffers.
func planRun(stdin string, args ...string) (code int, out, err string) {
	var o, e bytes.Buffer
	code = run(context.Background(), append([]string{"plan"}, args...), strings.NewReader(stdin), &o, &e, nil)
	return code, o.String(), e.String()
}

func TestPlanOutput(t *testing.T) {
	for _, c := range []struct {
		args  string // words, two quotes being the empty one
		stdin string
		want  string
	}{
		{"partition AAPL --partitions 16 --partitioner crc32 --json", "",
			`{"key":"AAPL","key_hex":"4141504c","partitioner":"crc32","partitions":16,"partition":12}` + "\n"},
		{"partition AAPL MSFT --partitions 16 --json", "",
			`{"key":"AAPL","key_hex":"4141504c","partitioner":"murmur2","partitions":16,"partition":1}` + "\n" +
				`{"key":"MSFT","key_hex":"4d534654","partitioner":"murmur2","partitions":16,"partition":2}` + "\n"},
		{"partition '' --partitions 12 --partitioner java --json", "",
			`{"key":"","key_hex":"","partitioner":"java","partitions":12,"partition":9}` + "\n"},
		{"partition '' --partitions 12 --partitioner librdkafka --json", "",
			`{"key":"","key_hex":"","partitioner":"librdkafka","partitions":12,"partition":null,"reason":"librdkafka does not hash an empty key: sticky random"}` + "\n"},
		{"partition QXA --partitions 12 --partitioner segmentio --json", "",
			`{"key":"QXA","key_hex":"515841","partitioner":"segmentio","partitions":12,"partition":null,"reason":"segmentio ignores keys: round robin"}` + "\n"},
		{"partition 8289 --hex --partitions 3 --json", "",
			`{"key":"\ufffd\ufffd","key_hex":"8289","partitioner":"murmur2","partitions":3,"partition":2}` + "\n"},
		{"partition --keys - --normalize --partitions 12 --json", " qxa\r\nQXA",
			strings.Repeat(`{"key":"QXA","key_hex":"515841","partitioner":"murmur2","partitions":12,"partition":8}`+"\n", 2)},
		{"partition --keys - --partitions 12 --json", "QXA\n\nqxa\n",
			`{"key":"QXA","key_hex":"515841","partitioner":"murmur2","partitions":12,"partition":8}` + "\n" +
				`{"key":"","key_hex":"","partitioner":"murmur2","partitions":12,"partition":9}` + "\n" +
				`{"key":"qxa","key_hex":"717861","partitioner":"murmur2","partitions":12,"partition":0}` + "\n"},
		{"partition --keys - --hex --partitions 12 --partitioner sarama --json", "515841\r\n000000000706515841",
			`{"key":"QXA","key_hex":"515841","partitioner":"sarama","partitions":12,"partition":7}` + "\n" +
				`{"key":"\u0000\u0000\u0000\u0000\u0007\u0006QXA","key_hex":"000000000706515841","partitioner":"sarama","partitions":12,"partition":8}` + "\n"},
		{"partition QXA '' --partitions 12 --partitioner librdkafka", "",
			"KEY  PARTITION\nQXA  7\n\"\"   - (librdkafka does not hash an empty key: sticky random)\n"},
		{"divergence QXA QXB AAPL '' --clients java,librdkafka --partitions 12 --json", "",
			`{"symbol":"QXA","partitions":{"java":8,"librdkafka":7}}` + "\n" +
				`{"symbol":"QXB","partitions":{"java":10,"librdkafka":9}}` + "\n" +
				`{"symbol":"AAPL","partitions":{"java":9,"librdkafka":0}}` + "\n" +
				`{"symbol":"","partitions":{"java":9,"librdkafka":null}}` + "\n"},
		{"divergence QXA qxa --clients sarama,sarama:reference,franz-go:sarama --partitions 12 --json", "",
			`{"symbol":"qxa","partitions":{"sarama":1,"sarama:reference":7,"franz-go:sarama":3}}` + "\n"},
		{"divergence QXA --clients java,librdkafka:murmur2_random --partitions 12", "",
			"SYMBOL  java  librdkafka:murmur2_random\n0 symbols differ between java, librdkafka:murmur2_random over 12 partitions.\n"},
		{"growth QXA QXB BTC-USD --from 8 --to 12 --partitioner sarama --json", "",
			`{"symbol":"QXB","from":2,"to":6}` + "\n" + `{"symbol":"BTC-USD","from":1,"to":5}` + "\n"},
		{"growth QXA QXB BTC-USD --from 8 --to 12 --partitioner sarama", "",
			"SYMBOL   FROM  TO\nQXB      2     6\nBTC-USD  1     5\n2 of 3 symbols move to another partition when the topic grows from 8 to 12\npartitions, if producers place keys by sarama.\n" +
				"Ticks written before stay where they are until retention removes them: those of\n1 symbol on partition 1, 1 symbol on partition 2.\n" +
				"Whoever reads such a symbol's history needs both partitions, and its order\nacross the two is not kept.\n"},
		{"producer --client librdkafka --json", "",
			`{"enable.idempotence":true,"acks":"all","max.in.flight.requests.per.connection":5,"partitioner":"murmur2_random"}` + "\n"},
		{"producer --client sarama:reference --json", "",
			`{"Producer.Idempotent":true,"Producer.RequiredAcks":"WaitForAll","Net.MaxOpenRequests":1,"Producer.Partitioner":"NewReferenceHashPartitioner"}` + "\n"},
		{"producer --client librdkafka --partitioner crc32 --json", "",
			`{"enable.idempotence":true,"acks":"all","max.in.flight.requests.per.connection":5,"partitioner":"consistent_random"}` + "\n"},
		{"producer --client aiokafka", "",
			"SETTING             VALUE\nenable_idempotence  true\nacks                all\npartitioner         DefaultPartitioner()\n" +
				"Keys are placed as aiokafka does, by murmur2.\naiokafka has one batch in flight for each partition and no setting for it.\n"},
		{"topic --rate 100000 --size 168 --consumers 12 --json", "",
			`{"partitions":24,"replication.factor":3,"min.insync.replicas":2,"retention.bytes":120960581632,"retention.ms":-1,"segment.bytes":1073741824,"cleanup.policy":"delete","unclean.leader.election.enable":false,"disk.bytes":8786471288832}` + "\n"},
	} {
		args := strings.Fields(c.args)
		for i := range args {
			if args[i] == "''" {
				args[i] = ""
			}
		}
		code, out, errs := planRun(c.stdin, args...)
		if out != c.want {
			t.Errorf("plan %s (exit %d, %s)\n got %q\nwant %q", c.args, code, errs, out, c.want)
		}
		if code != exitDone {
			t.Errorf("plan %s: exit %d, %s", c.args, code, errs)
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte("515841\nxyz\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		told string
	}{
		{"partition QXA --partitions 0", exitUsage, "--partitions 0: a topic has at least 1 partition"},
		{"partition QXA --partitions -4", exitUsage, "--partitions -4"},
		{"partition QXA --partitions 3000000000", exitUsage, "--partitions"},
		{"partition QXA", exitUsage, "--partitions is missing"},
		{"partition --partitions 3", exitUsage, "no keys"},
		{"partition --keys - --partitions 12", exitUsage, "--keys -: the file is empty"},
		{"divergence QXA --clients java,librdkafka:random --partitions 3", exitUsage, `the choices of librdkafka are consistent_random, `},
		{"partition QXA --partitions 3 --partitioner murmur3", exitUsage, `the nearest name is "murmur2"`},
		{"partition QXZ --hex --partitions 3", exitUsage, `"QXZ": not hexadecimal`},
		{"partition --keys " + file + " --hex --partitions 3", exitUsage, "line 2: not hexadecimal"},
		{"partition --keys " + file + ".absent --partitions 3", exitUsage, "no such file"},
		{"divergence QXA --clients java --partitions 3", exitUsage, "--clients needs two names"},
		{"divergence QXA --clients java,java --partitions 3", exitUsage, "names java twice"},
		{"divergence QXA --clients java,jave --partitions 3", exitUsage, `the nearest name is "java"`},
		{"divergence QXA --clients java,sarama --partitions 0", exitUsage, "--partitions 0"},
		{"growth QXA --from 8 --to 4", exitUsage, "a topic cannot shrink"},
		{"growth QXA --from 0 --to 4", exitUsage, "--from 0"},
		{"growth QXA --from 8", exitUsage, "--to is missing"},
		{"producer", exitUsage, "--client is missing"},
		{"producer --client murmur2", exitUsage, "name a client"},
		{"producer --client jav", exitUsage, `the nearest name is "java"`},
		{"producer --client java --partitioner segmentio", exitUsage, "ignores keys"},
		{"producer --client segmentio", exitFailed, "no idempotent producer"},
		{"producer --client goka --partitioner java", exitFailed, "no partitioner that follows murmur2"},
		{"topic --rate 0 --size 168", exitUsage, "rate 0"},
		{"nonsense", exitUsage, "nonsense"},
	} {
		code, out, errs := planRun("", strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(errs, c.told) || out != "" {
			t.Errorf("plan %s: exit %d, stdout %q, stderr %q; want exit %d and %q", c.args, code, out, errs, c.code, c.told)
		}
	}
}

// A machine that asked for JSON gets the reason as JSON too.
func TestPlanProducerRefusalInJSON(t *testing.T) {
	code, out, _ := planRun("", "producer", "--client", "goka", "--partitioner", "murmur2", "--json")
	want := `{"client":"goka","refused":"it has no partitioner that follows murmur2, only goka (fnv1a-abs)"}` + "\n"
	if code != exitFailed || out != want {
		t.Errorf("exit %d, %q, want %q", code, out, want)
	}
}

func TestPlanTellsCarriageReturns(t *testing.T) {
	code, out, errs := planRun("QXA\r\nQXB\n", "partition", "--keys", "-", "--partitions", "12", "--json")
	if code != exitDone || !strings.Contains(out, `"key_hex":"5158410d"`) || !strings.Contains(errs, ": 1 line ends in a carriage return") {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
}

func TestPlanListsPartitioners(t *testing.T) {
	_, table, _ := planRun("", "partition", "--list")
	_, lines, _ := planRun("", "partition", "--list", "--json")
	libraries := strings.Count(table, ":\n")
	if n := strings.Count(table, "\n") - libraries; n != 41 || strings.Count(lines, "\n") != 40 || libraries < 9 {
		t.Errorf("%d lines in the table, %d libraries and %d of JSON, want a heading and 40 names", n, libraries, strings.Count(lines, "\n"))
	}
	want := `{"name":"librdkafka:consistent","hash":"crc32","client":"librdkafka","library":"librdkafka (confluent-kafka 2.16.1)","null_key":"partition 0","empty_key":"partition 0"}` + "\n"
	if !strings.Contains(lines, want) {
		t.Errorf("%q is not in %s", want, lines)
	}
}
