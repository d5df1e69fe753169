module github.com/eventcarbon/ecf/services/calculation

go 1.26.0

require (
	github.com/eventcarbon/ecf/libs v0.0.0
	pgregory.net/rapid v1.2.0
)

replace github.com/eventcarbon/ecf/libs => ../../libs
