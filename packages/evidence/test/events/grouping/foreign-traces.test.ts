import { describe, expect, it } from 'vitest';
import { readAnyStack } from '../../../src/events/fingerprint/stack/read-stack.ts';

/** The newest frame of the innermost exception as `function file:line`, and the language that read it. */
function firstFrame(stack: string): { reader: string | undefined; frame: string } {
  const read = readAnyStack(stack, null);
  const frame = read?.chain.at(-1)?.frames[0];
  const file = frame?.file?.split(/[\\/]/).at(-1) ?? '';
  return {
    reader: read?.language,
    frame: frame === undefined ? '' : `${frame.function} ${file}:${frame.line}`,
  };
}

describe('a trace of .NET in the language of its system', () => {
  it.each([
    ['German', '   bei Shop.Cart.Total(Int32 id) in C:\\src\\Cart.cs:Zeile 42.'],
    ['French', '   à Shop.Cart.Total(Int32 id) dans C:\\src\\Cart.cs:ligne 42'],
    ['Spanish', '   en Shop.Cart.Total(Int32 id) en C:\\src\\Cart.cs:línea 42'],
    ['Russian', '   в Shop.Cart.Total(Int32 id) в C:\\src\\Cart.cs:строка 42'],
    ['Japanese', '   場所 Shop.Cart.Total(Int32 id) 場所 C:\\src\\Cart.cs:行 42'],
    ['Chinese', '   在 Shop.Cart.Total(Int32 id) 位置 C:\\src\\Cart.cs:行号 42'],
    ['Korean', '   위치: Shop.Cart.Total(Int32 id) 파일 C:\\src\\Cart.cs:줄 42'],
    ['Turkish', '   konum: Shop.Cart.Total(Int32 id) konum: C:\\src\\my shop\\Cart.cs: satır 42'],
    ['Portuguese', '   em Shop.Cart.Total(Int32 id) na /src/Cart.cs:linha 42'],
    ['Polish', '   w Shop.Cart.Total(Int32 id) w C:\\src\\Cart.cs:wiersz 42'],
  ])('is read in %s', (_language, line) => {
    const main = line
      .replace('Cart.Total(Int32 id)', 'Program.Main(String[] args)')
      .replace('Cart.cs', 'Program.cs');
    expect(firstFrame(`Shop.CartException: empty\r\n${line}\r\n${main}`)).toEqual({
      reader: 'dotnet',
      frame: 'Total Cart.cs:42',
    });
  });

  it('is read without files, and a sentence with a call is none', () => {
    expect(firstFrame('X: x\n   bei Shop.Cart.Total(Int32 id)\n   bei Shop.Main()').frame).toBe(
      'Total :null',
    );
    expect(readAnyStack('X: x\n   we called Shop.Cart.Total(5) and nothing came back', null)).toBeNull();
  });
});

describe('a trace of a runtime that no reader knows', () => {
  it.each([
    [
      'OCaml',
      'Fatal error: exception Failure("x")\nRaised at Cart.total in file "src/cart.ml", line 42, characters 2-20',
      'Cart.total cart.ml:42',
    ],
    ['Zig', 'thread 1 panic: index\n/srv/src/cart.zig:42:10: 0x1038f2a in total (cart)', 'total cart.zig:42'],
    [
      'Nim',
      '/srv/main.nim(5) main\n/srv/cart.nim(42) total\nError: unhandled exception: x [ValueError]',
      'total cart.nim:42',
    ],
    [
      'D',
      'core.exception.RangeError: x\n??:? _Dmain\nsource/cart.d:42 int cart.total(int) [0x55]',
      'cart.total cart.d:42',
    ],
    ['Valgrind', '==123== Invalid read of size 4\n==123==    at 0x109: total (cart.c:42)', 'total cart.c:42'],
    [
      'C++23',
      '   0# shop::total(int) at /srv/cart.cpp:42\n   1# main at /srv/main.cpp:5',
      'shop::total cart.cpp:42',
    ],
    ['Godot', 'SCRIPT ERROR: Invalid get\n          at: total (res://cart.gd:42)', 'total cart.gd:42'],
    [
      'Google Apps Script',
      'TypeError: x\n    at total (Code:42:11)\n    at main (Code:5:3)',
      'total Code:42',
    ],
    ['V8 with a bare name', 'Error: x\n    at foo (script:22:11)', 'foo script:22'],
    ['React 16', '\n    in Cart (at App.js:12)\n    in App (created by Root)', 'Cart App.js:12'],
    [
      'PL/pgSQL',
      'ERROR: x\nCONTEXT:  PL/pgSQL function cart_total(integer) line 12 at RAISE',
      'cart_total :12',
    ],
    [
      'IPython',
      'ValueError    Traceback (most recent call last)\n<ipython-input-3-5a1> in <module>\n----> 1 total(5)\n\n~/cart.py in total(x)\n---> 42     raise x\n\nValueError: x',
      'total cart.py:42',
    ],
    [
      'Jupyter',
      'ValueError    Traceback (most recent call last)\nCell In[3], line 1\n----> 1 total(5)\n\nFile ~/cart.py:42, in total(x)\n---> 42     raise x\n\nValueError: x',
      'total cart.py:42',
    ],
    [
      'rich',
      '╭─ Traceback (most recent call last) ─╮\n│ /srv/main.py:5 in main │\n│ /srv/cart.py:42 in total │\n╰───╯\nValueError: x',
      'total cart.py:42',
    ],
    [
      'an Erlang term',
      '{badarg,[{cart,total,1,[{file,"src/cart.erl"},{line,42}]},{shop,main,0,[{file,"src/shop.erl"},{line,5}]}]}',
      'total cart.erl:42',
    ],
    [
      'Tcl',
      'x: no such variable\n    while executing\n"expr"\n    (file "cart.tcl" line 12)',
      '<anonymous> cart.tcl:12',
    ],
    [
      'Delphi',
      'Access violation\n[00401234]{Shop.exe} Cart.TCart.Total (Line 42, "Cart.pas" + 5) + $12',
      'TCart.Total Cart.pas:42',
    ],
    ['Haxe', 'Error: x\nCalled from Main.main (Main.hx line 5)', 'Main.main Main.hx:5'],
    [
      'Nim, in columns',
      '/srv/main.nim(5)         main\n/srv/cart.nim(42)        total\nError: unhandled exception: x [ValueError]',
      'total cart.nim:42',
    ],
    [
      'Databricks',
      "KeyError    Traceback (most recent call last)\nFile <command-123456>, line 4, in clean(df)\n      3 def clean(df):\n----> 4   return df['x']\n\nKeyError: 'x'",
      'clean <cell>:4',
    ],
    [
      'pytest',
      'E       assert 3 == 4\n\ntests/test_cart.py:12: AssertionError',
      '<anonymous> test_cart.py:12',
    ],
    [
      'Visual C++',
      'Access violation\nshop.exe!Cart::total(int id) Line 42 (C:\\src\\cart.cpp:42)\nshop.exe!main(int argc) Line 5 (C:\\src\\main.cpp:5)',
      'Cart::total cart.cpp:42',
    ],
    ['Gfortran', 'Fortran runtime error: x\n#0  0x55 in total at /srv/cart.f90:42', 'total cart.f90:42'],
  ])('has its first frame in %s', (_runtime, stack, frame) => {
    expect(firstFrame(stack)).toEqual({ reader: 'general', frame });
  });

  it('has the place in the build where Flutter has no symbols', () => {
    const stack = (offset: string) =>
      `*** *** ***\npid: 1\n    #00 abs 0000007f6a1b2c3d virt 00000000002b2c3d _kDartIsolateSnapshotInstructions+0x${offset}`;
    expect(firstFrame(stack('1b2c3d')).frame).not.toBe(firstFrame(stack('1b2c99')).frame);
  });

  it.each([
    'Error: connect ECONNREFUSED\n  to db.example.com:5432\n  to 10.0.0.1:80',
    'Something bad\n  because of that\n  and 12 others at 10:11:12',
    'Error: see https://example.com:8080 for 5 more',
  ])('is not found in %j', (stack) => {
    expect(readAnyStack(stack, null)).toBeNull();
  });
});

describe('a frame of a known runtime in a rarer form', () => {
  it.each([
    [
      'PowerShell without a script stack',
      'Attempted to divide by zero.\nAt C:\\srv\\cart.ps1:12 char:5\n+     $total / 0',
      'powershell',
      '<anonymous> cart.ps1:12',
    ],
    [
      'PowerShell with both',
      'Attempted to divide by zero.\nAt C:\\srv\\cart.ps1:12 char:5\n+ $total / 0\nat Get-Total, C:\\srv\\cart.ps1: line 12\nat <ScriptBlock>, C:\\srv\\main.ps1: line 5',
      'powershell',
      'Get-Total cart.ps1:12',
    ],
    [
      'a data URL',
      'Error: x\n    at total (data:text/javascript;base64,ZXhwb3J0IGRlZmF1bHQ=:3:9)\n    at file:///srv/main.mjs:5:3',
      'js',
      'total javascript:3',
    ],
    [
      'a page in an attribute',
      'TypeError: x\n    at total (about:srcdoc:3:9)\n    at about:srcdoc:9:1',
      'js',
      'total about:srcdoc:3',
    ],
    [
      'Android without symbols',
      '#00 pc 00000000001a2b3c  /data/app/com.shop/lib/arm64/libshop.so (BuildId: 4e5d)',
      'native',
      'libshop.so+0x1a2b3c :null',
    ],
    [
      'iOS without symbols',
      '0   libswiftCore.dylib   0x06a62102 0x6823000 + 2355458\n1   Shop   0x00e2102 0x0000 + 925954',
      'swift',
      'libswiftCore.dylib+0x23f102 :null',
    ],
    [
      'systemd without symbols',
      '#0  0x000055d1a2b3c4d5 n/a (shop + 0x1a2b3)\n#1  0x00007f1122334455 __libc_start_call_main (libc.so.6 + 0x29d90)',
      'native',
      'shop+0x1a2b3 :null',
    ],
    [
      "Android's log",
      'E/flutter (17560): Unhandled Exception: x\nE/flutter (17560): #0      Cart.total (package:shop/cart.dart:42:7)',
      'dart',
      'Cart.total cart.dart:42',
    ],
    [
      'an error record of PowerShell',
      'ScriptStackTrace      : at Get-Price, /srv/cart.psm1: line 12\n                        at <ScriptBlock>, /srv/main.ps1: line 3',
      'powershell',
      'Get-Price cart.psm1:12',
    ],
    [
      'a module behind loaders of webpack',
      'TypeError: x\n    at setup (webpack-internal:///./node_modules/babel-loader/lib/index.js!./node_modules/vue-loader/dist/index.js??ruleSet[0]!./src/Cart.vue?vue&type=script:42:5)',
      'js',
      'setup Cart.vue:42',
    ],
    [
      'Swift 5 on Linux',
      'Fatal error: x\n1    Run                                0x000055d1a2b3c4 Cart.total(_:) + 132 at /src/Sources/Cart.swift:42',
      'swift',
      'Cart.total(_:) Cart.swift:42',
    ],
    [
      'ThreadSanitizer',
      'WARNING: ThreadSanitizer: data race (pid=1)\n    #0 bump() /src/counter.cc:7:3 (app+0x4a1b)\n    #1 worker() /src/main.cc:12:1 (app+0x4b1b)',
      'native',
      'bump counter.cc:7',
    ],
    [
      'Rust without a backtrace',
      "panicked at 'the index is 7', src/lib.rs:10:5",
      'rust',
      '<anonymous> lib.rs:10',
    ],
    [
      'a fatal error of PHP',
      '#0 {main}\n  thrown in /var/www/cart.php on line 12',
      'php',
      '<main> cart.php:12',
    ],
  ])('is read: %s', (_form, stack, reader, frame) => {
    expect(firstFrame(stack)).toEqual({ reader, frame });
  });

  it.each([
    [
      'what cgo makes',
      'panic: x\n\ngoroutine 1 [syscall]:\nmain._Cfunc_resize(0x1)\n\t_cgo_gotypes.go:48 +0x45\nmain.Resize(...)\n\t/srv/img.go:44 +0x1',
    ],
    [
      'the library of Groovy',
      'x.X: x\n\tat org.codehaus.groovy.runtime.Adapter.unwrap(Adapter.java:65)\n\tat Cart.Resize(Cart.groovy:44)',
    ],
    [
      'the standard library of OCaml',
      'Raised at Stdlib__Map.Make.find in file "map.ml", line 137, characters 1-2\nCalled from Cart.Resize in file "src/cart.ml", line 44, characters 2-20',
    ],
    ['the library of JRuby', "org/jruby/RubyKernel.java:1070:in `load'\n/srv/cart.rb:44:in `Resize'"],
  ])('is foreign: %s', (_what, stack) => {
    const own = readAnyStack(stack, null)
      ?.chain.at(-1)
      ?.frames.find(({ inApp }) => inApp);
    expect(own).toMatchObject({ function: expect.stringMatching(/Resize$/), line: 44 });
  });
});

describe('the bundle that Expo serves', () => {
  it('is own code, although its address begins with that of the first module', () => {
    const at =
      'at total (http://192.168.1.5:8081/node_modules/expo/AppEntry.bundle?platform=ios&dev=true:42:7)';
    expect(readAnyStack(`Error: x\n    ${at}`, null)?.chain[0]?.frames[0]).toMatchObject({ inApp: true });
    const library = 'at total (http://192.168.1.5:8081/node_modules/expo/index.js:42:7)';
    expect(readAnyStack(`Error: x\n    ${library}`, null)?.chain[0]?.frames[0]).toMatchObject({
      inApp: false,
    });
  });
});

describe('a trace of two runtimes', () => {
  it.each([
    [
      'Python in Spark',
      'org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n  File "/srv/cart.py", line 42, in total\n    x\nValueError: boom\n\n\tat org.apache.spark.A.b(A.scala:1)\n\tat org.apache.spark.A.c(A.scala:2)\n\tat org.apache.spark.A.d(A.scala:3)',
      'total cart.py:42',
    ],
    [
      'JavaScript in GraalVM',
      'com.oracle.X: x\n\tat <js> total(cart.js:42:10-20)\n\tat <js> :program(main.js:1:1-5)\n\tat com.shop.Main.main(Main.java:5)',
      'total cart.js:42',
    ],
    [
      'Ruby in JRuby',
      'RuntimeError: x\n\tat RUBY.total(/srv/cart.rb:42)\n\tat org.jruby.A.b(A.java:5)',
      'total cart.rb:42',
    ],
    [
      'a block of Ruby in JRuby',
      'RuntimeError: x\n\tat RUBY.block (2 levels) in Shop#total!(/srv/cart.rb:42)\n\tat RUBY.block in <class:Cart>(/srv/cart.rb:7)\n\tat org.jruby.A.b(A.java:5)',
      'total! cart.rb:42',
    ],
    [
      'an operator of Ruby in JRuby, evaluated',
      'RuntimeError: x\n\tat RUBY.[]=(uri:classloader:/shop/cart.rb:42)\n\tat RUBY.<main>(-e:1)\n\tat org.jruby.A.b(A.java:5)',
      '[]= cart.rb:42',
    ],
    ['R8', 'java.lang.X: x\n\tat com.shop.Cart.total(r8-map-id-0123456789abcdef:12)', 'total :12'],
    [
      'a lambda first',
      'java.lang.X: x\n\tat com.shop.Cart.total(Cart.java:42)\n\tat com.shop.Cart$$Lambda$14/1234567.run(Unknown Source)\n\tat java.base/java.lang.Thread.run(Thread.java:834)',
      'total Cart.java:42',
    ],
    [
      'a component of Vue',
      'TypeError: x\n    at Proxy.total (Cart.vue:42:5)\n    at main (main.ts:7:1)',
      'total Cart.vue:42',
    ],
    [
      'the console of Chromium',
      '[INFO:CONSOLE(42)] "Uncaught TypeError: x", source: https://localhost/main.js (42)',
      '<anonymous> main.js:42',
    ],
    [
      'the console of a web view',
      'Uncaught TypeError: x -- From line 42 of https://localhost/main.js',
      '<anonymous> main.js:42',
    ],
    [
      'Haskell, whose lines name what was called',
      'x\nCallStack (from HasCallStack):\n  error, called at src/Cart.hs:42:3 in shop-0.1:Cart\n  total, called at app/Main.hs:5:1 in main:Main',
      'total Cart.hs:42',
    ],
    [
      'Haskell with one line',
      'x\nCallStack (from HasCallStack):\n  error, called at src/Cart.hs:42:3 in shop-0.1:Cart',
      '<anonymous> Cart.hs:42',
    ],
    [
      'R, whose lines name what was called',
      '4: stop("empty") at cart.R#42\n3: total(cart) at main.R#5\n2: main()\n1: source("main.R")',
      'total cart.R:42',
    ],
    ['R without places', '3: stop("empty")\n2: total(cart)\n1: main()', 'total :null'],
    [
      'a compiled template of Rails',
      "x (RuntimeError)\napp/views/carts/show.html.erb:42:in 'block in _app_views_carts_show_html_erb___1864927411234_47260'\n/srv/app/cart.rb:7:in 'Cart#show'",
      '<main> show.html.erb:42',
    ],
    [
      'evaluated Ruby',
      "x (RuntimeError)\n(eval at /srv/dsl.rb:5):2:in 'total'\n/srv/main.rb:7:in '<main>'",
      'total dsl.rb:5',
    ],
  ])('shows the place of the failure: %s', (_pair, stack, frame) => {
    expect(firstFrame(stack).frame).toBe(frame);
  });
});
