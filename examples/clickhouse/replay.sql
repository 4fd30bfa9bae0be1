-- The requests of one nginx host, in the order in which they were logged, as JSON lines that `ngxlimit replay` reads.
-- Fill in the table and columns of yours (table.sql has some). logged_at is a DateTime64; of a DateTime take toUnixTimestamp(logged_at).
-- {host:String} is a parameter of clickhouse-client (--param_host=web1).
SELECT
    toUnixTimestamp64Milli(logged_at) AS ms,
    hostname AS nginx,
    remote_addr AS client,
    http_host AS host,
    method,
    uri AS target,
    status,
    request_time AS took,
    upstream_response_time AS upstream,
    limit_req_status AS verdict,
    user_agent AS agent
FROM access_log
WHERE hostname = {host:String}
ORDER BY logged_at
FORMAT JSONEachRow
