package connectapi

import (
	"encoding/json"
	"fmt"
)

// The JSON of Connect's org.apache.kafka.connect.runtime.rest.entities, in the
// order of its fields.

type errorMessage struct {
	Code    int    `json:"error_code"`
	Message string `json:"message"`
}

type serverInfo struct {
	Version   string `json:"version"`
	Commit    string `json:"commit"`
	ClusterID string `json:"kafka_cluster_id"`
}

type taskID struct {
	Connector string `json:"connector"`
	Task      int    `json:"task"`
}

type connectorInfo struct {
	Name   string            `json:"name"`
	Config map[string]string `json:"config"`
	Tasks  []taskID          `json:"tasks"`
	Type   string            `json:"type"`
}

type connectorState struct {
	State   string `json:"state"`
	Worker  string `json:"worker_id"`
	Trace   string `json:"trace,omitempty"`
	Version string `json:"version,omitempty"`
}

type taskState struct {
	ID int `json:"id"`
	connectorState
}

type stateInfo struct {
	Name      string         `json:"name"`
	Connector connectorState `json:"connector"`
	Tasks     []taskState    `json:"tasks"`
	Type      string         `json:"type"`
}

type expanded struct {
	Status *stateInfo     `json:"status,omitempty"`
	Info   *connectorInfo `json:"info,omitempty"`
}

type taskInfo struct {
	ID     taskID            `json:"id"`
	Config map[string]string `json:"config"`
}

type activeTopics struct {
	Topics []string `json:"topics"`
}

type connectorOffsets struct {
	Offsets []connectorOffset `json:"offsets"`
}

type connectorOffset struct {
	Partition struct {
		Topic     string `json:"kafka_topic"`
		Partition int32  `json:"kafka_partition"`
	} `json:"partition"`
	Offset struct {
		Offset int64 `json:"kafka_offset"`
	} `json:"offset"`
}

type pluginInfo struct {
	Class   string `json:"class"`
	Type    string `json:"type"`
	Version string `json:"version,omitempty"`
}

type keyInfo struct {
	Name          string   `json:"name"`
	Type          string   `json:"type"`
	Required      bool     `json:"required"`
	Default       *string  `json:"default_value"`
	Importance    string   `json:"importance"`
	Documentation string   `json:"documentation"`
	Group         string   `json:"group"`
	Width         string   `json:"width"`
	DisplayName   string   `json:"display_name"`
	Dependents    []string `json:"dependents"`
	Order         int      `json:"order"`
}

type keyValue struct {
	Name        string   `json:"name"`
	Value       *string  `json:"value"`
	Recommended []string `json:"recommended_values"`
	Errors      []string `json:"errors"`
	Visible     bool     `json:"visible"`
}

type validated struct {
	Definition keyInfo  `json:"definition"`
	Value      keyValue `json:"value"`
}

type validation struct {
	Name       string      `json:"name"`
	ErrorCount int         `json:"error_count"`
	Groups     []string    `json:"groups"`
	Configs    []validated `json:"configs"`
}

type loggerLevel struct {
	Level        string `json:"level"`
	LastModified *int64 `json:"last_modified"`
}

// settings is a flat map of keys. Numbers and booleans are taken as their text,
// as Connect's parser does.
type settings map[string]string

func (s *settings) UnmarshalJSON(data []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	*s = make(settings, len(values))
	for name, value := range values {
		var text string
		switch value[0] {
		case '"':
			if err := json.Unmarshal(value, &text); err != nil {
				return err
			}
		case '{', '[':
			return fmt.Errorf("the value of %s is no text", name)
		case 'n':
			continue
		default:
			text = string(value)
		}
		(*s)[name] = text
	}
	return nil
}
