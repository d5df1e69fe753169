-- A leaky bucket: KEYS[1] is the time (in microseconds) at which everything that was
-- added to it will have drained. ARGV are the time or '', the time that a full bucket
-- needs to drain, and the time that what is added needs. Answers that of its contents.
local key, now, window, added = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

if not now then
  local t = redis.call('TIME')
  now = tonumber(t[1]) * 1000000 + tonumber(t[2])
end
local drained = tonumber(redis.call('GET', key) or now)
-- Later than any addition leaves it: the clock was set back, or the rule was changed.
if drained < now or drained > now + 2 * window then drained = now end
drained = math.min(drained + added, now + 2 * window)
if added > 0 then
  redis.call('SET', key, string.format('%.0f', drained), 'PX', math.ceil((drained - now) / 1000))
end
return drained - now
