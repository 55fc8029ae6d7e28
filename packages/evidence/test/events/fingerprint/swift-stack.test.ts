import { describe, expect, it } from 'vitest';
import { readChain, readFrames, readPlaces } from './read-chain.ts';

describe('Swift stacks', () => {
  it('read an Apple crash log with system images', () => {
    const stack = `0   libswiftCore.dylib                  0x000000018f1a2b3c _assertionFailure(_:_:file:line:flags:) + 172
1   Shop                                0x0000000104f3c2a8 CartStore.remove(at:) + 240 (CartStore.swift:57)
2   Shop                                0x0000000104f3b0d4 CartView.body.getter + 88
3   UIKitCore                           0x000000019a3b1c20 -[UIApplication sendAction:to:from:forEvent:] + 96
4   ???                                 0x0000000000000000 0x0 + 0
5   dyld                                0x00000001b0a9d1a4 start + 2544`;
    expect(readChain(stack)).toEqual([
      [
        expect.stringContaining(': '),
        '~libswiftCore.dylib#_assertionFailure(_:_:file:line:flags:)',
        'Shop#CartStore.remove(at:)',
        'Shop#CartView.body.getter',
        '~UIKitCore#-[UIApplication sendAction:to:from:forEvent:]',
        '~???#0x0',
        '~dyld#start',
      ],
    ]);
    expect(readPlaces(stack)[1]).toBe('CartStore.swift:57:?');
    expect(readPlaces(stack)[2]).toBe('?:?:?');
  });

  it('read the backtrace of the runtime on Linux', () => {
    const stack = `0 0x000055d1 closure #1 in Server.start() + 212 in App at /build/app/Sources/App/Server.swift:31:17
1 [ra] 0x000055d2 static Main.run(arguments:) + 40 in App at /build/app/Sources/App/Main.swift:12:5
2 [ra] [system] 0x000055d3 main in App at /build/app/Sources/App/Entry.swift:3
3 [ra] 0x000055d4 Router.route(_:) in App at /build/app/.build/checkouts/router/Sources/Router.swift:9:1
4 [ra] 0x000055d5 f in App at /usr/lib/swift/x.swift:1:1`;
    expect(readFrames(stack)).toEqual([
      'App/Server.swift#Server.start()',
      'App/Main.swift#static Main.run(arguments:)',
      'App/Entry.swift#main',
      '~Sources/Router.swift#Router.route(_:)',
      '~swift/x.swift#f',
    ]);
    expect(readPlaces(stack)[0]).toBe('/build/app/Sources/App/Server.swift:31:?');
  });

  it.each([
    ['closure #1 in closure #3 in Cart.load(id:)', 'Cart.load(id:)'],
    ['implicit closure #2 in Cart.load()', 'Cart.load()'],
    ['closure #1 (Swift.Int) -> Swift.Bool in Cart.filter(by:)', 'Cart.filter(by:)'],
    ['specialized Cart.load()', 'Cart.load()'],
    ['generic specialization <Swift.Int, [Foo<Bar>]> of Cart.map<A>(_:)', 'Cart.map(_:)'],
    ['function signature specialization <Arg[0] = Dead> of Cart.load()', 'Cart.load()'],
    ['partial apply for closure #1 in Cart.load()', 'Cart.load()'],
    ['protocol witness for Loader.load() in conformance Cart', 'Loader.load()'],
    ['@objc CartController.viewDidLoad()', 'CartController.viewDidLoad()'],
    ['dispatch thunk of Cart.load()', 'Cart.load()'],
    ['(2) await resume partial function for Cart.load()', 'Cart.load()'],
    ['Shop.Cart.find(by: Swift.String) -> Shop.Item?', 'Shop.Cart.find(by: Swift.String)'],
    ['Cart.apply(_: (Int) -> Bool) -> Int', 'Cart.apply(_: (Int) -> Bool)'],
    ['Shop.CartView.body.getter : some', 'Shop.CartView.body.getter'],
    ['Stack<Element>.push(_:)', 'Stack.push(_:)'],
    ['static Money.< infix(_:_:)', 'static Money.< infix(_:_:)'],
    ['-[Cart addItem:count:]', '-[Cart addItem:count:]'],
    ['std::vector<int, std::allocator<int>>::at(unsigned long)', 'std::vector::at(unsigned long)'],
  ])('name the symbol %s as %s', (symbol, name) => {
    expect(readFrames(`0   Shop   0x0000000104f3c2a8 ${symbol} + 12`)).toEqual([`Shop#${name}`]);
  });

  it('leave out packages below known directories', () => {
    const stack = `0 Loader.run() at /build/SourcePackages/checkouts/net/Loader.swift:3
1 Api.call() at /build/Pods/Api/Api.swift:3
2 App.main() at /build/App/App.swift:3`;
    expect(readFrames(stack)).toEqual([
      '~net/Loader.swift#Loader.run()',
      '~Api/Api.swift#Api.call()',
      'App/App.swift#App.main()',
    ]);
  });

  it('read lines of both forms and of old crash reports together', () => {
    const stack = `Fatal error: Index out of range
0 Shop 0x1 Cart.item(at:) + 4
12 Shop 0x00ff main + 1`;
    expect(readChain(stack)).toEqual([
      [': Fatal error: Index out of range', 'Shop#Cart.item(at:)', 'Shop#main'],
    ]);
  });
});
