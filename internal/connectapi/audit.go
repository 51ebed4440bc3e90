package connectapi

import "context"

// Version is that of the Kafka Connect whose API this is: clients show and
// offer by it what they can do. The audit's own version is the connector's.
const Version = "4.1.0"

// The audit's connector class; Connect's clients know it by its short forms
// too, as Connect itself does.
const (
	Class      = "auditstream.AuditSinkConnector"
	shortClass = "AuditSinkConnector"
	alias      = "AuditSink"
)

// Control is how clients act on the audit, with who they are as far as that is
// known. What it asks for may take effect after it has returned.
type Control interface {
	Pause(by string)
	Resume(by string)
	Stop(by string)
	Restart(by string)
}

// Audit is the running audit as a connector.
type Audit struct {
	Name      string
	Version   string // the audit's own
	Commit    string
	ClusterID string
	Worker    func() string          // host:port that answers
	Config    map[string]string      // as it was given; secrets hidden, references not resolved
	Topics    []string               // that are audited
	LogLevel  string                 // Connect's word: INFO, DEBUG, ...
	State     func() (State, string) // and why, when it is Failed
	Offsets   func(context.Context) ([]Offset, error)
	Keys      []Key
	// Check gives what is wrong with a configuration, by key; it reads nothing.
	Check func(map[string]string) map[string][]string
	// Named: who comes here has shown a password for the name that is given.
	Named bool
	Control
}

// State is how connector and task stand.
type State uint8

// Connect's states (AbstractStatus.State), those that an audit can have.
const (
	Running State = iota
	Paused
	Stopped    // has no tasks
	Restarting // on its way from one life to the next
	Unassigned // runs and has no partition yet
	Failed
)

// names are the words for connector and task.
var names = map[State][2]string{
	Running:    {"RUNNING", "RUNNING"},
	Paused:     {"PAUSED", "PAUSED"},
	Stopped:    {"STOPPED", ""},
	Restarting: {"RESTARTING", "RESTARTING"},
	Unassigned: {"RUNNING", "UNASSIGNED"},
	Failed:     {"FAILED", "FAILED"},
}

// Offset is the next offset to read of a partition.
type Offset struct {
	Topic     string
	Partition int32
	Next      int64
}

// Key is one configuration key.
type Key struct {
	Name, Default, Meaning string
	Type                   string   // Connect's: STRING, LIST, LONG, DOUBLE, PASSWORD
	Allowed                []string // where only some values are
	Required               bool
}

// StateName is Connect's word for how the connector stands.
func StateName(s State) string { return names[s][0] }
