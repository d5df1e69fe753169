module github.com/eventcarbon/ecf/tests

go 1.26.0

require (
	github.com/eventcarbon/ecf/libs v0.0.0
	github.com/eventcarbon/ecf/services/standalone v0.0.0
	go.opentelemetry.io/proto/otlp v1.11.1
	google.golang.org/protobuf v1.36.12
)

replace (
	github.com/eventcarbon/ecf/libs => ../libs
	github.com/eventcarbon/ecf/services/auth => ../services/auth
	github.com/eventcarbon/ecf/services/calculation => ../services/calculation
	github.com/eventcarbon/ecf/services/gateway => ../services/gateway
	github.com/eventcarbon/ecf/services/records => ../services/records
	github.com/eventcarbon/ecf/services/review => ../services/review
	github.com/eventcarbon/ecf/services/standalone => ../services/standalone
)
