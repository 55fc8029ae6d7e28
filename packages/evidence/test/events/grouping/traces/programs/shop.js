const { basename } = require('node:path');
class Cart {
  total(n) {
    if (n % 2 === 0) throw new RangeError(`total of ${n} items is too high`);
    return undefined.price;
  }
}
function checkout(n) {
  return new Cart().total(n);
}
function refund(n) {
  return new Cart().total(n);
}
const later = (n) => [n].map((each) => new Cart().total(each))[0];
function wrapped(n) {
  try {
    checkout(n);
  } catch (cause) {
    throw new Error(`order ${n} failed`, { cause });
  }
}
function deep(n) {
  return n === 0 ? checkout(2) : deep(n - 1);
}
function tell(name, run) {
  try {
    run();
  } catch (error) {
    const { inspect } = require('node:util');
    console.log(
      JSON.stringify({
        truth: name,
        type: error.name,
        message: error.message,
        stack: error.cause ? inspect(error) : error.stack,
      }),
    );
  }
}
for (const n of [2, 40]) {
  tell('checkout', () => checkout(n));
  tell('refund', () => refund(n));
  tell('callback', () => later(n));
  tell('cause', () => wrapped(n));
  tell('recursion', () => deep(n));
  tell('property', () => checkout(n + 1));
}
void basename;
