package processors

// TakeAnyTopicID has a topic that was made again pass for the old one.
func (c *Config) TakeAnyTopicID() { c.anyTopicID = true }
