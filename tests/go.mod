module github.com/eventcarbon/ecf/tests

go 1.26.0

require github.com/eventcarbon/ecf/libs v0.0.0

replace github.com/eventcarbon/ecf/libs => ../libs
