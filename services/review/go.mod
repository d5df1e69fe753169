module github.com/eventcarbon/ecf/services/review

go 1.26.0

require (
	github.com/eventcarbon/ecf/libs v0.0.0
	github.com/gofiber/fiber/v2 v2.52.15
)

replace github.com/eventcarbon/ecf/libs => ../../libs
