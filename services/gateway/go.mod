module github.com/eventcarbon/ecf/services/gateway

go 1.26.0
