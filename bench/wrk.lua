-- One request, given by the environment; one line of figures at the end. A number in the body differs from one to the next,
-- and from those of the run before, because the same text over and over is what robots send.
local PLACEHOLDER = "00000"
local DIFFERENT = 16 ^ #PLACEHOLDER
-- More than a run sends in a second.
local APART = 100000

wrk.method = os.getenv("WRK_METHOD")
local body = os.getenv("WRK_BODY")
if body ~= "" then wrk.body = body end
for line in string.gmatch(os.getenv("WRK_HEADERS"), "[^\n]+") do
  local name, value = string.match(line, "^([^:]+): (.*)$")
  wrk.headers[name] = value
end

if string.find(body, PLACEHOLDER, 1, true) then
  local before, after
  local sent = os.time() * APART

  function init()
    local whole = wrk.format()
    local first, last = string.find(whole, PLACEHOLDER, 1, true)
    before, after = whole:sub(1, first - 1), whole:sub(last + 1)
  end

  function request()
    sent = sent + 1
    return before .. string.format("%05x", sent % DIFFERENT) .. after
  end
end

function done(summary, latency)
  local e = summary.errors
  print(string.format('result {"requests":%d,"errors":%d,"micros":%d,"p50":%d,"p99":%d}', summary.requests,
    e.connect + e.read + e.write + e.status + e.timeout, summary.duration, latency:percentile(50), latency:percentile(99)))
end
