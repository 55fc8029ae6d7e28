local function quote(s) return '"' .. s:gsub('[%c"\\]', function(c) return string.format('\\u%04x', c:byte()) end) .. '"' end
function total(n)
  if n % 2 == 0 then error('total of ' .. n .. ' items is too high') end
  local none = nil
  local price = none.price
  return price
end
function checkout(n) local t = total(n); return t end
function refund(n) local t = total(n); return t end
function deep(n) if n == 0 then local t = checkout(2); return t end local t = deep(n - 1); return t end
local function tell(name, run)
  local _, found = xpcall(run, function(message) return { message, debug.traceback(message, 2) } end)
  local message = found[1]:gsub('^.-:%d+: ', '')
  print('{"truth":' .. quote(name) .. ',"type":"error","message":' .. quote(message) .. ',"stack":' .. quote(found[2]) .. '}')
end
for _, n in ipairs({ 2, 40 }) do
  tell('checkout', function() local t = checkout(n); return t end)
  tell('refund', function() local t = refund(n); return t end)
  tell('recursion', function() local t = deep(n % 5); return t end)
  tell('property', function() local t = checkout(n + 1); return t end)
end
