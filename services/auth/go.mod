module github.com/eventcarbon/ecf/services/auth

go 1.26.0
