module github.com/eventcarbon/ecf/libs/client

go 1.26.0
