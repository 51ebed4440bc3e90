package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/engine"
)

// planKeys are the flags by which a plan is given its keys or symbols.
type planKeys struct {
	file      string
	hex       bool
	normalize bool
}

func (k *planKeys) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&k.file, "keys", "", "read keys from `FILE` (- is stdin), one a line, byte for byte")
	flags.BoolVar(&k.hex, "hex", false, "keys are given in hexadecimal")
	flags.BoolVar(&k.normalize, "normalize", false, "strip white space from both ends and spell in upper case first")
}

// read returns the keys of the arguments and then those of the file. A line
// ends at its line feed alone; an empty line is the empty key.
func (k *planKeys) read(a *app, args []string) ([][]byte, error) {
	if len(args) == 0 && k.file == "" {
		return nil, usagef("no keys: name some, or give a file with --keys")
	}
	var keys [][]byte
	for _, arg := range args {
		key, err := k.key([]byte(arg))
		if err != nil {
			return nil, usagef("%q: %w", arg, err)
		}
		keys = append(keys, key)
	}
	if k.file == "" {
		return keys, nil
	}
	content, err := k.content(a.in)
	if err != nil {
		return nil, usagef("--keys: %w", err)
	}
	returns := 0
	for i, line := range lines(content) {
		if bytes.HasSuffix(line, []byte("\r")) {
			returns++
		}
		key, err := k.key(line)
		if err != nil {
			return nil, usagef("%s, line %d: %w", k.file, i+1, err)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, usagef("--keys %s: the file is empty; a line for each key, and an empty line for the empty key", k.file)
	}
	if returns > 0 && !k.hex && !k.normalize {
		fmt.Fprintf(a.err, "%s: %s in a carriage return, which is part of the key; --normalize strips it\n", k.file, countedAs(returns, "line ends", "lines end"))
	}
	return keys, nil
}

func (k *planKeys) content(stdin io.Reader) ([]byte, error) {
	if k.file == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(k.file)
}

func (k *planKeys) key(text []byte) ([]byte, error) {
	key := text
	if k.hex {
		key = make([]byte, hex.DecodedLen(len(text)))
		n, err := hex.Decode(key, bytes.TrimSuffix(text, []byte("\r")))
		if err != nil {
			return nil, fmt.Errorf("not hexadecimal: %w", err)
		}
		key = key[:n]
	}
	if k.normalize {
		key = engine.NormalizeKey(key)
	}
	return key, nil
}

// lines cuts content at line feeds; the last line needs none.
func lines(content []byte) [][]byte {
	if len(content) == 0 {
		return nil
	}
	return bytes.Split(bytes.TrimSuffix(content, []byte("\n")), []byte("\n"))
}
