<?php
namespace Shop;
class Cart {
    public function total(int $n) {
        if ($n % 2 === 0) throw new \RangeException("total of $n items is too high");
        $none = null;
        return $none->price();
    }
}
function checkout($n) { return (new Cart())->total($n); }
function refund($n) { return (new Cart())->total($n); }
function later($n) { return array_map(fn ($each) => (new Cart())->total($each), [$n]); }
function wrapped($n) {
    try { checkout($n); } catch (\RangeException $cause) { throw new \RuntimeException("order $n failed", 0, $cause); }
}
function deep($n) { return $n === 0 ? checkout(2) : deep($n - 1); }
function tell($name, $run) {
    try { $run(); } catch (\Throwable $e) {
        echo json_encode(['truth' => $name, 'type' => get_class($e), 'message' => $e->getMessage(), 'stack' => (string) $e]), "\n";
    }
}
foreach ([2, 40] as $n) {
    tell('checkout', fn () => checkout($n));
    tell('refund', fn () => refund($n));
    tell('callback', fn () => later($n));
    tell('cause', fn () => wrapped($n));
    tell('recursion', fn () => deep($n));
    tell('property', fn () => checkout($n + 1));
}
