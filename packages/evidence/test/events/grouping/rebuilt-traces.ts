/** Traces of one failure in two builds, processes or runs, each with what wrote it. */
export const REBUILT_TRACES: readonly (readonly [string, string, string])[] = [
  [
    'debugger',
    'E: boom\n#0 0x000055d0c0ffee01 in total cart.c:12\n#1 0x000055d0c0ffee77 in main main.c:40',
    'E: boom\n#0 0x00007fd0c0aaaa01 in total cart.c:12\n#1 0x00007fd0c0aaaa77 in main main.c:40',
  ],
  [
    'address first',
    'E: boom\n 0x000055d0c0ffee01 total + 12 (cart.c:42)\n 0x000055d0c0ffee07 main + 1 (main.c:4)',
    'E: boom\n 0x00007fd0c0aaaa01 total + 12 (cart.c:42)\n 0x00007fd0c0aaaa77 main + 1 (main.c:4)',
  ],
  [
    'Free Pascal',
    'An unhandled exception occurred at $000000000040129A:\nEListError: boom\n  $000000000040129A  TOTAL,  line 42 of cart.pas\n  $00000000004012CA  main,  line 4 of main.pas',
    'An unhandled exception occurred at $000000000077129A:\nEListError: boom\n  $000000000077129A  TOTAL,  line 42 of cart.pas\n  $00000000007712CA  main,  line 4 of main.pas',
  ],
  [
    'Delphi',
    '[0062AB3C] Cart.Total (Line 42, "Cart.pas")\n[0062AB9C] Main.Run (Line 4, "Main.pas")',
    '[0162AB3C] Cart.Total (Line 42, "Cart.pas")\n[0162AB9C] Main.Run (Line 4, "Main.pas")',
  ],
  [
    'Zig',
    'thread 123 panic: boom\n/src/cart.zig:42:5: 0x103c8f in total (cart)\n/src/main.zig:4:5: 0x103d8f in main (cart)',
    'thread 987 panic: boom\n/src/cart.zig:42:5: 0x203c8f in total (cart)\n/src/main.zig:4:5: 0x203d8f in main (cart)',
  ],
  [
    'D',
    'object.Exception@cart.d(42): boom\n----------------\ncart.d:42 int cart.total(int) [0x55d0c0ffee]\nmain.d:4 _Dmain [0x55d0c0ffff]',
    'object.Exception@cart.d(42): boom\n----------------\ncart.d:42 int cart.total(int) [0x7fd0c0ffee]\nmain.d:4 _Dmain [0x7fd0c0ffff]',
  ],
  [
    'Boost',
    ' 0# total(int) at /src/cart.cpp:42\n 1# 0x000055D0C0FFEE01 in ./app\n 2# main at /src/main.cpp:4',
    ' 0# total(int) at /src/cart.cpp:42\n 1# 0x000077D0C0FFEE01 in ./app\n 2# main at /src/main.cpp:4',
  ],
  [
    'valgrind',
    '==123== Invalid read of size 4\n==123==    at 0x401134: total (cart.c:42)\n==123==    by 0x401156: main (main.c:4)',
    '==987== Invalid read of size 4\n==987==    at 0x701134: total (cart.c:42)\n==987==    by 0x701156: main (main.c:4)',
  ],
  [
    'Swift',
    '0   Shop   0x0000000104e1c5f0 total + 120 (Cart.swift:42)\n1   Shop   0x0000000104e1c6f0 main + 20 (main.swift:4)',
    '0   Shop   0x0000000204e1c5f0 total + 121 (Cart.swift:42)\n1   Shop   0x0000000204e1c6f0 main + 22 (main.swift:4)',
  ],
  [
    'address between place and name',
    'E: boom\n  cart.c:42 0x55d0c0ffee01 total\n  main.c:4 0x55d0c0ffee02 main',
    'E: boom\n  cart.c:42 0x77d0c0ffee01 total\n  main.c:4 0x77d0c0ffee02 main',
  ],
  [
    'address without a prefix',
    'E: boom\n  00401134 total cart.c:42\n  00401156 main main.c:4',
    'E: boom\n  00701134 total cart.c:42\n  00701156 main main.c:4',
  ],
  [
    'address with a colon',
    'E: boom\n  00401134: total (cart.c:42)\n  00401156: main (main.c:4)',
    'E: boom\n  00701134: total (cart.c:42)\n  00701156: main (main.c:4)',
  ],
  [
    'address alone',
    'E: boom\n  0x00401134 (cart.c:42)\n  0x00401156 (main.c:4)',
    'E: boom\n  0x00701134 (cart.c:42)\n  0x00701156 (main.c:4)',
  ],
  [
    'address at the end',
    'E: boom\n  total (cart.c:42) [0x401134]\n  main (main.c:4) [0x401136]',
    'E: boom\n  total (cart.c:42) [0x701134]\n  main (main.c:4) [0x701136]',
  ],
  [
    'Windows',
    'cart!total+0x12 [C:\\src\\cart.c @ 42]\ncart!main+0x42 [C:\\src\\main.c @ 4]',
    'cart!total+0x32 [C:\\src\\cart.c @ 42]\ncart!main+0x62 [C:\\src\\main.c @ 4]',
  ],
  [
    'Nim',
    '/src/cart.nim(42) total\n/src/main.nim(4) main 0x1234567',
    '/src/cart.nim(42) total\n/src/main.nim(4) main 0x9234567',
  ],
  [
    'ERB of Rails',
    "app/views/users/show.html.erb:3:in '_app_views_users_show_html_erb___1864927411234_47260'",
    "app/views/users/show.html.erb:3:in '_app_views_users_show_html_erb___2231117771234_99820'",
  ],
  [
    'ERB of older Rails',
    "/srv/app/views/users/show.html.erb:3:in `block in _app_views_users_show_html_erb__1864927411234_47260'",
    "/srv/app/views/users/show.html.erb:3:in `block in _app_views_users_show_html_erb___2231117771234_99820'",
  ],
  [
    'anonymous Ruby class',
    "/srv/cart.rb:3:in '#<Class:0x00007f8b1c0d3e40>#total'",
    "/srv/cart.rb:3:in '#<Class:0x00007a8b1c0d3f40>#total'",
  ],
  [
    'IPython',
    'Traceback (most recent call last):\n  File "<ipython-input-3-abc123>", line 1, in <module>\n  File "/tmp/ipykernel_123/456.py", line 2, in total\nE: boom',
    'Traceback (most recent call last):\n  File "<ipython-input-9-fff123>", line 1, in <module>\n  File "/tmp/ipykernel_99/8456.py", line 2, in total\nE: boom',
  ],
  [
    'Databricks cell',
    'Traceback (most recent call last):\n  File "<command-123>", line 1, in <module>\nE: boom',
    'Traceback (most recent call last):\n  File "<command-987654>", line 1, in <module>\nE: boom',
  ],
  [
    'Databricks file',
    'Traceback (most recent call last):\n  File "/home/ada/.ipykernel/1234/command-123456-7890123", line 1, in <module>\nE: boom',
    'Traceback (most recent call last):\n  File "/home/ada/.ipykernel/987/command-3333456-17890123", line 1, in <module>\nE: boom',
  ],
  [
    'temporary directory',
    'Traceback (most recent call last):\n  File "/tmp/tmpab12cd/cart.py", line 1, in total\nE: boom',
    'Traceback (most recent call last):\n  File "/tmp/tmpzz98qx/cart.py", line 1, in total\nE: boom',
  ],
  [
    'temporary file',
    'Traceback (most recent call last):\n  File "/tmp/tmpab12cd.py", line 1, in total\nE: boom',
    'Traceback (most recent call last):\n  File "/tmp/tmpzz98qx.py", line 1, in total\nE: boom',
  ],
  [
    'pytest',
    'Traceback (most recent call last):\n  File "/tmp/pytest-of-ci/pytest-12/test_cart0/cart.py", line 1, in total\nE: boom',
    'Traceback (most recent call last):\n  File "/tmp/pytest-of-ci/pytest-44/test_cart1/cart.py", line 1, in total\nE: boom',
  ],
  [
    'C# script',
    'Ex: boom\n   at Submission#12.<<Initialize>>d__0.MoveNext() in /x/a.csx:line 3',
    'Ex: boom\n   at Submission#7.<<Initialize>>d__0.MoveNext() in /x/a.csx:line 3',
  ],
  [
    'C# submission',
    'Ex: boom\n   at Submission#12.Total(Int32 x)\n   at Submission#12.<Factory>(Object[] a)',
    'Ex: boom\n   at Submission#7.Total(Int32 x)\n   at Submission#7.<Factory>(Object[] a)',
  ],
  [
    'compiled ASP.NET page',
    'Ex: boom\n   at ASP.cart_aspx_a1b2.__Render(HtmlTextWriter w)\n   at System.Web.X.Y()',
    'Ex: boom\n   at ASP.cart_aspx_7c9d.__Render(HtmlTextWriter w)\n   at System.Web.X.Y()',
  ],
  [
    'Razor',
    'Ex: boom\n   at ASP._Page_Views_Cart_Index_cshtml.Execute() in c:\\x\\Views\\Cart\\Index.cshtml:line 3',
    'Ex: boom\n   at ASP._Page_Views_Cart_Index_cshtml.Execute() in d:\\x\\Views\\Cart\\Index.cshtml:line 3',
  ],
  [
    'Elixir',
    '** (E) boom\n    (shop 0.1.0) lib/shop/cart.ex:42: anonymous fn/2 in Shop.Cart.total/1\n    (shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart."-total/1-fun-3-"/2',
    '** (E) boom\n    (shop 0.1.0) lib/shop/cart.ex:42: anonymous fn/2 in Shop.Cart.total/1\n    (shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart."-total/1-fun-5-"/2',
  ],
  [
    'Erlang term',
    '[{cart,\'-total/1-fun-3-\',2,[{file,"src/cart.erl"},{line,42}]},{shop,main,1,[{file,"src/shop.erl"},{line,4}]}]',
    '[{cart,\'-total/1-fun-9-\',2,[{file,"src/cart.erl"},{line,42}]},{shop,main,1,[{file,"src/shop.erl"},{line,4}]}]',
  ],
  [
    'Elixir without quotes',
    '** (E) boom\n    lib/shop/cart.ex:42: Shop.Cart.-total/1-fun-3-/2\n    lib/shop/web.ex:4: Shop.Web.call/2',
    '** (E) boom\n    lib/shop/cart.ex:42: Shop.Cart.-total/1-fun-8-/2\n    lib/shop/web.ex:4: Shop.Web.call/2',
  ],
  [
    'Go range function',
    'panic: boom\n\ngoroutine 1 [running]:\nmain.total-range1(...)\n\t/app/cart.go:12 +0x1d\nmain.main()\n\t/app/main.go:5 +0x25',
    'panic: boom\n\ngoroutine 1 [running]:\nmain.total-range2(...)\n\t/app/cart.go:12 +0x1d\nmain.main()\n\t/app/main.go:5 +0x25',
  ],
  [
    'Go nested range function',
    'panic: boom\n\ngoroutine 1 [running]:\nmain.total.func2.1-range3(0x1)\n\t/app/cart.go:12 +0x1d\nmain.main()\n\t/app/main.go:5 +0x25',
    'panic: boom\n\ngoroutine 1 [running]:\nmain.total.func1-range1(0x1)\n\t/app/cart.go:12 +0x1d\nmain.main()\n\t/app/main.go:5 +0x25',
  ],
  [
    'hidden Java class',
    'E: boom\n\tat com.shop.Cart.total(Cart.java:12)\n\tat com.shop.Cart$$Lambda/0x00007f1c.run(Unknown Source)',
    'E: boom\n\tat com.shop.Cart.total(Cart.java:12)\n\tat com.shop.Cart$$Lambda/0x00009f1c.run(Unknown Source)',
  ],
  [
    'Mockito',
    'E: boom\n\tat com.shop.Cart$MockitoMock$1234567.total(Unknown Source)\n\tat com.shop.Web.run(Web.java:4)',
    'E: boom\n\tat com.shop.Cart$MockitoMock$987.total(Unknown Source)\n\tat com.shop.Web.run(Web.java:4)',
  ],
  [
    'Byte Buddy',
    'E: boom\n\tat com.shop.Cart$ByteBuddy$Ab12CdEf.total(Unknown Source)\n\tat com.shop.Web.run(Web.java:4)',
    'E: boom\n\tat com.shop.Cart$ByteBuddy$Zx99QqEf.total(Unknown Source)\n\tat com.shop.Web.run(Web.java:4)',
  ],
  [
    'Groovy script',
    'E: boom\n\tat Script1.run(Script1.groovy:3)\n\tat com.shop.Web.run(Web.java:4)',
    'E: boom\n\tat Script22.run(Script22.groovy:3)\n\tat com.shop.Web.run(Web.java:4)',
  ],
  [
    'Groovy closure',
    'E: boom\n\tat com.shop.Cart$_total_closure1.doCall(Cart.groovy:3)\n\tat com.shop.Web.run(Web.java:4)',
    'E: boom\n\tat com.shop.Cart$_total_closure4.doCall(Cart.groovy:3)\n\tat com.shop.Web.run(Web.java:4)',
  ],
  [
    'Kotlin lambda',
    'E: boom\n\tat com.shop.CartKt.total$lambda$3(Cart.kt:3)\n\tat com.shop.CartKt$total$1.invoke(Cart.kt:4)',
    'E: boom\n\tat com.shop.CartKt.total$lambda$5(Cart.kt:3)\n\tat com.shop.CartKt$total$2.invoke(Cart.kt:4)',
  ],
  [
    'Scala closure',
    'E: boom\n\tat shop.Cart.$anonfun$total$1(Cart.scala:3)\n\tat shop.Web.run(Web.scala:4)',
    'E: boom\n\tat shop.Cart.$anonfun$total$3(Cart.scala:3)\n\tat shop.Web.run(Web.scala:4)',
  ],
  [
    'Twig',
    'E: boom in /srv/var/cache/prod/twig/ab/abcdef1234567890abcdef1234567890.php:12\nStack trace:\n#0 /srv/vendor/twig/twig/src/Template.php(40): __TwigTemplate_0a1b2c3d4e5f60718293a4b5c6d7e8f9->doDisplay(Array)\n#1 {main}',
    'E: boom in /srv/var/cache/prod/twig/ff/ffcdef1234567890abcdef1234567890.php:12\nStack trace:\n#0 /srv/vendor/twig/twig/src/Template.php(40): __TwigTemplate_ff1b2c3d4e5f60718293a4b5c6d7e8f9->doDisplay(Array)\n#1 {main}',
  ],
  [
    'Blade',
    'E: boom in /srv/storage/framework/views/0a1b2c3d4e5f60718293a4b5c6d7e8f901234567.php:12\nStack trace:\n#0 /srv/app/X.php(40): include()\n#1 {main}',
    'E: boom in /srv/storage/framework/views/ff1b2c3d4e5f60718293a4b5c6d7e8f901234567.php:12\nStack trace:\n#0 /srv/app/X.php(40): include()\n#1 {main}',
  ],
  [
    'Smarty',
    'E: boom in /srv/templates_c/0a1b2c3d4e5f60718293a4b5c6d7e8f901234567_0.file.cart.tpl.php:12\nStack trace:\n#0 /srv/smarty/a.php(40): content_65a1b2c3d4e5f6_12345678(Object(Smarty))\n#1 {main}',
    'E: boom in /srv/templates_c/ffff2c3d4e5f60718293a4b5c6d7e8f901234567_0.file.cart.tpl.php:12\nStack trace:\n#0 /srv/smarty/a.php(40): content_75a1b2c3d4e5f6_99345678(Object(Smarty))\n#1 {main}',
  ],
  [
    'F# closure',
    'Ex: boom\n   at Shop.Cart.total@42-1.Invoke(Int32 x) in /src/Cart.fs:line 42\n   at Shop.Main.run()',
    'Ex: boom\n   at Shop.Cart.total@57-3.Invoke(Int32 x) in /src/Cart.fs:line 57\n   at Shop.Main.run()',
  ],
  [
    'compiled expression',
    'Ex: boom\n   at lambda_method123(Closure , Object )\n   at Shop.Main.run()',
    'Ex: boom\n   at lambda_method7(Closure , Object )\n   at Shop.Main.run()',
  ],
  [
    'C# closure',
    'Ex: boom\n   at Shop.Cart.<>c__DisplayClass12_0.<Total>b__3(Int32 x) in /src/Cart.cs:line 42\n   at Shop.Main.run()',
    'Ex: boom\n   at Shop.Cart.<>c__DisplayClass15_1.<Total>b__7(Int32 x) in /src/Cart.cs:line 42\n   at Shop.Main.run()',
  ],
  [
    'WebAssembly',
    'E: boom\n    at wasm-function[123] (https://a.b/x.wasm:1:2)\n    at total (https://a.b/cart.js:1:2)',
    'E: boom\n    at wasm-function[987] (https://a.b/x.wasm:1:2)\n    at total (https://a.b/cart.js:1:2)',
  ],
  [
    'WebAssembly of V8',
    'E: boom\n    at https://a.b/app-BxKnQzTr.wasm:wasm-function[123]:0x1a2b\n    at total (https://a.b/cart.js:1:2)',
    'E: boom\n    at https://a.b/app-CyLmRaUs.wasm:wasm-function[987]:0x9a2b\n    at total (https://a.b/cart.js:1:2)',
  ],
  [
    'Nuxt on a server',
    'E: boom\n    at total (file:///srv/.output/server/chunks/build/cart-Bx3nQzTr.mjs:12:5)\n    at run (/srv/.output/server/chunks/nitro/nitro.mjs:1:2)',
    'E: boom\n    at total (file:///srv/.output/server/chunks/build/cart-Dm8kZw2q.mjs:12:5)\n    at run (/srv/.output/server/chunks/nitro/nitro.mjs:1:2)',
  ],
  [
    'numbered chunk',
    'E: boom\n    at total (/app/.next/server/chunks/1234.js:12:5)\n    at run (/app/.next/server/app/page.js:1:2)',
    'E: boom\n    at total (/app/.next/server/chunks/5678.js:12:5)\n    at run (/app/.next/server/app/page.js:1:2)',
  ],
  [
    'Turbopack on a server',
    'E: boom\n    at total (/app/.next/server/chunks/ssr/[root-of-the-server]__a1b2c3._.js:12:5)',
    'E: boom\n    at total (/app/.next/server/chunks/ssr/[root-of-the-server]__99b2c3._.js:12:5)',
  ],
  [
    'IL2CPP',
    'E: boom\n#0 0x1 in Cart_Total_m1A2B3C4D5E6F7A8B9C0D1E2F3A4B5C6D7E8F9A0B at Cart.cpp:12',
    'E: boom\n#0 0x1 in Cart_Total_mFFFB3C4D5E6F7A8B9C0D1E2F3A4B5C6D7E8F9A0B at Cart.cpp:12',
  ],
  [
    'OCaml symbol',
    '#0 0x1 in camlCart__total_1234 at cart.ml:12',
    '#0 0x1 in camlCart__total_999 at cart.ml:12',
  ],
  [
    'Rust',
    "thread 'main' panicked at src/cart.rs:3:5:\nboom\nstack backtrace:\n   0: cart::total::h0123456789abcdef\n             at ./src/cart.rs:3:5\n   1: cart::main::{{closure}}::h0123456789abcdee\n             at ./src/main.rs:3:5",
    "thread 'main' panicked at src/cart.rs:3:5:\nboom\nstack backtrace:\n   0: cart::total::hff23456789abcdef\n             at ./src/cart.rs:3:5\n   1: cart::main::{{closure}}::hff23456789abcdee\n             at ./src/main.rs:3:5",
  ],
  [
    'module of webpack',
    'E: boom\n    at Object.4711 (https://a.b/assets/cart.js:1:2)\n    at __webpack_require__ (https://a.b/assets/cart.js:1:9)',
    'E: boom\n    at Object.5822 (https://a.b/assets/cart.js:1:2)\n    at __webpack_require__ (https://a.b/assets/cart.js:1:9)',
  ],
  [
    'Lua chunk',
    'boom\nstack traceback:\n\t[string "local x = 12345..."]:3: in function \'total\'\n\t/srv/cart.lua:3: in main chunk',
    'boom\nstack traceback:\n\t[string "local x = 99945..."]:3: in function \'total\'\n\t/srv/cart.lua:3: in main chunk',
  ],
];

/** What a frame of each language is in another run: file or type, and function. */
const python = (file: string) =>
  `Traceback (most recent call last):\n  File "${file}", line 1, in total\nE: boom`;
const java = (type: string, method = 'total') =>
  `E: boom\n\tat ${type}.${method}(Cart.java:3)\n\tat com.shop.Web.run(Web.java:4)`;
const node = (file: string) => `E: boom\n    at total (${file}:1:2)\n    at run (${file}:3:4)`;
const ruby = (method: string) => `/srv/cart.rb:3:in '${method}'`;
const php = (call: string) =>
  `E: boom in /srv/cart.php:12\nStack trace:\n#0 /srv/a.php(40): ${call}\n#1 {main}`;
const apple = (symbol: string) =>
  `0   Shop   0x0000000104e1c5f0 ${symbol} + 120\n1   Shop   0x0000000104e1c6f0 main + 20`;

export const REBUILT_FRAMES: readonly (readonly [string, string, string])[] = [
  ['Beam', python('/tmp/beam-temp-abc123/pipeline.py'), python('/tmp/beam-temp-zz9q77/pipeline.py')],
  ['Airflow', python('/tmp/airflowtmp1x2y3z4/dag.py'), python('/tmp/airflowtmp9q8w7e6/dag.py')],
  ['Colab', python('/tmp/ipython-input-12-1234567890.py'), python('/tmp/ipython-input-3-987654321.py')],
  ['Heroku', python('/tmp/build_a1b2c3d4/cart.py'), python('/tmp/build_99b2c3d4/cart.py')],
  [
    'a Nix store',
    python('/nix/store/0c1d2e3f4g5h6i7j8k9l0m1n2p3q4r5s-shop-1.0/cart.py'),
    python('/nix/store/zz1d2e3f4g5h6i7j8k9l0m1n2p3q4r5s-shop-1.1/cart.py'),
  ],
  [
    'a temporary directory of macOS',
    node('file:///var/folders/ab/xyz12/T/wrangler-AbC123/cart.js'),
    node('file:///var/folders/zz/qqq12/T/wrangler-ZzQ987/cart.js'),
  ],
  ['a Weld proxy', java('com.shop.Cart$Proxy$_$$_WeldSubclass'), java('com.shop.Cart')],
  ['a Quarkus proxy', java('com.shop.Cart_ClientProxy'), java('com.shop.Cart')],
  ['a Quarkus subclass', java('com.shop.Cart_Subclass', 'total$$superforward'), java('com.shop.Cart')],
  [
    'code that Spark generates',
    java('org.shop.GeneratedClass$GeneratedIteratorForCodegenStage1', 'processNext'),
    java('org.shop.GeneratedClass$GeneratedIteratorForCodegenStage7', 'processNext'),
  ],
  ['a Scala shell', java('$line12.$read$$iw$Cart'), java('$line15.$read$$iw$Cart')],
  [
    'a Clojure function',
    java('shop.cart$total$fn__1234', 'invoke'),
    java('shop.cart$total$fn__9876', 'invoke'),
  ],
  ['a callback of Rails', ruby('_callback_around_12'), ruby('_callback_around_34')],
  ['an anonymous module', ruby('#<Module:0x000001>#total'), ruby('#<Module:0x0000ff>#total')],
  ["Symfony's container", php('ContainerAbC123x\\getCart::do()'), php('ContainerZq98Wex\\getCart::do()')],
  ["PHPUnit's mock", php('Mock_Cart_a1b2c3d4->total()'), php('Mock_Cart_ff0ac3d4->total()')],
  ['a block', apple('__17-[Cart total]_block_invoke_2'), apple('__19-[Cart total]_block_invoke_3')],
];
