/** One failure as some runtime writes it. */
export interface LabelledTrace {
  /** The cause; traces of one cause belong together. */
  cause: string;
  from: 'server' | 'browser';
  type: string;
  message: string;
  stack: string;
}

function server(cause: string, type: string, message: string, ...stacks: string[]): LabelledTrace[] {
  return stacks.map((stack) => ({ cause, from: 'server', type, message, stack }));
}

function browser(cause: string, type: string, ...told: [message: string, stack: string][]): LabelledTrace[] {
  return told.map(([message, stack]) => ({ cause, from: 'browser', type, message, stack }));
}

const BUNDLES = ['checkout-3f9a2c1b.js', 'checkout-9be01d77.js', 'checkout-BxY9_aQz.js', 'checkout.js'];
const SITE = 'https://shop.example/assets';

/** One call of a property of nothing, as eight browsers and editions word it. */
function focusIn(caller: string): [string, string][] {
  const v8 = (bundle: string, line: number) =>
    `TypeError: Cannot read properties of null (reading 'focus')\n    at focusFirst (${SITE}/${bundle}:1:${line})\n    at Form.${caller} (${SITE}/${bundle}:1:${line + 40})\n    at HTMLButtonElement.<anonymous> (${SITE}/${bundle}:1:${line + 90})`;
  const gecko = (bundle: string, line: number) =>
    `focusFirst@${SITE}/${bundle}:1:${line}\n${caller}@${SITE}/${bundle}:1:${line + 41}\nEventListener.handleEvent*bind@${SITE}/${bundle}:1:9`;
  const webkit = (bundle: string, line: number) =>
    `focusFirst@${SITE}/${bundle}:1:${line}\n${caller}@${SITE}/${bundle}:1:${line + 42}\n@${SITE}/${bundle}:1:7`;
  const [a = '', b = '', c = '', d = ''] = BUNDLES;
  return [
    ["Cannot read properties of null (reading 'focus')", v8(a, 100)],
    ["Cannot read properties of null (reading 'focus')", v8(b, 700)],
    ["Cannot read property 'focus' of null", v8(c, 31)],
    ['can\'t access property "focus", e.first is null', gecko(a, 104)],
    ['can\'t access property "focus", t.first is null', gecko(d, 12)],
    ["null is not an object (evaluating 'e.first.focus')", webkit(a, 107)],
    ["null is not an object (evaluating 'n.first.focus')", webkit(c, 18)],
    ["null is not an object (evaluating 'n.first.focus()')", webkit(b, 2)],
  ];
}

const V8_DEEP =
  '    at walk (https://shop.example/tree.js:3:9)\n    at walkAll (https://shop.example/tree.js:7:5)\n';

/** Written by hand after what each runtime writes; recorded ones are in `traces/recorded-traces.json`. */
export const LABELLED_TRACES: readonly LabelledTrace[] = [
  ...browser('focus on submit', 'TypeError', ...focusIn('onSubmit')),
  ...browser('focus on open', 'TypeError', ...focusIn('onOpen')),
  ...browser(
    'unknown variable',
    'ReferenceError',
    ['gtagId is not defined', `ReferenceError: gtagId is not defined\n    at track (${SITE}/track.js:1:1)`],
    ["Can't find variable: gtagId", `track@${SITE}/track.js:1:3\nglobal code@${SITE}/track.js:9:9`],
  ),
  ...browser(
    'not a function',
    'TypeError',
    [
      'cart.sum is not a function',
      `TypeError: cart.sum is not a function\n    at show (${SITE}/list.js:1:1)`,
    ],
    [
      "cart.sum is not a function. (In 'cart.sum()', 'cart.sum' is undefined)",
      `show@${SITE}/list.js:1:3\n${SITE}/list.js:9:9`,
    ],
  ),
  ...browser(
    'recursion in a page',
    'RangeError',
    [
      'Maximum call stack size exceeded',
      `RangeError: Maximum call stack size exceeded\n${V8_DEEP.repeat(5)}`,
    ],
    [
      'Maximum call stack size exceeded.',
      'walkAll@https://shop.example/tree.js:7:5\nwalk@https://shop.example/tree.js:3:9\n'.repeat(4),
    ],
  ),
  ...browser(
    'minified',
    'Error',
    [
      'basket is locked',
      `Error: basket is locked\n    at a (${SITE}/index-BxY9_aQz.js:1:2)\n    at bc (${SITE}/index-BxY9_aQz.js:1:90)`,
    ],
    [
      'basket is locked',
      `Error: basket is locked\n    at xK (${SITE}/index-Qq7_zA1b.js:1:4)\n    at t (${SITE}/index-Qq7_zA1b.js:1:77)`,
    ],
  ),
  ...browser(
    'blob worker',
    'Error',
    [
      'no frame',
      'Error: no frame\n    at decode (blob:https://shop.example/550e8400-e29b-41d4-a716-446655440000:1:2)',
    ],
    ['no frame', 'decode@blob:https://shop.example/650e8400-e29b-41d4-a716-446655440001:1:2'],
  ),
  ...browser(
    'evaluated code',
    'Error',
    [
      'rule failed',
      'apply2@https://shop.example/rules.js line 5 > eval:1:2\nrunRule@https://shop.example/rules.js:9:1',
    ],
    [
      'rule failed',
      'apply2@https://shop.example/rules.js line 19 > Function:1:2\nrunRule@https://shop.example/rules.js:29:1',
    ],
  ),
  ...server(
    'hermes',
    'TypeError',
    'price is missing',
    'TypeError: price is missing\n    at renderCart (address at index.android.bundle:1:23456)\n    at anonymous (address at index.android.bundle:1:999)',
    'TypeError: price is missing\n    at renderCart (address at index.android.bundle:1:99456)\n    at anonymous (address at index.android.bundle:1:1999)',
  ),
  ...server(
    'dart',
    'StateError',
    'cart is closed',
    '#0      Cart.total (package:shop/src/cart.dart:12:5)\n#1      main.<anonymous closure> (package:shop/main.dart:40:3)\n<asynchronous suspension>\n#2      _rootRun (dart:async/zone.dart:1399:13)',
    '#0      Cart.total (package:shop/src/cart.dart:19:5)\n#1      main.<anonymous closure> (package:shop/main.dart:44:3)\n#2      _rootRunUnary (dart:async/zone.dart:1407:47)',
  ),
  ...server(
    'mono',
    'System.NullReferenceException',
    'Object reference not set to an instance of an object',
    '  at Shop.Cart.Total (System.Int32 x) [0x00012] in <a1b2c3d4e5f60718293a4b5c6d7e8f90>:0 \n  at Shop.App.Main () [0x00000] in /src/App.cs:12 ',
    '  at Shop.Cart.Total (System.Int32 x) [0x0001f] in <ffb2c3d4e5f60718293a4b5c6d7e8f90>:0 \n  at Shop.App.Main () [0x00009] in /build/App.cs:15 ',
  ),
  ...server(
    'unity',
    'NullReferenceException',
    'no camera',
    'Shop.Cart:Total(Int32) (at Assets/Scripts/Cart.cs:12)\nUnityEngine.Events.UnityEvent:Invoke() (at /b/UnityEvent.cs:5)',
    'Shop.Cart:Total(Int32) (at Assets/Scripts/Cart.cs:18)\nUnityEngine.Events.UnityEvent:Invoke() (at /home/b/UnityEvent.cs:7)',
  ),
  ...server(
    'go crash',
    'fatal error',
    'all goroutines are asleep - deadlock!',
    'goroutine 1 [semacquire]:\nshop/cart.(*Cart).Total(0xc000012345, 0x1)\n\t/app/cart.go:12 +0x1d fp=0xc000123 sp=0xc000100 pc=0x48f1\nmain.main()\n\t/app/main.go:5 +0x25 fp=0xc000123 sp=0xc000100 pc=0x48f1\n\ngoroutine 2 [sleep]:\nmain.other()\n\t/app/o.go:1 +0x1\nmain.others()\n\t/app/o.go:1 +0x1\nmain.more()\n\t/app/o.go:1 +0x1',
    'goroutine 1 [semacquire]:\nshop/cart.(*Cart).Total(0xc000099999, 0x1)\n\t/srv/cart.go:19 +0x1d\nmain.main()\n\t/srv/main.go:8 +0x25',
  ),
  ...server(
    'go errors',
    'error',
    'price is missing',
    'price is missing\nmain.total\n\t/app/cart.go:12\nmain.main\n\t/app/main.go:5\nruntime.main\n\t/usr/local/go/src/runtime/proc.go:250\nruntime.goexit\n\t/usr/local/go/src/runtime/asm_amd64.s:1594',
    'price is missing\nmain.total\n\t/srv/cart.go:14\nmain.main\n\t/srv/main.go:7\nruntime.main\n\t/opt/go/src/runtime/proc.go:271\nruntime.goexit\n\t/opt/go/src/runtime/asm_arm64.s:1222',
  ),
  ...server(
    'rust',
    'panic',
    'index out of bounds: the len is 3 but the index is 7',
    "thread 'main' panicked at src/main.rs:4:5\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/abc/library/std/src/panicking.rs:617:5\n   1: core::panicking::panic_fmt\n             at /rustc/abc/library/core/src/panicking.rs:67:14\n   2: shop::cart::total::h0123456789abcdef\n             at ./src/cart.rs:12:5\n   3: shop::main\n             at ./src/main.rs:4:5",
    "thread 'main' panicked at src/main.rs:8:5\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/def/library/std/src/panicking.rs:645:5\n   1: core::panicking::panic_fmt\n             at /rustc/def/library/core/src/panicking.rs:72:14\n   2: shop::cart::total::hfedcba9876543210\n             at /build/src/cart.rs:19:5\n   3: shop::main\n             at /build/src/main.rs:8:5",
  ),
  ...server(
    'tombstone',
    'SIGABRT',
    'Abort message',
    '      #00 pc 000000000004e53c  /apex/com.android.runtime/lib64/bionic/libc.so (abort+164)\n      #01 pc 0000000000012345  /data/app/~~aa==/com.shop-y==/lib/arm64/libshop.so (cart_total(int)+64) (BuildId: abcd)\n      #02 pc 0000000000012399  /data/app/~~aa==/com.shop-y==/lib/arm64/libshop.so (Java_com_shop_Cart_total+24)',
    '      #00 pc 000000000005153c  /apex/com.android.runtime/lib64/bionic/libc.so (abort+168)\n      #01 pc 0000000000022345  /data/app/~~bb==/com.shop-z==/lib/arm64/libshop.so (cart_total(int)+72) (BuildId: ef01)\n      #02 pc 0000000000022399  /data/app/~~bb==/com.shop-z==/lib/arm64/libshop.so (Java_com_shop_Cart_total+28)',
  ),
  ...server(
    'sanitizer',
    'heap-buffer-overflow',
    'AddressSanitizer',
    '    #0 0x4a3b2c in cart_total /src/cart.c:12:3\n    #1 0x4a3b99 in main /src/main.c:5:1\n    #2 0x7f1a in __libc_start_main (/lib/x86_64-linux-gnu/libc.so.6+0x2409a)',
    '    #0 0x5b3b2c in cart_total /src/cart.c:14:3\n    #1 0x5b3b99 in main /src/main.c:7:1\n    #2 0x7f2b in __libc_start_main (/lib/x86_64-linux-gnu/libc.so.6+0x2503b)',
  ),
  ...server(
    'glibc',
    'SIGSEGV',
    'segmentation fault',
    './shop(cart_total+0x12)[0x400812]\n./shop(main+0x20)[0x400900]\n/lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0xf0)[0x7f00]',
    './shop(cart_total+0x16)[0x560812]\n./shop(main+0x24)[0x560900]\n/lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0xe7)[0x7e00]',
  ),
  ...server(
    'debugger',
    'SIGABRT',
    'aborted',
    '#0  0x00007ffff7a42428 in __GI_raise (sig=6) at ../sysdeps/unix/sysv/linux/raise.c:54\n#1  0x0000000000400812 in cart_sum (n=1) at sum.c:12\n#2  0x0000000000400900 in main () at main.c:5',
    '#0  0x00007f0000a42428 in __GI_raise (sig=6) at ../sysdeps/unix/sysv/linux/raise.c:51\n#1  0x0000560000400812 in cart_sum.constprop.0 (n=9) at sum.c:17\n#2  0x0000560000400900 in main () at main.c:9',
  ),
  ...server(
    'windows',
    'Access violation',
    'access violation',
    'shop!cart::total+0x12 [c:\\src\\cart.cpp @ 12]\nshop!main+0x20\nkernel32!BaseThreadInitThunk+0x14\nntdll!RtlUserThreadStart+0x21',
    'shop!cart::total+0x19 [d:\\agent\\cart.cpp @ 18]\nshop!main+0x2a\nkernel32!BaseThreadInitThunk+0x1d\nntdll!RtlUserThreadStart+0x28',
  ),
  ...server(
    'elixir',
    'RuntimeError',
    'price is missing',
    '** (RuntimeError) price is missing\n    (shop 0.1.0) lib/shop/cart.ex:12: Shop.Cart.total/1\n    (shop 0.1.0) lib/shop/web.ex:40: anonymous fn/2 in Shop.Web.call/2\n    (elixir 1.15.0) lib/enum.ex:1693: Enum."-map/2-lists^map/1-1-"/2',
    '** (RuntimeError) price is missing\n    (shop 0.2.0) lib/shop/cart.ex:15: Shop.Cart.total/1\n    (shop 0.2.0) lib/shop/web.ex:42: anonymous fn/2 in Shop.Web.call/2\n    (elixir 1.17.1) lib/enum.ex:1700: Enum."-map/2-lists^map/1-1-"/2',
  ),
  ...server(
    'erlang',
    'badarg',
    'bad argument',
    'exception error: bad argument\n  in function  cart:total/1 (src/cart.erl, line 12)\n  in call from web:call/2 (src/web.erl, line 40)',
    'exception error: bad argument\n  in function  cart:total/1 (src/cart.erl, line 19)\n  in call from web:call/2 (src/web.erl, line 44)',
  ),
  ...server(
    'symfony',
    'RuntimeException',
    'price is missing',
    '  at App\\Cart->total()\n     (src/Cart.php:12)\n  at App\\Web->call(object(Request))\n     (src/Web.php:40)\n  at Symfony\\HttpKernel->handle(object(Request))\n     (vendor/symfony/http-kernel/HttpKernel.php:163)',
    '  at App\\Cart->total() (src/Cart.php:19)\n  at App\\Web->call(object(Request)) (src/Web.php:44)\n  at Symfony\\HttpKernel->handle(object(Request)) (vendor/symfony/http-kernel/HttpKernel.php:181)',
  ),
  ...server(
    'crystal',
    'Exception',
    'price is missing',
    "  from src/cart.cr:12:3 in 'total'\n  from src/main.cr:5:1 in '__crystal_main'",
    "  from src/cart.cr:19:3 in 'total'\n  from src/main.cr:9:1 in '__crystal_main'",
  ),
  ...server(
    'powershell',
    'RuntimeException',
    'price is missing',
    'at Get-Total, C:\\shop\\Cart.psm1: line 12\nat <ScriptBlock>, C:\\shop\\main.ps1: line 5',
    'at Get-Total, D:\\agents\\shop\\Cart.psm1: line 19\nat <ScriptBlock>, D:\\agents\\shop\\main.ps1: line 9',
  ),
  ...server(
    'julia',
    'ErrorException',
    'price is missing',
    'Stacktrace:\n [1] error(s::String)\n   @ Base ./error.jl:35\n [2] total(x::Int64)\n   @ Main ~/shop/cart.jl:12\n [3] web(x::Int64)\n   @ Main ~/shop/main.jl:5',
    'Stacktrace:\n [1] error(s::String)\n   @ Base ./error.jl:33\n [2] total(x::Float64)\n   @ Main /srv/shop/cart.jl:19\n [3] web(x::Float64)\n   @ Main /srv/shop/main.jl:9',
  ),
  ...server(
    'haskell',
    'ErrorCall',
    'price is missing',
    'CallStack (from HasCallStack):\n  error, called at src/Cart.hs:12:3 in shop-0.1:Cart\n  total, called at app/Main.hs:5:1 in main:Main',
    'CallStack (from HasCallStack):\n  error, called at src/Cart.hs:19:3 in shop-0.2:Cart\n  total, called at app/Main.hs:9:1 in main:Main',
  ),
  ...server(
    'names beyond ascii',
    'java.lang.IllegalStateException',
    'price is missing',
    'java.lang.IllegalStateException: price is missing\n\tat com.shop.Größe.берём(Größe.kt:12)\n\tat app//com.shop.Main.main(Main.kt:5)',
    'java.lang.IllegalStateException: price is missing\n\tat com.shop.Größe.берём(Größe.kt:19)\n\tat com.shop.Main.main(Main.kt:7)',
  ),
  ...server(
    'clojure',
    'java.lang.RuntimeException',
    'price is missing',
    'java.lang.RuntimeException: price is missing\n\tat shop.core$total.invokeStatic(core.clj:12)\n\tat shop.core$total.invoke(core.clj:11)\n\tat shop.web$call$fn__1234.invoke(web.clj:40)',
    'java.lang.RuntimeException: price is missing\n\tat shop.core$total.invokeStatic(core.clj:19)\n\tat shop.core$total.invoke(core.clj:18)\n\tat shop.web$call$fn__99.invoke(web.clj:44)',
  ),
  ...server(
    'python group',
    'ExceptionGroup',
    'jobs failed (2 sub-exceptions)',
    '  + Exception Group Traceback (most recent call last):\n  |   File "/app/jobs.py", line 9, in run\n  |     raise ExceptionGroup("jobs failed", found)\n  | ExceptionGroup: jobs failed (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File "/app/mail.py", line 4, in send\n    |     raise OSError("no route")\n    | OSError: no route\n    +---------------- 2 ----------------\n    | Traceback (most recent call last):\n    |   File "/app/pay.py", line 4, in pay\n    |     raise ValueError("no card")\n    | ValueError: no card\n    +------------------------------------\n',
    '  + Exception Group Traceback (most recent call last):\n  |   File "/app/jobs.py", line 12, in run\n  |     raise ExceptionGroup("jobs failed", found)\n  | ExceptionGroup: jobs failed (3 sub-exceptions)\n  +-+---------------- 1 ----------------\n    | Traceback (most recent call last):\n    |   File "/app/pay.py", line 5, in pay\n    |     raise ValueError("no card")\n    | ValueError: no card\n    +---------------- 2 ----------------\n    | Traceback (most recent call last):\n    |   File "/app/pay.py", line 5, in pay\n    |     raise ValueError("no card")\n    | ValueError: no card\n    +---------------- 3 ----------------\n    | Traceback (most recent call last):\n    |   File "/app/mail.py", line 8, in send\n    |     raise OSError("no route")\n    | OSError: no route\n    +------------------------------------\n',
  ),
];
