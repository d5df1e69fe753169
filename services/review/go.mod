module github.com/eventcarbon/ecf/services/review

go 1.26.0
