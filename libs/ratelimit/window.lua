-- A sliding window as a log: KEYS[1] is a list of the times (in microseconds)
-- of the takes that were let through, newest first. It never holds more than
-- the limit. Answers {allowed, counted, microseconds until the oldest leaves, time of this take}.
local key, action = KEYS[1], ARGV[1]
local now, window, limit, at = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]

if action == 'refund' then
  redis.call('LREM', key, 1, at)
  return {1, 0, 0, 0}
end

if not now then
  local t = redis.call('TIME')
  now = tonumber(t[1]) * 1000000 + tonumber(t[2])
end
-- Time never runs backwards within a log, so that it stays sorted. If the clock was
-- set back by more than the window the log begins anew: it would refuse everything
-- until the clock is where it was.
local newest = tonumber(redis.call('LINDEX', key, 0) or now)
if newest > now + window then
  redis.call('DEL', key)
elseif newest > now then
  now = newest
end

local oldest = redis.call('LINDEX', key, -1)
while oldest and tonumber(oldest) <= now - window do
  redis.call('RPOP', key)
  oldest = redis.call('LINDEX', key, -1)
end

local counted, allowed = redis.call('LLEN', key), 0
if counted < limit then
  allowed = 1
  if action == 'take' then
    local stamp = string.format('%.0f', now)
    redis.call('LPUSH', key, stamp)
    redis.call('PEXPIRE', key, math.ceil(window / 1000))
    counted = counted + 1
    oldest = oldest or stamp
  end
end
local reset = 0
if oldest then reset = tonumber(oldest) + window - now end
return {allowed, counted, reset, now}
