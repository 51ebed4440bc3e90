package main

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// healthcheckCommand is what an image's HEALTHCHECK runs: the image has
// nothing but the program.
func (a *app) healthcheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "healthcheck [URL]",
		Short: "Ask a running audit on this machine whether it is ready",
		Long: "healthcheck asks for the URL, http://127.0.0.1:8083/readyz if none is given, and\n" +
			"ends with exit code 0 when the answer is 200, with 1 and the reasons otherwise.\n" +
			"It is made for containers. A certificate is not verified: nothing is told but\n" +
			"the request.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			url := "http://127.0.0.1:8083/readyz"
			if len(args) == 1 {
				url = args[0]
			}
			request, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, url, http.NoBody)
			if err != nil || !strings.HasPrefix(url, "http") {
				return usagef("%q is no http:// or https:// address", url)
			}
			client := http.Client{Timeout: 4 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{
				MinVersion: tls.VersionTLS12, InsecureSkipVerify: true, // an address of this machine, by another name
			}}}
			response, err := client.Do(request)
			if err != nil {
				return withTry(err, "see whether the audit runs, and rest.listeners")
			}
			defer response.Body.Close()
			body, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
			if err == nil && response.StatusCode != http.StatusOK {
				err = fmt.Errorf("%s: %s", response.Status, strings.TrimSpace(string(body)))
				if strings.Contains(string(body), "stopped as asked") {
					err = withTry(err, fmt.Sprintf("curl -X PUT %s://%s/connectors/NAME/resume, NAME being the key name: it was stopped over REST", request.URL.Scheme, request.URL.Host))
				}
			}
			var said struct{ Note string }
			if err == nil && json.Unmarshal(body, &said) == nil && said.Note != "" {
				fmt.Fprintln(cmd.ErrOrStderr(), "note: "+said.Note)
			}
			return err
		},
	}
}
