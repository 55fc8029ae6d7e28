import json, traceback

class Cart:
    def total(self, n):
        if n % 2 == 0:
            raise ValueError(f"total of {n} items is too high")
        return None.price

def checkout(n):
    return Cart().total(n)

def refund(n):
    return Cart().total(n)

def later(n):
    return list(map(lambda each: Cart().total(each), [n]))

def wrapped(n):
    try:
        checkout(n)
    except ValueError as cause:
        raise RuntimeError(f"order {n} failed") from cause

def deep(n):
    return checkout(2) if n == 0 else deep(n - 1)

def tell(name, run):
    try:
        run()
    except Exception as error:
        print(json.dumps({"truth": name, "type": type(error).__name__, "message": str(error), "stack": traceback.format_exc()}))

for n in (2, 40):
    tell("checkout", lambda: checkout(n))
    tell("refund", lambda: refund(n))
    tell("callback", lambda: later(n))
    tell("cause", lambda: wrapped(n))
    tell("recursion", lambda: deep(n))
    tell("property", lambda: checkout(n + 1))
