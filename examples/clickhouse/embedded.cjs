#!/usr/bin/env node
// Stands in for clickhouse-client where there is no server: it runs a query on the ClickHouse engine of the npm package chdb, over
// the tables that the file named by CHDB_TABLES makes. Of clickhouse-client's flags it takes those of replay.sh.
//   npm install chdb && CHDB_TABLES=table.sql CLICKHOUSE=./embedded.cjs ./replay.sh nginx.conf web1
const fs = require("node:fs");
const { Session } = require(process.env.CHDB || "chdb");

const session = new Session();
for (const statement of fs.readFileSync(process.env.CHDB_TABLES, "utf8").split(/;\s*$/m)) {
  if (statement.trim()) session.query(statement);
}
let query = "";
for (const flag of process.argv.slice(2)) {
  const [name, ...rest] = flag.replace(/^--/, "").split("=");
  if (name === "queries-file") continue;
  if (rest.length === 0) query = fs.readFileSync(flag, "utf8");
  else session.query(`SET ${name} = '${rest.join("=").replace(/['\\]/g, "\\$&")}'`);
}
process.stdout.write(session.query(query));
session.cleanup();
