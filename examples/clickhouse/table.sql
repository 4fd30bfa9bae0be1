-- A table as replay.sql asks for it, with some rows. Times are milliseconds: of whole seconds bursts cannot be seen.
CREATE TABLE access_log
(
    logged_at DateTime64(3, 'UTC'),
    hostname LowCardinality(String),
    remote_addr String,
    http_host LowCardinality(String),
    method LowCardinality(String),
    uri String,
    status UInt16,
    request_time Float64,
    upstream_response_time String,
    limit_req_status LowCardinality(String),
    user_agent String
)
ENGINE = MergeTree
ORDER BY (hostname, logged_at);

INSERT INTO access_log VALUES
    ('2026-03-02 08:00:00.150', 'web2', '203.0.113.7', 'portal.example', 'GET', '/a', 200, 0.001, '0.001', 'PASSED', 'x'),
    ('2026-03-02 08:00:00.200', 'web1', '203.0.113.7', 'portal.example', 'GET', '/a?b="3"', 503, 0, '', 'REJECTED', 'x'),
    ('2026-03-02 08:00:00.100', 'web1', '203.0.113.7', 'portal.example', 'GET', '/a?b=2', 200, 0.001, '0.001', 'PASSED', 'x'),
    ('2026-03-02 08:00:00.000', 'web2', '203.0.113.7', 'portal.example', 'GET', '/a', 200, 0.001, '0.001, 0.002', 'PASSED', 'x'),
    ('2026-03-02 08:00:00.000', 'web1', '203.0.113.7', 'portal.example', 'GET', '/a?b=1', 200, 0.001, '0.001', 'PASSED', 'x');
