module github.com/eventcarbon/ecf/services/standalone

go 1.26.0

require (
	github.com/eventcarbon/ecf/libs v0.0.0
	github.com/eventcarbon/ecf/services/auth v0.0.0
	github.com/eventcarbon/ecf/services/calculation v0.0.0
	github.com/eventcarbon/ecf/services/gateway v0.0.0
	github.com/eventcarbon/ecf/services/records v0.0.0
	github.com/eventcarbon/ecf/services/review v0.0.0
	github.com/gofiber/fiber/v2 v2.52.15
	github.com/hibiken/asynq v0.26.0
	github.com/redis/go-redis/v9 v9.23.0
	github.com/valyala/fasthttp v1.74.0
	go.mongodb.org/mongo-driver/v2 v2.9.3
)

replace (
	github.com/eventcarbon/ecf/libs => ../../libs
	github.com/eventcarbon/ecf/services/auth => ../auth
	github.com/eventcarbon/ecf/services/calculation => ../calculation
	github.com/eventcarbon/ecf/services/gateway => ../gateway
	github.com/eventcarbon/ecf/services/records => ../records
	github.com/eventcarbon/ecf/services/review => ../review
)
