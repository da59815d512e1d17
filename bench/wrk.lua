-- One request, given by the environment; one line of figures at the end.
wrk.method = os.getenv("WRK_METHOD")
local body = os.getenv("WRK_BODY")
if body ~= "" then wrk.body = body end
for line in string.gmatch(os.getenv("WRK_HEADERS"), "[^\n]+") do
  local name, value = string.match(line, "^([^:]+): (.*)$")
  wrk.headers[name] = value
end

function done(summary, latency)
  local e = summary.errors
  print(string.format('result {"requests":%d,"errors":%d,"micros":%d,"p50":%d,"p99":%d}', summary.requests,
    e.connect + e.read + e.write + e.status + e.timeout, summary.duration, latency:percentile(50), latency:percentile(99)))
end
