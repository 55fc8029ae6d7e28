use strict; use warnings; use Carp qw(longmess); use JSON::PP;
package Shop::Cart;
sub total { my ($n) = @_; die "total of $n items is too high" if $n % 2 == 0; my $none; return $none->price; }
package main;
sub checkout { return Shop::Cart::total(@_) . ''; }
sub refund { return Shop::Cart::total(@_) . ''; }
sub later { return map { Shop::Cart::total($_) . "" } @_; }
sub deep { my ($n) = @_; return $n == 0 ? checkout(2) : deep($n - 1); }
sub tell_case {
  my ($name, $run) = @_;
  my $stack = '';
  local $SIG{__DIE__} = sub { $stack = longmess($_[0]); };
  eval { $run->(); 1 } or do {
    my ($message) = split /\n/, $@;
    $message =~ s/ at \S+ line \d+\.$//;
    print JSON::PP->new->canonical->encode({ truth => $name, type => 'die', message => $message, stack => $stack }), "\n";
  };
}
for my $n (2, 40) {
  tell_case('checkout', sub { checkout($n) });
  tell_case('refund', sub { refund($n) });
  tell_case('callback', sub { later($n) });
  tell_case('recursion', sub { deep($n) });
  tell_case('property', sub { checkout($n + 1) });
}
