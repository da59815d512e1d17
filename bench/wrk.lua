-- One request, given by the environment, with each body of a file in turn; one line of figures at the end.
wrk.method = os.getenv("WRK_METHOD")
for line in string.gmatch(os.getenv("WRK_HEADERS"), "[^\n]+") do
  local name, value = string.match(line, "^([^:]+): (.*)$")
  wrk.headers[name] = value
end

local bodies = os.getenv("WRK_BODIES")
if bodies then
  local requests = {}
  local sent = tonumber(os.getenv("WRK_SENT"))

  function init()
    local file = io.open(bodies, "rb")
    local length = file:read("*l")
    while length do
      requests[#requests + 1] = wrk.format(nil, nil, nil, file:read(tonumber(length)))
      length = file:read("*l")
    end
    file:close()
  end

  function request()
    sent = sent + 1
    return requests[sent % #requests + 1]
  end
end

function done(summary, latency)
  local e = summary.errors
  print(string.format('result {"requests":%d,"errors":%d,"micros":%d,"p50":%d,"p99":%d}', summary.requests,
    e.connect + e.read + e.write + e.status + e.timeout, summary.duration, latency:percentile(50), latency:percentile(99)))
end
