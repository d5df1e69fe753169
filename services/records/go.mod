module github.com/eventcarbon/ecf/services/records

go 1.26.0
