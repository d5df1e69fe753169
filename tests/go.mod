module github.com/eventcarbon/ecf/tests

go 1.26.0
