package monitoring

const (
	requests = "http_server_request_duration_seconds"
	gateway  = `job="ecf", service="gateway"`
	every    = `job="ecf"`
)

// Dashboards returns all dashboards.
func Dashboards() []Dashboard {
	return []Dashboard{objectives(), routes(), recalculation(), stores(), accounts(), fairness(), processes()}
}

func objectives() Dashboard {
	return Dashboard{"objectives", "Objectives", "99.9 % of requests answered, 99 % of results within 5 s, over 30 days.", []Panel{
		{Title: "Share of requests that fail", Description: "5xx at the gateway. The budget is 0.1 %.", Unit: "percentunit", Queries: []Query{
			{"service:http_errors:ratio_rate5m", "5 minutes"}, {"service:http_errors:ratio_rate1h", "1 hour"},
			{"service:http_errors:ratio_rate6h", "6 hours"}, {"service:http_errors:ratio_rate3d", "3 days"}}},
		{Title: "Share of results later than 5 s", Description: "From the decision to the result that has it. The budget is 1 %.", Unit: "percentunit", Queries: []Query{
			{"service:results_late:ratio_rate5m", "5 minutes"}, {"service:results_late:ratio_rate1h", "1 hour"},
			{"service:results_late:ratio_rate6h", "6 hours"}, {"service:results_late:ratio_rate3d", "3 days"}}},
		{Title: "Alerts that fire", Description: "All but the dead man's switch.", Unit: "short", Quiet: true,
			Queries: []Query{{`sum by (alertname) (ALERTS{alertstate="firing", alertname!="EcfDeadman"})`, "{{alertname}}"}}},
		{Title: "Longest time a result has been due", Unit: "s", Queries: []Query{{`max(ecf_recalculation_due_age_seconds{` + every + `})`, "due"}}},
	}}
}

func routes() Dashboard {
	return Dashboard{"routes", "Routes", "Rate, errors and duration of each route, at the gateway.", []Panel{
		{Title: "Requests by route", Unit: "reqps", Queries: []Query{{`sum by (http_request_method, http_route) (rate(` + requests + `_count{` + gateway + `}[5m]))`, "{{http_request_method}} {{http_route}}"}}},
		{Title: "Requests by status", Unit: "reqps", Queries: []Query{{`sum by (http_response_status_code) (rate(` + requests + `_count{` + gateway + `}[5m]))`, "{{http_response_status_code}}"}}},
		{Title: "Failures by route", Description: "Answers with 5xx.", Unit: "reqps", Quiet: true,
			Queries: []Query{{`sum by (http_request_method, http_route) (rate(` + requests + `_count{` + gateway + `, http_response_status_code=~"5.."}[5m]))`, "{{http_request_method}} {{http_route}}"}}},
		{Title: "Duration of all routes", Unit: "s", Queries: quantiles(requests, gateway, "")},
		{Title: "Slowest routes", Description: "95th percentile.", Unit: "s",
			Queries: []Query{{`topk(10, histogram_quantile(0.95, sum by (le, http_request_method, http_route) (rate(` + requests + `_bucket{` + gateway + `}[5m]))))`, "{{http_request_method}} {{http_route}}"}}},
		{Title: "Answers of services to the gateway", Description: "95th percentile, by outcome: none is no answer in time.", Unit: "s", Quiet: true,
			Queries: []Query{{`histogram_quantile(0.95, sum by (le, upstream, outcome) (rate(ecf_gateway_upstream_duration_seconds_bucket{` + every + `}[5m])))`, "{{upstream}} {{outcome}}"}}},
		{Title: "Duration by service", Description: "95th percentile. The gateway's is that of the services behind it and its own.", Unit: "s",
			Queries: []Query{{`histogram_quantile(0.95, sum by (le, service) (rate(` + requests + `_bucket{` + every + `}[5m])))`, "{{service}}"}}},
	}}
}

func recalculation() Dashboard {
	return Dashboard{"recalculation", "Recalculation", "From decisions to results. docs/runbooks/recalculation.md says what each metric means.", []Panel{
		{Title: "Longest time a result has been due", Description: "Above 5 s for a minute is an alert.", Unit: "s", Queries: []Query{{`max(ecf_recalculation_due_age_seconds{` + every + `})`, "due"}}},
		{Title: "Events with due results", Unit: "short", Queries: []Query{{`max(ecf_recalculation_due_events{` + every + `})`, "events"}}},
		{Title: "From decision to result", Unit: "s", Queries: quantiles("ecf_recalculation_lag_seconds", every, "")},
		{Title: "Duration of runs", Description: "95th percentile. A run goes on while changes of its event keep coming.", Unit: "s", Queries: []Query{{`histogram_quantile(0.95, sum by (le, outcome) (rate(ecf_recalculation_duration_seconds_bucket{` + every + `}[5m])))`, "{{outcome}}"}}},
		{Title: "Tasks in the queues", Unit: "short", Queries: []Query{{`max by (queue, state) (ecf_recalculation_queue_tasks{` + every + `})`, "{{queue}} {{state}}"}}},
		{Title: "Runs", Description: "Waiting: taken up, until it is the turn of their organization.", Unit: "short", Queries: []Query{{`sum by (state) (ecf_recalculation_runs{` + every + `})`, "{{state}}"}}},
		{Title: "Age of the oldest task", Unit: "s", Queries: []Query{{`max by (queue) (ecf_recalculation_queue_wait_seconds{` + every + `})`, "{{queue}}"}}},
		{Title: "Tasks done and failed", Unit: "ops", Queries: []Query{
			{`max by (queue) (rate(ecf_recalculation_queue_processed_total{` + every + `}[5m]))`, "{{queue}} done"},
			{`max by (queue) (rate(ecf_recalculation_queue_failed_total{` + every + `}[5m]))`, "{{queue}} failed"}}},
		{Title: "Worker processes", Unit: "short", Queries: []Query{{`max(ecf_recalculation_workers{` + every + `})`, "workers"}, {`min(ecf_recalculation_queue_reachable_ratio{` + every + `})`, "queue reachable"}}},
	}}
}

func stores() Dashboard {
	const operations = "db_client_operation_duration_seconds"
	return Dashboard{"stores", "Stores", "Operations on MongoDB, connections to Redis and the disk of an embedded database, as the services see them.", []Panel{
		{Title: "Operations", Unit: "ops", Queries: []Query{{`sum by (service, db_operation_name) (rate(` + operations + `_count{` + every + `}[5m]))`, "{{service}} {{db_operation_name}}"}}},
		{Title: "Duration of operations", Unit: "s", Queries: []Query{{`histogram_quantile(0.95, sum by (le, db_collection_name, db_operation_name) (rate(` + operations + `_bucket{` + every + `}[5m])))`, "p95 {{db_collection_name}} {{db_operation_name}}"}}},
		{Title: "Failed operations", Unit: "ops", Quiet: true, Queries: []Query{{`sum by (service, error_type) (rate(` + operations + `_count{` + every + `, error_type!=""}[5m]))`, "{{service}} {{error_type}}"}}},
		{Title: "Connections to MongoDB in use", Description: "At most maxPoolSize of each process, 64 by default.", Unit: "short", Quiet: true,
			Queries: []Query{{`sum by (service, client) (ecf_mongodb_pool_used{` + every + `})`, "{{service}} {{client}}"}}},
		{Title: "Waiting for a connection to MongoDB", Description: "95th percentile.", Unit: "s", Quiet: true,
			Queries: []Query{{`histogram_quantile(0.95, sum by (le, service) (rate(ecf_mongodb_pool_wait_seconds_bucket{` + every + `}[5m])))`, "{{service}}"}}},
		{Title: "Room on the disk of an embedded database", Description: "Nothing where the data are in MongoDB. Below a tenth is an alert.", Unit: "bytes", Quiet: true, Queries: []Query{{`min by (instance) (ecf_database_disk_available_bytes{` + every + `})`, "{{instance}}"}}},
		{Title: "Connections to Redis", Unit: "short", Queries: []Query{{`sum by (service, state) (db_client_connections_usage{` + every + `})`, "{{service}} {{state}}"}}},
	}}
}

func accounts() Dashboard {
	const signIn = gateway + `, http_route=~"/api/v2/auth/.*"`
	return Dashboard{"accounts", "Accounts", "Signing in and refreshing tokens.", []Panel{
		{Title: "Sign-ins and refreshes by status", Description: "Many 401 or 429: somebody is guessing.", Unit: "reqps",
			Queries: []Query{{`sum by (http_route, http_response_status_code) (rate(` + requests + `_count{` + signIn + `}[5m]))`, "{{http_route}} {{http_response_status_code}}"}}},
		{Title: "Duration of sign-ins", Description: "Hashing a password takes its time on purpose; a rising time is waiting for a turn to hash.", Unit: "s", Queries: quantiles(requests, signIn, "http_route")},
		{Title: "Attempts to sign in", Description: "By outcome. Unavailable: the database, or no slot to hash in.", Unit: "reqps",
			Queries: []Query{{`sum by (outcome) (rate(ecf_auth_sign_ins_total{` + every + `}[5m]))`, "{{outcome}}"}}},
		{Title: "Hashing of passwords", Description: "Slots taken, and requests that wait for one.", Unit: "short", Queries: []Query{
			{`sum(ecf_auth_hashing_active{` + every + `})`, "active"}, {`sum(ecf_auth_hashing_waiting{` + every + `})`, "waiting"}, {`sum(ecf_auth_hashing_slots{` + every + `})`, "slots"}}},
		{Title: "Checks of sessions", Description: "By where the answer came from.", Unit: "reqps", Quiet: true,
			Queries: []Query{{`sum by (service, source) (rate(ecf_sessions_checks_total{` + every + `}[5m]))`, "{{service}} {{source}}"}}},
		{Title: "Share of sign-ins refused", Unit: "percentunit",
			Queries: []Query{{`sum(rate(` + requests + `_count{` + signIn + `, http_response_status_code=~"401|429"}[5m])) / sum(rate(` + requests + `_count{` + signIn + `}[5m]))`, "refused"}}},
	}}
}

func fairness() Dashboard {
	return Dashboard{"fairness", "Fairness", "Whether one organization takes from the others: what is refused, and what waits.", []Panel{
		{Title: "Refusals", Description: "402 plan, 413 too large, 429 too many, 503 no room.", Unit: "reqps", Quiet: true,
			Queries: []Query{{`sum by (http_response_status_code, http_route) (rate(` + requests + `_count{` + gateway + `, http_response_status_code=~"402|413|429|503"}[5m]))`, "{{http_response_status_code}} {{http_route}}"}}},
		{Title: "Refusals by reason", Description: "By error code: limits, quotas, sizes, and where an organization has taken its share.", Unit: "reqps", Quiet: true,
			Queries: []Query{{`sum by (service, ecf_error_code) (rate(ecf_http_refusals_total{` + every + `}[5m]))`, "{{service}} {{ecf_error_code}}"}}},
		{Title: "Expensive reads", Description: "95th percentile of reports, exports, comparisons and findings.", Unit: "s", Quiet: true,
			Queries: []Query{{`histogram_quantile(0.95, sum by (le, http_route) (rate(` + requests + `_bucket{` + gateway + `, http_route=~".*(report|export|diff|findings|explain|preview|compare).*"}[5m])))`, "{{http_route}}"}}},
		{Title: "Cheap reads", Description: "95th percentile of lists. It must not follow the expensive ones.", Unit: "s",
			Queries: []Query{{`histogram_quantile(0.95, sum by (le) (rate(` + requests + `_bucket{` + gateway + `, http_request_method="GET", http_route="/api/v2/events"}[5m])))`, "GET /events"}}},
		{Title: "Tasks of the bulk queue", Description: "Work of many records at once waits here, not before people's approvals.", Unit: "short",
			Queries: []Query{{`max by (state) (ecf_recalculation_queue_tasks{` + every + `, queue="bulk"})`, "{{state}}"}}},
	}}
}

func processes() Dashboard {
	return Dashboard{"processes", "Processes", "What runs, and what it takes.", []Panel{
		{Title: "Processes up", Unit: "short", Queries: []Query{{`sum by (service) (up{` + every + `})`, "{{service}}"}}},
		{Title: "Resident memory", Unit: "bytes", Queries: []Query{{`max by (service, instance) (process_resident_memory_bytes{` + every + `})`, "{{service}} {{instance}}"}}},
		{Title: "Processor", Unit: "short", Queries: []Query{{`sum by (service, instance) (rate(process_cpu_seconds_total{` + every + `}[5m]))`, "{{service}} {{instance}}"}}},
		{Title: "Open files", Unit: "short", Queries: []Query{{`max by (service, instance) (process_open_fds{` + every + `})`, "{{service}} {{instance}}"}}},
		{Title: "Time since the start", Unit: "s", Queries: []Query{{`time() - max by (service, instance) (process_start_time_seconds{` + every + `})`, "{{service}} {{instance}}"}}},
		{Title: "Memory in use", Unit: "bytes", Queries: []Query{{`sum by (service, instance) (go_memory_used_bytes{` + every + `})`, "{{service}} {{instance}}"}}},
		{Title: "Goroutines", Unit: "short", Queries: []Query{{`sum by (service, instance) (go_goroutine_count{` + every + `})`, "{{service}} {{instance}}"}}},
		{Title: "Allocation", Unit: "Bps", Queries: []Query{{`sum by (service) (rate(go_memory_allocated_bytes_total{` + every + `}[5m]))`, "{{service}}"}}},
		{Title: "Clocks against that of Prometheus", Description: "20 s are an alert.", Unit: "s", Queries: []Query{{`ecf_process_clock_seconds{` + every + `} - timestamp(ecf_process_clock_seconds{` + every + `})`, "{{service}} {{instance}}"}}},
		{Title: "Validity of certificates", Description: "Of services with ECF_TLS_CERT, or of their authority if it expires first. Less than a quarter of the lifetime is an alert.", Unit: "s", Quiet: true,
			Queries: []Query{{`ecf_tls_certificate_remaining_seconds{` + every + `}`, "{{service}} {{instance}}"}}},
		{Title: "Versions", Description: "More than one of a service: an update is under way.", Unit: "short", Queries: []Query{{`count by (service_name, service_version) (target_info{` + every + `})`, "{{service_name}} {{service_version}}"}}},
	}}
}
