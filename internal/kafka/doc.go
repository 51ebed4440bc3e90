// Package kafka turns a configuration into clients: franz-go options for the
// consumer group and for requests about topics and groups, a sarama
// configuration for what goka and the transactional producer speak. It also
// prepares the cluster: topics made or checked, the group's name free.
//
// An [Error] says whether the configuration is at fault or the cluster. No
// group is joined and no offset committed here.
package kafka
