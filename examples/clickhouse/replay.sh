#!/usr/bin/env bash
# Replays the requests that ClickHouse holds, one nginx host after the other, and merges what came of them.
#   replay.sh nginx.conf web1 web2 ... > report.txt
set -euo pipefail
conf=$1
shift
here=$(dirname "$0")
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
for host in "$@"; do
  "${CLICKHOUSE:-clickhouse-client}" --output_format_json_quote_64bit_integers=0 --param_host="$host" --queries-file "$here/replay.sql" |
    "${NGXLIMIT:-ngxlimit}" replay "$conf" - --log-format json --partial "$parts/$host.part" \
      --fields time=ms,nginx=nginx,client=client,host=host,method=method,target=target,status=status,request_time=took,upstream_response_time=upstream,limit_req_status=verdict,http_user_agent=agent
done
"${NGXLIMIT:-ngxlimit}" replay --merge "$parts"/*.part
