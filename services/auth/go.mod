module github.com/eventcarbon/ecf/services/auth

go 1.26.0

require (
	github.com/alicebob/miniredis/v2 v2.40.0
	github.com/eventcarbon/ecf/libs v0.0.0
	github.com/gofiber/fiber/v2 v2.52.15
	github.com/golang-jwt/jwt/v5 v5.3.1
	github.com/redis/go-redis/v9 v9.23.0
	go.mongodb.org/mongo-driver/v2 v2.9.3
	golang.org/x/crypto v0.58.0
	golang.org/x/text v0.43.0
)

replace github.com/eventcarbon/ecf/libs => ../../libs
