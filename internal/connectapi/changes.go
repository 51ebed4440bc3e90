package connectapi

import (
	"maps"
	"net/http"
	"strings"
)

const unknownConnector = "Unknown connector {connector}"

func (c *call) pause() {
	if c.known(unknownConnector) {
		c.Control.Pause(c.by())
		c.empty(http.StatusAccepted)
	}
}

func (c *call) resume() {
	if c.known(unknownConnector) {
		c.Control.Resume(c.by())
		c.empty(http.StatusAccepted)
	}
}

func (c *call) stop() {
	if c.known(unknownConnector) {
		c.Control.Stop(c.by())
		c.empty(http.StatusNoContent)
	}
}

// restart does the same with and without tasks: connector and task are one
// here. Nothing is restarted where only what has failed is asked for and
// nothing has.
func (c *call) restart() {
	if !c.known(unknownConnector) {
		return
	}
	query := c.r.URL.Query()
	tasks, failed := strings.EqualFold(query.Get("includeTasks"), "true"), strings.EqualFold(query.Get("onlyFailed"), "true")
	state, trace := c.State()
	if !failed || state == Failed {
		c.Control.Restart(c.by())
		if state != Stopped {
			state, trace = Restarting, ""
		}
	}
	if tasks || failed {
		answer(c.w, http.StatusAccepted, c.stateInfoOf(state, trace))
		return
	}
	c.empty(http.StatusNoContent)
}

func (c *call) restartTask() {
	if _, ok := c.task("Unknown task: "); ok {
		c.Control.Restart(c.by())
		c.empty(http.StatusNoContent)
	}
}

// Why what Connect can do is refused here. Never 409 where it will not pass:
// clients try again after that.
const (
	oneConnector = "This is auditstream: one process runs one audit, here %. Start another process for another one: auditstream run -c FILE"
	noDelete     = "This is auditstream: the audit ends with its process. Send it SIGTERM, or PUT /connectors/%/stop to have it wait"
	fixedConfig  = "This is auditstream: a configuration is read at the start. Change the file of % and start it again; its state goes on"
	fixedOffsets = "This is auditstream: the state of % rests on what was read, so offsets cannot be set. For history there is auditstream replay"
	notStopped   = "Connectors must be in the STOPPED state before their offsets can be modified. This can be done for the specified connector by issuing a 'PUT' request to the '/connectors/%/stop' endpoint"
)

func (c *call) never(why string) {
	c.w.Header().Set("Allow", c.allowed)
	c.refuse(http.StatusMethodNotAllowed, strings.ReplaceAll(why, "%", c.Name))
}

func (c *call) create() {
	var request struct {
		Name   string   `json:"name"`
		Config settings `json:"config"`
	}
	if !c.body(&request) {
		return
	}
	name := request.Name
	if name == "" {
		name = request.Config["name"]
	}
	switch name {
	case "":
		c.refuse(http.StatusBadRequest, "Connector name is missing")
	case c.Name:
		c.refuse(http.StatusConflict, "Connector "+name+" already exists")
	default:
		c.never(oneConnector)
	}
}

func (c *call) remove() {
	if c.known(noConnector) {
		c.never(noDelete)
	}
}

func (c *call) setConfig() {
	var given settings
	if !c.body(&given) {
		return
	}
	connector := c.r.PathValue("connector")
	switch name, named := given["name"]; {
	case named && name != connector:
		c.refuse(http.StatusBadRequest, "Connector name configuration ("+name+") doesn't match connector name in the URL ("+connector+")")
	case connector != c.Name:
		c.never(oneConnector)
	default:
		same := maps.Clone(given)
		if same != nil {
			same["name"] = c.Name // may be left out
		}
		if maps.Equal(map[string]string(same), c.Config) {
			c.ok(c.connectorInfo())
			return
		}
		c.never(fixedConfig)
	}
}

func (c *call) patchConfig() {
	if c.known(noConnector) {
		c.never(fixedConfig)
	}
}

func (c *call) setOffsets() {
	if !c.known(noConnector) {
		return
	}
	if state, _ := c.State(); state != Stopped {
		c.refuse(http.StatusBadRequest, strings.ReplaceAll(notStopped, "%", c.Name))
		return
	}
	c.never(fixedOffsets)
}
