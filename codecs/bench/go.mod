module github.com/auditstream/auditstream/codecs/bench

go 1.26.8

require (
	github.com/auditstream/auditstream v0.0.0
	github.com/buger/jsonparser v1.6.1
	github.com/goccy/go-json v0.12.0
	github.com/valyala/fastjson v1.6.10
)

replace github.com/auditstream/auditstream => ../..
