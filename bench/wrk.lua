-- One request, given by the environment; one line of figures at the end. A number in the body differs from one to the next,
-- because the same text over and over is what robots send.
local DIFFERENT = 20000
local PLACEHOLDER = "00000"

wrk.method = os.getenv("WRK_METHOD")
local body = os.getenv("WRK_BODY")
if body ~= "" then wrk.body = body end
for line in string.gmatch(os.getenv("WRK_HEADERS"), "[^\n]+") do
  local name, value = string.match(line, "^([^:]+): (.*)$")
  wrk.headers[name] = value
end

if string.find(body, PLACEHOLDER, 1, true) then
  local requests = {}
  local sent = 0

  function init()
    for i = 1, DIFFERENT do
      local different = string.gsub(body, PLACEHOLDER, string.format("%05d", i), 1)
      requests[i] = wrk.format(nil, nil, nil, different)
    end
  end

  function request()
    sent = sent % DIFFERENT + 1
    return requests[sent]
  end
end

function done(summary, latency)
  local e = summary.errors
  print(string.format('result {"requests":%d,"errors":%d,"micros":%d,"p50":%d,"p99":%d}', summary.requests,
    e.connect + e.read + e.write + e.status + e.timeout, summary.duration, latency:percentile(50), latency:percentile(99)))
end
