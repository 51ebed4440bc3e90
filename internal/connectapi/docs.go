package connectapi

import (
	"fmt"
	"strings"
)

// Page is docs/rest.md; own is its part about the API of the page, which is
// answered beside Connect's.
func Page(own string) string {
	var b strings.Builder
	b.WriteString(head)
	for _, r := range routes {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", r.method, strings.NewReplacer("{connector}", "{name}").Replace(r.path), r.codes, r.meaning)
	}
	b.WriteString(tail)
	b.WriteString(own)
	b.WriteString(clientsHead)
	for _, c := range clients {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.name, c.asks, c.tried)
	}
	return b.String()
}

const head = "# Kafka Connect's REST API\n\n" +
	"On `rest.listeners` (default http://127.0.0.1:8083) a running audit answers as a Kafka Connect worker with one sink\n" +
	"connector, so that tools for Connect show and drive it: its name is the key `name`, its one task `0` is the process\n" +
	"that answers. `version` of `GET /` is that of the Connect whose API this is, " + Version + "; the audit's own is the\n" +
	"connector's and the plug-in's. Errors are `{\"error_code\",\"message\"}`; a path may end in `/`; `HEAD` and `OPTIONS` work.\n\n" +
	"Beside it, on the same address: the page, for browsers at `/`, and its API; `/metrics` ([metrics.md](metrics.md)), `/healthz`, `/readyz`.\n\n" +
	"## Routes\n\n| method | path | codes | answer |\n|---|---|---|---|\n"

const tail = "\nAn unknown connector, task or path is 404.\n\n" +
	"## What pause, stop and restart do\n\n" +
	"They act on the instance that answers, take effect at once or within seconds, lose nothing, and hold until they are\n" +
	"undone or the process ends: a process that starts runs. Both pause and stop hold the offsets.\n\n" +
	"- `pause`: no tick is judged any more. Partitions are kept, what was judged is made durable, the lag goes on growing. Neither\n" +
	"  `STALE_TICK` nor `AUDITOR_BEHIND` is told for what was not to be read, then or after `resume`: that is history by then. Watched\n" +
	"  groups are still watched; reports of whole topics wait for the windows of their partitions until `resume`.\n" +
	"  `/readyz` stays 200 and says `PAUSED` ([metrics.md](metrics.md) says why); `auditstream_paused` is 1, and the page says so.\n" +
	"- `stop`: a last checkpoint, then both groups are left: other instances take the partitions over. There is no task,\n" +
	"  and `/readyz` answers 503. In Kubernetes a service needs `publishNotReadyAddresses` to reach such a pod by name.\n" +
	"- `resume`: goes on at the next offset, after a stop by joining the groups again.\n" +
	"- `restart`: as a stop and a resume; what is paused stays paused, what is stopped stays stopped.\n\n" +
	"Each is logged with who has asked, as far as it is known: the name by basic authentication, the subject of a certificate, the\n" +
	"address, and the program by its own account. The line `audit` of every 10 s says `state`, and `since` and `by` when it is held.\n\n" +
	"## Who may ask\n\n" +
	"Whoever reaches the address may pause the audit and see its symbols. So an address beyond loopback is refused (exit code 2)\n" +
	"unless one of these is set:\n\n" +
	"- `rest.basic.auth.username` and `rest.basic.auth.password`, the password by reference: `${file:/path:key}` or `${env:NAME}`.\n" +
	"  All but `/healthz` and `/readyz` then need them.\n" +
	"- an `https://` address and `listeners.https.ssl.keystore.location`, a PEM file of certificate chain and key, which is read\n" +
	"  again when it changes; with `listeners.https.ssl.client.auth=required` only clients with a certificate of\n" +
	"  `listeners.https.ssl.truststore.location` are answered.\n" +
	"- `rest.unprotected=true`, where the network sees to it.\n\n" +
	"A browser's requests for a page of another site change nothing (403). Secrets are shown as the reference by which they were\n" +
	"given, never resolved; one that is written out is `[hidden]`.\n\n"

const clientsHead = "## Clients\n\n| client | asks for | tried |\n|---|---|---|\n"

// clients are those that are known to show and drive connectors.
var clients = []struct{ name, asks, tried string }{
	{"kafka-connect-py 1.0.0 (`kc`)", "every route but stop, offsets and loggers", "in `test/e2e`, on a running audit: what it shows, pause, resume, restart of the task, a refused delete; restart by hand"},
	{"AKHQ", "both expands, connector, status, plug-ins, validation of each plug-in, pause, resume, restart", "by hand: the HTTP layer that it uses, org.sourcelab:kafka-connect-client 4.0.4, made all its calls"},
	{"curl", "all", "by hand, stop and resume among them"},
	{"kcctl", "`GET /`, `expand=status`, connector, status, config, topics, tasks, plug-ins, offsets, loggers", "not run: its releases were out of reach. Routes, codes and the form of `version` are tested by its sources"},
	{"Redpanda Console", "`GET /`, both expands, plug-ins, connector, status, topics", "not run; its calls are tested one by one"},
	{"kafbat kafka-ui", "both expands, topics, connector, status, tasks and their status, plug-ins, validation", "not run; its calls are tested one by one. It links a group called `connect-<name>`; the audit's is `auditstream-<name>`: set `consumerNamePattern`"},
	{"Strimzi", "exact codes of pause, resume, stop and restart", "not run; the codes are tested. It creates and deletes connectors, which is refused here"},
	{"Debezium UI", "`/connectors/` with each expand", "not run; its calls are tested"},
}
