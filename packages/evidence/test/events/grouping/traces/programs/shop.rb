require 'json'
class Cart
  def total(n)
    raise ArgumentError, "total of #{n} items is too high" if n.even?
    nil.price
  end
end
def checkout(n) = Cart.new.total(n)
def refund(n) = Cart.new.total(n)
def later(n) = [n].map { |each| Cart.new.total(each) }
def wrapped(n)
  checkout(n)
rescue ArgumentError
  raise "order #{n} failed"
end
def deep(n) = n.zero? ? checkout(2) : deep(n - 1)
def tell(name)
  yield
rescue StandardError => e
  puts JSON.generate(truth: name, type: e.class.name, message: e.message, stack: e.full_message(highlight: false, order: :top))
end
[2, 40].each do |n|
  tell('checkout') { checkout(n) }
  tell('refund') { refund(n) }
  tell('callback') { later(n) }
  tell('cause') { wrapped(n) }
  tell('recursion') { deep(n) }
  tell('property') { checkout(n + 1) }
end
