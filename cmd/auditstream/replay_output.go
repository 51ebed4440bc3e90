package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/htmlreport"
)

// replayOutput is where the reports of a replay go.
type replayOutput struct {
	fails *failOn
	out   *bufio.Writer
	file  *os.File // nil: stdout, which is not ours to close
	html  string   // file of the page, "": none
	audit *publisher
	state outputState
}

// outputState is how far the output is. A resume file holds it.
type outputState struct {
	Bytes   int64            `json:"bytes"` // of reports written
	Failing int64            `json:"failing"`
	Page    *htmlreport.Page `json:"page"`
}

// reportsTo opens where reports go: at their beginning, or where an earlier
// run has come to. The input is never written over.
func (a *app) reportsTo(f *replayFlags, fails *failOn, earlier *outputState) (*replayOutput, error) {
	o := &replayOutput{fails: fails, html: f.html}
	if earlier != nil {
		o.state = *earlier
		fails.seen.Store(earlier.Failing)
	}
	if o.state.Page == nil {
		o.state.Page = &htmlreport.Page{}
	}
	for _, path := range []string{f.out, f.html} {
		if err := notTheInput(f.input, path); err != nil {
			return nil, err
		}
	}
	if f.html != "" {
		if err := canWrite("--html", f.html); err != nil {
			return nil, err
		}
	}
	if f.out == "-" {
		o.out = bufio.NewWriter(a.out)
		return o, nil
	}
	open := os.Create
	if earlier != nil {
		open = func(path string) (*os.File, error) { return openAt(path, earlier.Bytes) }
	}
	file, err := open(f.out)
	if err != nil {
		return nil, asInput(fmt.Errorf("--out: %w", err))
	}
	o.out, o.file = bufio.NewWriter(file), file
	return o, nil
}

// canWrite tries a file that is written in the end only: what it could not be
// is to be known before hours of history are read.
func canWrite(flag, path string) error {
	_, err := os.Stat(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err == nil {
		err = file.Close()
	}
	if err == nil && fresh {
		err = os.Remove(path)
	}
	if err != nil {
		return asInput(fmt.Errorf("%s: %w", flag, err))
	}
	return nil
}

// openAt opens a file and cuts it off behind what an earlier run knows to have
// written.
func openAt(path string, size int64) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	err = file.Truncate(size)
	if err == nil {
		_, err = file.Seek(size, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func notTheInput(input, path string) error {
	if input == "" || path == "" {
		return nil
	}
	in, err := os.Stat(input)
	if err != nil {
		return nil
	}
	if old, err := os.Stat(path); err == nil && os.SameFile(in, old) {
		return usagef("--out %s is the input itself", path)
	}
	return nil
}

// report hands on one report.
func (o *replayOutput) report(r *engine.Report) error {
	o.fails.report(r)
	line, err := codecs.EncodeReport(r)
	if err != nil {
		return err
	}
	if o.html != "" {
		o.state.Page.Add(r)
	}
	if o.audit != nil {
		if err := o.audit.add(r, line); err != nil {
			return err
		}
	}
	n, err := o.out.Write(append(line, '\n'))
	o.state.Bytes += int64(n)
	return err
}

// checkpoint makes durable what was reported and says how far that is.
func (o *replayOutput) checkpoint() (json.RawMessage, error) {
	err := o.out.Flush()
	if o.file != nil {
		err = errors.Join(err, o.file.Sync())
	}
	if o.audit != nil {
		err = errors.Join(err, o.audit.flush())
	}
	if err != nil {
		return nil, err
	}
	o.state.Failing = o.fails.seen.Load()
	return json.Marshal(o.state)
}

// close ends the output; the page is written when the replay is whole.
func (o *replayOutput) close(whole bool) error {
	err := o.out.Flush()
	if o.audit != nil {
		err = errors.Join(err, o.audit.close())
	}
	if o.file != nil {
		err = errors.Join(err, o.file.Close())
	}
	if o.html == "" || !whole {
		return err
	}
	file, failed := os.Create(o.html)
	if failed != nil {
		return errors.Join(err, fmt.Errorf("--html: %w", failed))
	}
	return errors.Join(err, o.state.Page.Write(file), file.Close())
}
