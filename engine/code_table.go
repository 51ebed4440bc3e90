package engine

// codeTable is the list of findings, in the order of their numbers. The
// documents, `explain`, metrics and alert rules are made from it.
var codeTable = []CodeInfo{
	{
		Code: OffsetInconsistency, Name: "OFFSET_INCONSISTENCY", Severity: Critical, Subject: "group and partition",
		Meaning: "An offset cannot be true for the log as it stands: a watched group's lies beyond the end, below the start or has expired, or it stands for other records since the log was cut; or the log's end moved back behind what the audit had read.",
		Judged:  "Of consumer.lag.groups the log's start is read first, then the commit, then the end: AHEAD_OF_END, BELOW_START (not when only transaction markers went), EXPIRED, RECREATED (other topic id), TRUNCATED (the leader epoch under which the log held the commit ends below it by now, however far the log has grown since). What was committed before a restart of the audit is compared too. By the audit's own offset: TRUNCATED (the end, or the end of the leader epoch, lies below it), RECREATED (other topic id).",
		Action:  "Stop the group, compare its offset with the log's start and end, find out whether the topic was truncated or re-created, then reset the group's offset on purpose.",
	},
	{
		Code: ConsumerLag, Name: "CONSUMER_LAG", Severity: Warning, Subject: "group and partition",
		Meaning: "A watched group is further behind the end of a partition than allowed.",
		Judged:  "Records between the commit and the last stable offset, strictly more than max.lag.ticks, or the oldest of them strictly older than max.lag.ms; resolved at or below 80 % of both. Transaction markers, aborted records and what compaction removed are none, as far as the log was looked into.",
		Action:  "See whether the group has members and whether its lag shrinks; if not, look at its slowest member and at the partition's load.",
	},
	{
		Code: ClockSkew, Name: "CLOCK_SKEW", Severity: Warning, Subject: "topic",
		Meaning: "Ticks carry event times that lie ahead of the clock.",
		Judged:  "Event time minus clock above clock.skew.tolerance.ms; the clock is the wall clock while the audit keeps up, the record's own time while it catches up, unless that lies behind the wall clock, and in replay. Both times more than an hour ahead of the partition's, that the next two records contradict, are ahead wherever they are read; a replay finds no more of the kind, as that would depend on its day, and notes record times that the machine's clock has not reached. One finding for all partitions, until 10 s of record time without another such tick; attributed to the smallest thing that explains it: the audit's own clock, the receiver or broker that stamps records, the feed, one producer, one venue, one symbol. Its size is told, whether it is constant or drifts, and a constant that it equals.",
		Action:  "Check time synchronisation on the host of what it is attributed to; a constant 37 s is TAI, 18 s GPS, whole hours are a time zone.",
	},
	{
		Code: StaleTick, Name: "STALE_TICK", Severity: Warning, Subject: "partition (OLD_TICK) or symbol (SILENT, FROZEN)",
		Meaning: "Ticks arrive too old, or a symbol has stopped ticking, or its ticks say the same with new times.",
		Judged:  "OLD_TICK: clock minus event time above max.tick.age.ms; not the first message after a subscription; ages that are constant or drift evenly are laid to a clock, with its size. SILENT: no tick of a symbol for longer than max.symbol.silence.ms of open time (calendar, halts), or than its own rate allows with auto, while the audit owned and kept up with its partition; after 7 days the symbol is taken to have ended. FROZEN: new event times with the same content for longer than that budget.",
		Action:  "OLD_TICK: look for delay between the venue and the topic. SILENT: check the feed's subscription of that symbol. FROZEN: look for a cache or a poll that stamps an old value anew.",
	},
	{
		Code: PartitionUnbalanced, Name: "PARTITION_UNBALANCED", Severity: Warning, Subject: "topic",
		Meaning: "One partition carries far more ticks than the mean, so its reader becomes the slowest.",
		Judged:  "Busiest ÷ mean load of one report window over all partitions above partition.skew.threshold; not judged with fewer symbols than partitions, nor in a window of fewer than partition.skew.min.ticks of its own, nor by a partition most of whose ticks in it are of windows before; ticks without a key, windows in which the topic grows and totals over a growth are left out.",
		Action:  "Read the hot symbols in the evidence: if one symbol alone exceeds the limit, more partitions do not help; otherwise add partitions or spread the symbols.",
	},
	{
		Code: UpstreamDisorder, Name: "UPSTREAM_DISORDER", Severity: Warning, Subject: "symbol and partition",
		Meaning: "A symbol's event time went back although the offset moved on: the ticks were already out of order when they were written.",
		Judged:  "Event time strictly less than the symbol's last accepted one, by venue too where field.venue is set or the feed has streams; equal times are in order. Such an order goes along when the topic's growth moves the symbol. With field.sequence a missing number that comes late is disorder as well. An episode ends after 10 s of record time without a further step back.",
		Action:  "Check the producer: idempotence off with several requests in flight, two producers of one symbol, or a source that merges feeds.",
	},
	{
		Code: Redelivered, Name: "REDELIVERED", Severity: Info, Subject: "partition",
		Meaning: "A tick came again: it names its first place in its headers, its sequence number was seen before, or its offset had been judged already.",
		Judged:  "Headers x-original-topic, -partition, -offset or Connect's __connect.errors.* of the same; with field.sequence a number that was seen before; in a capture, an offset that was read before. Such a tick never counts as disorder.",
		Action:  "Nothing to repair in order; make sure that the readers of the topic expect repeats.",
	},
	{
		Code: Backfill, Name: "BACKFILL", Severity: Info, Subject: "symbol and partition",
		Meaning: "History of a symbol was written behind ticks that are newer: records that were missing, fetched later.",
		Judged:  "At least backfill.min.records ticks of a symbol that ascend among themselves, begin more than 1 s behind its last tick and the partition's time, stay behind it, and pass faster than time does. Live ticks may lie between. A disorder that the first of them opened resolves into it; they stay counted as disorder. It ends after 10 s of record time without one, does not move the symbol's last event time, and makes no silent symbol look alive.",
		Action:  "Nothing to repair if it was meant; readers that need order must sort by event time or leave such records out. Next time write history to a topic of its own.",
	},
	{
		Code: SequenceGap, Name: "SEQUENCE_GAP", Severity: Warning, Subject: "symbol and partition",
		Meaning: "Sequence numbers of a symbol are missing: ticks were lost before they reached the topic.",
		Judged:  "field.sequence by symbol, and by venue where field.venue is set: a number that is greater than the last one by more than 1. Numbers seen before are REDELIVERED, missing ones that come later UPSTREAM_DISORDER; a smaller number with a later event time begins a new count, as does the first one after 7 days, and one that does so again at once is UPSTREAM_DISORDER: numbers that descend. Where numbers of different symbols ascend together, it is said that they share a counter. Not judged for sequence.filtered.venues.",
		Action:  "Look for drops between the venue and the topic: the feed handler's own gap counters, its reconnects, the producer's errors; ask the venue for a replay of the ranges named.",
	},
	{
		Code: SymbolSplit, Name: "SYMBOL_SPLIT", Severity: Critical, Subject: "symbol",
		Meaning: "One symbol is written to more than one partition, so no reader sees it in order.",
		Judged:  "The same symbol with a key on two or more partitions of one topic, unless the topic's growth moved it; null-key and redelivered records are left out. The finding's place is the second on which the symbol ticked, by record time. Live it is opened when the brokers, asked after it was seen, say that the topic has not grown. Where the symbol's ticks have different keys, the cause says whether those alone explain it.",
		Action:  "Find the producers of that symbol: two libraries with different default hashes, or one that ignores the key; give all of them the same partitioner (auditstream plan divergence). With different keys, make them write one key.",
	},
	{
		Code: PartitionerMixed, Name: "PARTITIONER_MIXED", Severity: Critical, Subject: "topic",
		Meaning: "Records of one topic are placed by two or more functions, or without regard of their keys, so that a symbol has no order.",
		Judged:  "Each key against the known hashes and two faulty look-alikes; a second function is named when its keys are no accident (three at eight partitions or more, six at three), keys-ignored or unknown when six places of keys or more fit none. Two keys or more that lie only where the one function of all others does not put them, and a known one would, too few to name it, are told as WARNING with how many more decide. Live it waits for the partition count as SYMBOL_SPLIT does. keys-ignored stands alone where no function explains anything and most keys lie on several partitions; keys that lie on one each by an unknown function are no finding.",
		Action:  "Find the producers that use the function with the smaller share, by the clients that the evidence names, and give all of them one partitioner (auditstream plan producer). Where keys are ignored, look for producers that name a partition themselves or are set to round robin.",
	},
	{
		Code: PartitionerMismatch, Name: "PARTITIONER_MISMATCH", Severity: Critical, Subject: "topic",
		Meaning: "The partitioner that the configuration names is not the one that the records follow.",
		Judged:  "Any key that does not lie where the hash of partitioner puts it; null and empty keys, and records from before the topic grew, are left out.",
		Action:  "Correct partitioner in the configuration, or the producers that the evidence points to.",
	},
	{
		Code: PartitionsChanged, Name: "PARTITIONS_CHANGED", Severity: Warning, Subject: "topic",
		Meaning: "The topic's partition count grew, so that symbols move away from what they wrote before.",
		Judged:  "The count is seen to rise; or symbols left their partitions before the first record of newer ones, and a hash explains both places of two or more. One finding a growth, told live when the brokers, asked again, say that the topic has no more partitions. It counts the symbols that were there before and that their hash puts elsewhere at the larger count, silent ones too; where no hash is known, those that were seen to go on elsewhere. Resolved 10 minutes of record time after the first record in a new partition.",
		Action:  "Let readers finish the old partitions before they trust the order of moved symbols; next time, choose the count ahead (auditstream plan topic) or move to a new topic.",
	},
	{
		Code: KeyMissing, Name: "KEY_MISSING", Severity: Warning, Subject: "partition",
		Meaning: "Ticks are written with a null key, so their partition does not follow from their symbol.",
		Judged:  "Every good tick with a null key, each partition for itself; an episode ends after 10 s of record time without one.",
		Action:  "Set the record key to the symbol in the producer.",
	},
	{
		Code: KeyEmpty, Name: "KEY_EMPTY", Severity: Warning, Subject: "partition",
		Meaning: "Ticks are written with a key of zero bytes: some clients treat it as a key and send all of them to one partition, others spread them.",
		Judged:  "Every good tick with a key of zero bytes, each partition for itself; an episode ends after 10 s of record time without one.",
		Action:  "Set the record key to the symbol in the producer.",
	},
	{
		Code: KeyMismatch, Name: "KEY_MISMATCH", Severity: Warning, Subject: "partition, or topic for spellings",
		Meaning: "The key's bytes do not spell the symbol in the value, or one symbol is spelled in several ways.",
		Judged:  "Key bytes against the value's symbol (after symbol.normalize); symbols that differ only in case, surrounding blanks or separators are told together. A schema registry's frame in front of the symbol is none, but a schema id that changes moves the symbol and is told.",
		Action:  "Make producers use one spelling for the key and the value; the evidence lists what was seen, escaped.",
	},
	{
		Code: UnreadableValue, Name: "UNREADABLE", Severity: Warning, Subject: "partition",
		Meaning: "Values cannot be decoded, or carry no usable symbol.",
		Judged:  "value.converter and field.symbol applied to every value that is not a tombstone; reasons are told apart and counted.",
		Action:  "Look at the first place named; fix the producer or the converter's settings; errors.deadletterqueue.topic.name keeps the records.",
	},
	{
		Code: FormatMixed, Name: "FORMAT_MIXED", Severity: Warning, Subject: "partition",
		Meaning: "Values of a partition stand in more than one format, so that a reader of one of them fails on the others.",
		Judged:  "Each value's format (JSON, a schema registry's frame and what its schema is, Avro's single-object encoding, CSV) against that of the value before; those that are recognised as none are left out. A topic that changes its format once is one change.",
		Action:  "Find the producers of the format with the smaller share by the first offsets named; move one of the formats to a topic of its own.",
	},
	{
		Code: SchemaUnknown, Name: "SCHEMA_UNKNOWN", Severity: Warning, Subject: "partition",
		Meaning: "Values name a schema that cannot be used, so nothing is known of what they say.",
		Judged:  "The registry's own answer that it has no schema of that id, an id that has come to mean another schema, a schema that cannot be compiled, a message that it does not have. Of many ids that it does not have a few are asked for a second. A registry that does not answer is waited for.",
		Action:  "See whether the producer writes to another registry than value.converter.schema.registry.url, or the schema was deleted there; register it again under its id.",
	},
	{
		Code: TimestampUnitChanged, Name: "TIMESTAMP_UNIT_CHANGED", Severity: Warning, Subject: "partition",
		Meaning: "Event times are spelled in another unit than before, or than configured.",
		Judged:  "The number of digits of each tick's time against its symbol's last one, at first against field.timestamp.unit or the partition's first tick. Symbols that tick for the first time since another one changed in the same way are part of that change. Times are read by the unit that they have, so that neither order nor clocks are affected.",
		Action:  "Tell readers that fix the unit in their code; see by the producer and the symbols named who has changed it.",
	},
	{
		Code: TimestampUnusable, Name: "TIMESTAMP_UNUSABLE", Severity: Warning, Subject: "partition",
		Meaning: "Values carry no usable event time.",
		Judged:  "field.timestamp missing, null, zero, negative, not a time, without a zone, skipped by its zone's clock, or one that stands for none (the greatest of its unit, the years 1 and 9999); told apart and counted.",
		Action:  "Look at the first place named; correct field.timestamp or field.timestamp.unit, or the producer.",
	},
	{
		Code: RebalanceStorm, Name: "REBALANCE_STORM", Severity: Warning, Subject: "group",
		Meaning: "The group rebalances again and again, so its partitions stand still most of the time.",
		Judged:  "3 or more rebalances within 60 s on a monotonic clock; a revoke and the assign after it are one. Of watched groups a change of members, or an epoch of the newer protocol, is one. A storm is over 60 s after its last, a restart of the audit between them or not.",
		Action:  "Look for a member that restarts or misses its session timeout; give members static ids.",
	},
	{
		Code: RecordsLost, Name: "RECORDS_LOST", Severity: Critical, Subject: "partition",
		Meaning: "Records of a partition went by without being audited, so nothing is known of them.",
		Judged:  "The log's start has passed the next offset to read, by retention or by records deleted; gaps by compaction, markers and aborted transactions are no loss. The count is of offsets, so at most as many records.",
		Action:  "See how long the audit was stopped or behind (AUDITOR_BEHIND); give the topic more retention (retention.ms, retention.bytes), or the audit more CPU or instances.",
	},
	{
		Code: TopicSettingsOdd, Name: "TOPIC_SETTINGS", Severity: Info, Subject: "topic",
		Meaning: "Settings of the tick topic are at odds with what ticks need.",
		Judged:  "In a live run, once a minute: replication below 3 or min.insync.replicas below 2 or not below the replication, as far as the cluster has brokers for better; retention.ms below a day; cleanup.policy with compact; unclean.leader.election.enable. Each is told with its value and advice; resolved when none is left.",
		Action:  "Change the settings that the evidence names, with the commands in its advice; auditstream check looks at more.",
	},
	{
		Code: AuditorBehind, Name: "AUDITOR_BEHIND", Severity: Info, Subject: "partition",
		Meaning: "The audit itself is behind the end of a partition; what the clock judges is not judged there meanwhile.",
		Judged:  "The audit's own position more than max.lag.ticks behind the partition's end for 10 s, or the partition stands still for 30 s with records unread.",
		Action:  "Wait if it shrinks; otherwise give the audit more CPU or instances, or look at /readyz and its log.",
	},
	{
		Code: AuditorClock, Name: "AUDITOR_CLOCK", Severity: Info, Subject: "topic",
		Meaning: "The audit's own wall clock was set ahead or back; what the clock judges is not judged for a minute.",
		Judged:  "Wall clock against monotonic clock of each process of the audit, once a second: a difference of more than half a second. One finding for all partitions, resolved a minute after the last step.",
		Action:  "Look at the time synchronisation of the audit's host: a step of whole hours is a time zone, one of 37 s TAI; a suspended machine steps too.",
	},
}
