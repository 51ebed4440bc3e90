package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// replayOutput is where the reports of a replay go.
type replayOutput struct {
	fails *failOn
	out   *bufio.Writer
	file  io.Closer // nil: stdout, which is not ours to close
}

// reportsTo opens where reports go. The input is never written over.
func (a *app) reportsTo(f *replayFlags, fails *failOn) (*replayOutput, error) {
	o := &replayOutput{fails: fails}
	if f.out == "-" {
		o.out = bufio.NewWriter(a.out)
		return o, nil
	}
	if input, err := os.Stat(f.input); err == nil {
		if old, err := os.Stat(f.out); err == nil && os.SameFile(input, old) {
			return nil, usagef("--out %s is the input itself", f.out)
		}
	}
	file, err := os.Create(f.out)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	o.out, o.file = bufio.NewWriter(file), file
	return o, nil
}

// report writes one report as a line.
func (o *replayOutput) report(r *engine.Report) error {
	o.fails.report(r)
	line, err := codecs.EncodeReport(r)
	if err != nil {
		return err
	}
	_, err = o.out.Write(append(line, '\n'))
	return err
}

func (o *replayOutput) close() error {
	err := o.out.Flush()
	if o.file != nil {
		err = errors.Join(err, o.file.Close())
	}
	return err
}
