module github.com/eventcarbon/ecf/services/standalone

go 1.26.0
