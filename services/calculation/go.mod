module github.com/eventcarbon/ecf/services/calculation

go 1.26.0
