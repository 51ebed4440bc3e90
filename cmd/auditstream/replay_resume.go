package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/replay"
)

// of describes what is replayed and how it is judged, for a resume file: what
// may not differ between the run that wrote it and the one that goes on.
func (f *replayFlags) of(c *config.Config, o *replay.Options) (map[string]string, error) {
	consumed, err := json.Marshal(o.Consumed)
	if err != nil {
		return nil, err
	}
	of := map[string]string{
		"--from": f.from, "--to": f.to, "--now": f.now, "--consumed": string(consumed), "--out": f.out, "--html": f.html,
		"--publish": fmt.Sprint(f.publish), "--only-partitions": fmt.Sprint(f.onlyPartitions),
		"--only-symbols": strings.Join(f.onlySymbols, ","), "topics": strings.Join(c.Topics, ","),
		"bootstrap.servers": strings.Join(c.BootstrapServers, ","), "audit.topic": c.AuditTopic,
		"value.converter": c.ValueConverter, "errors.tolerance": c.ErrorsTolerance,
	}
	fields, err := c.Fields()
	if err != nil {
		return nil, err
	}
	of["fields"] = fmt.Sprintf("%+v", fields)
	limits := o.Limits
	limits.TimestampType = ""
	of["limits"] = fmt.Sprintf("%+v", limits)
	return of, nil
}

// earlier is what a run before has left in the resume file, nil: nothing that
// could be used.
func (f *replayFlags) earlier(of map[string]string, note func(string, ...any)) (*replay.State, *outputState, error) {
	if err := canWrite("--resume", f.resume); err != nil {
		return nil, nil, err
	}
	state, err := replay.LoadState(f.resume, of)
	var damaged *replay.Damaged
	switch {
	case errors.As(err, &damaged):
		note("%v; the replay begins anew and writes another", err)
		return nil, nil, nil
	case err != nil:
		return nil, nil, withTry(asUsage(err), "the same flags as before, or another --resume file")
	case state == nil:
		return nil, nil, nil
	case state.Ended:
		note("resume file %s: that replay came to its end; it begins anew", f.resume)
		return nil, nil, nil
	}
	out := new(outputState)
	if err := json.Unmarshal(state.Output, out); err != nil {
		note("resume file %s: %v; the replay begins anew", f.resume, err)
		return nil, nil, nil
	}
	if f.out != "-" {
		if info, err := os.Stat(f.out); err != nil || info.Size() < out.Bytes {
			note("%s does not hold the reports of the run before; the replay begins anew", f.out)
			return nil, nil, nil
		}
	}
	note("resume file %s: the replay goes on where it was", f.resume)
	return state, out, nil
}
