package connectapi

import (
	"maps"
	"net/http"
	"slices"
	"strings"
)

func (c *call) plugins() {
	plugins := []pluginInfo{{Class, "sink", c.Version}}
	if strings.EqualFold(c.r.URL.Query().Get("connectorsOnly"), "false") {
		plugins = append(plugins,
			pluginInfo{"org.apache.kafka.connect.json.JsonConverter", "converter", c.Version},
			pluginInfo{"org.apache.kafka.connect.storage.StringConverter", "converter", c.Version})
	}
	c.ok(plugins)
}

func isAudit(class string) bool { return class == Class || class == shortClass || class == alias }

// plugin reports whether the path's plug-in is the audit.
func (c *call) plugin() bool {
	name := c.r.PathValue("plugin")
	if isAudit(name) {
		return true
	}
	c.refuse(http.StatusNotFound, "Unknown plugin "+name+".")
	return false
}

// connectKeys are keys that Connect itself asks for and an audit ignores.
var connectKeys = []Key{
	{Name: "connector.class", Default: Class, Type: "STRING", Meaning: "The audit."},
	{Name: "tasks.max", Default: "1", Type: "INT", Meaning: "Without effect: every instance takes its share of the partitions."},
}

func (c *call) keyInfos() []keyInfo {
	var infos []keyInfo
	for i, k := range append(slices.Clone(connectKeys), c.Keys...) {
		info := keyInfo{
			Name: k.Name, Type: k.Type, Required: k.Required, Importance: "MEDIUM", Documentation: k.Meaning,
			Group: "auditstream", Order: i + 1, Width: "MEDIUM", DisplayName: k.Name, Dependents: []string{},
		}
		if k.Required {
			info.Importance = "HIGH"
		}
		if k.Default != "" {
			info.Default = &k.Default
		}
		infos = append(infos, info)
	}
	return infos
}

func (c *call) pluginKeys() {
	if c.plugin() {
		c.ok(c.keyInfos())
	}
}

func (c *call) validate() {
	var given settings
	if !c.plugin() || !c.body(&given) {
		return
	}
	if class, ok := given["connector.class"]; ok && !isAudit(class) {
		c.refuse(http.StatusBadRequest, "Included connector type "+class+" does not match request type "+c.r.PathValue("plugin"))
		return
	}
	allowed := map[string][]string{}
	for _, k := range c.Keys {
		allowed[k.Name] = k.Allowed
	}
	errors := c.Check(given)
	result := validation{Name: Class, Groups: []string{"auditstream"}}
	add := func(info keyInfo) {
		v := keyValue{Name: info.Name, Value: info.Default, Recommended: allowed[info.Name], Errors: errors[info.Name], Visible: true}
		if value, ok := given[info.Name]; ok {
			v.Value = &value
		}
		if info.Type == "PASSWORD" && v.Value != nil {
			hidden := "[hidden]"
			v.Value = &hidden
		}
		if v.Recommended == nil {
			v.Recommended = []string{}
		}
		if v.Errors == nil {
			v.Errors = []string{}
		} else {
			result.ErrorCount++
		}
		result.Configs = append(result.Configs, validated{info, v})
	}
	told := map[string]bool{}
	for _, info := range c.keyInfos() {
		told[info.Name] = true
		add(info)
	}
	for _, name := range slices.Sorted(maps.Keys(errors)) {
		if !told[name] {
			// Its value is told as little as one that is secret: nobody knows what it is.
			add(keyInfo{Name: name, Type: "PASSWORD", Importance: "MEDIUM", Group: "auditstream", Width: "MEDIUM", DisplayName: name, Dependents: []string{}})
		}
	}
	c.ok(result)
}

func (c *call) loggers() {
	c.ok(map[string]loggerLevel{"root": {Level: c.LogLevel}})
}

func (c *call) logger() {
	if name := c.r.PathValue("logger"); name != "root" {
		c.refuse(http.StatusNotFound, "Logger "+name+" not found.")
		return
	}
	c.ok(loggerLevel{Level: c.LogLevel})
}
