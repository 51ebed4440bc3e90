package connectapi

// route is one row of docs/rest.md.
type route struct {
	method, path, codes, meaning string
	answer                       func(*call)
	refused                      bool // the method is never allowed
}

// routes are in the order of the page.
var routes = []route{
	{"GET", "/", "200", "`{\"version\",\"commit\",\"kafka_cluster_id\"}`; with `Accept: text/html` the page", (*call).root, false},
	{"GET", "/connectors", "200", "names; with `expand=info`, `expand=status` or both, objects by name", (*call).list, false},
	{"POST", "/connectors", "405, 409, 400", "refused: an audit is a process of its own; 409 for the name that runs", (*call).create, true},
	{"GET", "/connectors/{connector}", "200", "configuration and tasks", (*call).info, false},
	{"DELETE", "/connectors/{connector}", "405", "refused: end the process", (*call).remove, true},
	{"GET", "/connectors/{connector}/config", "200", "the configuration as given: secrets hidden, references not resolved", (*call).config, false},
	{"PUT", "/connectors/{connector}/config", "200, 405, 400", "the same again is taken; another one is refused, it is read at the start", (*call).setConfig, false},
	{"PATCH", "/connectors/{connector}/config", "405", "refused in the same way", (*call).patchConfig, true},
	{"GET", "/connectors/{connector}/status", "200", "state of connector and task", (*call).status, false},
	{"GET", "/connectors/{connector}/tasks", "200", "the one task; none when stopped", (*call).tasks, false},
	{"GET", "/connectors/{connector}/tasks/{task}/status", "200", "its state", (*call).taskStatus, false},
	{"POST", "/connectors/{connector}/tasks/{task}/restart", "204", "begins the groups anew", (*call).restartTask, false},
	{"PUT", "/connectors/{connector}/pause", "202", "the input stops, partitions and offsets are held", (*call).pause, false},
	{"PUT", "/connectors/{connector}/resume", "202", "goes on after pause or stop", (*call).resume, false},
	{"PUT", "/connectors/{connector}/stop", "204", "the groups are left, offsets are held", (*call).stop, false},
	{"POST", "/connectors/{connector}/restart", "204, 202", "begins the groups anew; with `includeTasks=true` or `onlyFailed=true` the answer is 202 and the state", (*call).restart, false},
	{"GET", "/connectors/{connector}/topics", "200", "the tick topics", (*call).topics, false},
	{"PUT", "/connectors/{connector}/topics/reset", "202", "changes nothing: the topics are those of the configuration", (*call).resetTopics, false},
	{"GET", "/connectors/{connector}/offsets", "200", "the next offset to read of each partition, of all instances", (*call).offsets, false},
	{"PATCH", "/connectors/{connector}/offsets", "400, 405", "refused: state rests on what was read", (*call).setOffsets, true},
	{"DELETE", "/connectors/{connector}/offsets", "400, 405", "refused in the same way", (*call).setOffsets, true},
	{"GET", "/connector-plugins", "200", "the audit; with `connectorsOnly=false` its converters too", (*call).plugins, false},
	{"GET", "/connector-plugins/{plugin}/config", "200", "every key", (*call).pluginKeys, false},
	{"PUT", "/connector-plugins/{plugin}/config/validate", "200, 400", "every key with what is wrong about its value; nothing is read or resolved", (*call).validate, false},
	{"GET", "/admin/loggers", "200", "the one logger, `root`", (*call).loggers, false},
	{"GET", "/admin/loggers/{logger}", "200", "its level", (*call).logger, false},
}
