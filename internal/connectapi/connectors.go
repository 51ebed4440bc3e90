package connectapi

import (
	"net/http"
)

const noConnector = "Connector {connector} not found"

func (c *call) root() { c.ok(serverInfo{Version, c.Commit, c.ClusterID}) }

func (c *call) list() {
	expand, asked := c.r.URL.Query()["expand"]
	if !asked {
		c.ok([]string{c.Name})
		return
	}
	var e expanded
	for _, what := range expand {
		switch what { // others are not known to Connect either
		case "status":
			s := c.stateInfo()
			e.Status = &s
		case "info":
			i := c.connectorInfo()
			e.Info = &i
		}
	}
	c.ok(map[string]expanded{c.Name: e})
}

func (c *call) connectorInfo() connectorInfo {
	info := connectorInfo{Name: c.Name, Config: c.Config, Tasks: []taskID{}, Type: "sink"}
	for _, t := range c.stateInfo().Tasks {
		info.Tasks = append(info.Tasks, taskID{c.Name, t.ID})
	}
	return info
}

func (c *call) stateInfo() stateInfo {
	state, trace := c.State()
	return c.stateInfoOf(state, trace)
}

func (c *call) stateInfoOf(state State, trace string) stateInfo {
	connector := connectorState{names[state][0], c.Worker(), trace, c.Version}
	info := stateInfo{Name: c.Name, Connector: connector, Tasks: []taskState{}, Type: "sink"}
	if task := connector; state != Stopped {
		task.State = names[state][1]
		info.Tasks = append(info.Tasks, taskState{0, task})
	}
	return info
}

func (c *call) info() {
	if c.known(noConnector) {
		c.ok(c.connectorInfo())
	}
}

func (c *call) config() {
	if c.known(noConnector) {
		c.ok(c.Config)
	}
}

func (c *call) status() {
	if c.known("No status found for connector {connector}") {
		c.ok(c.stateInfo())
	}
}

func (c *call) tasks() {
	if !c.known(noConnector) {
		return
	}
	tasks := []taskInfo{}
	for _, id := range c.connectorInfo().Tasks {
		tasks = append(tasks, taskInfo{id, c.Config})
	}
	c.ok(tasks)
}

// task reports whether the path's task runs now.
func (c *call) task(missing string) (taskState, bool) {
	connector, id := c.r.PathValue("connector"), c.r.PathValue("task")
	if tasks := c.stateInfo().Tasks; connector == c.Name && id == "0" && len(tasks) > 0 {
		return tasks[0], true
	}
	c.refuse(http.StatusNotFound, missing+connector+"-"+id)
	return taskState{}, false
}

func (c *call) taskStatus() {
	if t, ok := c.task("No status found for task "); ok {
		c.ok(t)
	}
}

func (c *call) topics() {
	if c.known(noConnector) {
		c.ok(map[string]activeTopics{c.Name: {c.Topics}})
	}
}

func (c *call) resetTopics() {
	if c.known(noConnector) {
		c.empty(http.StatusAccepted)
	}
}

func (c *call) offsets() {
	if !c.known(noConnector) {
		return
	}
	offsets, err := c.Offsets(c.r.Context())
	if err != nil {
		c.refuse(http.StatusInternalServerError, "Failed to list offsets of "+c.Name+": "+err.Error())
		return
	}
	answer := connectorOffsets{Offsets: make([]connectorOffset, len(offsets))}
	for i, o := range offsets {
		answer.Offsets[i].Partition.Topic, answer.Offsets[i].Partition.Partition = o.Topic, o.Partition
		answer.Offsets[i].Offset.Offset = o.Next
	}
	c.ok(answer)
}
