module github.com/eventcarbon/ecf/services/gateway

go 1.26.0

require (
	github.com/eventcarbon/ecf/libs v0.0.0
	github.com/getkin/kin-openapi v0.152.0
	github.com/gofiber/fiber/v2 v2.52.15
	github.com/valyala/fasthttp v1.74.0
	go.opentelemetry.io/otel v1.47.0
	go.opentelemetry.io/otel/sdk v1.47.0
	go.opentelemetry.io/otel/trace v1.47.0
)

replace github.com/eventcarbon/ecf/libs => ../../libs
