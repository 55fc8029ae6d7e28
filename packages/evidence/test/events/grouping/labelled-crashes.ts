import type { LabelledTrace } from './labelled-traces.ts';

/** One crash of each native family, written by hand: from two builds at two load addresses, with other machinery around. */
const CRASHES: Readonly<Record<string, readonly string[]>> = {
  'Android, bad address': [
    `signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x10
backtrace:
      #00 pc 0000000000012345  /data/app/~~abc==/com.shop-xyz==/lib/arm64/libshop.so (cart_total+24) (BuildId: 1a2b3c4d)
      #01 pc 0000000000012399  /data/app/~~abc==/com.shop-xyz==/lib/arm64/libshop.so (checkout+120) (BuildId: 1a2b3c4d)
      #02 pc 00000000000e1234  /apex/com.android.runtime/lib64/bionic/libc.so (__pthread_start(void*)+64)`,
    `signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x18
backtrace:
      #00 pc 00000000000aa345  /data/app/~~qqq==/com.shop-abc==/lib/arm64/libshop.so (cart_total+28) (BuildId: 99aabb)
      #01 pc 00000000000aa399  /data/app/~~qqq==/com.shop-abc==/lib/arm64/libshop.so (checkout+124) (BuildId: 99aabb)
      #02 pc 00000000000e9234  /apex/com.android.runtime/lib64/bionic/libc.so (__pthread_start(void*)+60)`,
  ],
  'Android, abort': [
    `signal 6 (SIGABRT), code -1
backtrace:
      #00 pc 0000000000089a3c  /apex/com.android.runtime/lib64/bionic/libc.so (abort+164)
      #01 pc 0000000000012345  /data/app/com.shop/lib/arm64/libshop.so (cart_check+24)
      #02 pc 0000000000012399  /data/app/com.shop/lib/arm64/libshop.so (checkout+120)`,
    `signal 6 (SIGABRT), code -6
backtrace:
      #00 pc 0000000000089b3c  /apex/com.android.runtime/lib64/bionic/libc.so (abort+180)
      #01 pc 0000000000012245  /data/app/com.shop/lib/arm64/libshop.so (cart_check+28)
      #02 pc 0000000000012199  /data/app/com.shop/lib/arm64/libshop.so (checkout+128)`,
  ],
  AddressSanitizer: [
    `==12345==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x0000004c3a1b bp 0x7ffd sp 0x7ffd
    #0 0x4c3a1a in cart_total(Cart*) /src/cart.cc:12:5
    #1 0x4c3b2b in main /src/main.cc:40:3
    #2 0x7f1b2c in __libc_start_main (/lib/x86_64-linux-gnu/libc.so.6+0x29d8f)`,
    `==999==ERROR: AddressSanitizer: heap-use-after-free on address 0x60b000000090 at pc 0x0000004d0000 bp 0x7ffe sp 0x7ffe
    #0 0x4d0001 in cart_total(Cart*) /build/src/cart.cc:15:9
    #1 0x4d0002 in main /build/src/main.cc:44:3
    #2 0x7f9b2c in __libc_start_call_main (/lib/x86_64-linux-gnu/libc.so.6+0x29d90)`,
  ],
  debugger: [
    `#0  0x00007ffff7e4a83c in raise () from /lib/x86_64-linux-gnu/libc.so.6
#1  0x00007ffff7e2c6bb in abort () from /lib/x86_64-linux-gnu/libc.so.6
#2  0x0000555555555189 in cart_total (cart=0x5555555592a0) at cart.c:12
#3  0x00005555555551d2 in main (argc=1, argv=0x7fffffffe0f8) at main.c:40`,
    `#0  __pthread_kill_implementation (threadid=<optimized out>, signo=signo@entry=6) at ./nptl/pthread_kill.c:44
#1  0x00007ffff7e2c6bb in __GI_raise (sig=sig@entry=6) at ../sysdeps/posix/raise.c:26
#2  0x00007ffff7e2c6bb in __GI_abort () at ./stdlib/abort.c:79
#3  0x0000555555555289 in cart_total (cart=0x5555555792a0) at cart.c:19
#4  0x00005555555552d2 in main (argc=3, argv=0x7fffffffe1f8) at main.c:55`,
  ],
  glibc: [
    `./shop(cart_total+0x19)[0x401189]
./shop(main+0x22)[0x4011d2]
/lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0xf3)[0x7f1b2c3d]
./shop(_start+0x2e)[0x4010ae]`,
    `./shop(cart_total+0x29)[0x411189]
./shop(main+0x32)[0x4111d2]
/lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0xf9)[0x7f9b2c3d]
./shop(_start+0x2e)[0x4110ae]`,
  ],
  macOS: [
    `Thread 0 Crashed:: Dispatch queue: com.apple.main-thread
0   libsystem_kernel.dylib        	0x00007ff8123456aa __pthread_kill + 10
1   libsystem_pthread.dylib       	0x00007ff812389f26 pthread_kill + 263
2   libsystem_c.dylib             	0x00007ff8122b0b45 abort + 123
3   Shop                          	0x000000010a1b2c3d cart_total + 45
4   Shop                          	0x000000010a1b2d00 main + 128`,
    `Thread 0 Crashed:
0   libsystem_kernel.dylib        	0x00007ff8999956aa __pthread_kill + 10
1   libsystem_pthread.dylib       	0x00007ff899989f26 pthread_kill + 260
2   libsystem_c.dylib             	0x00007ff8999b0b45 abort + 120
3   Shop                          	0x0000000109992c3d cart_total + 49
4   Shop                          	0x0000000109992d00 main + 132`,
  ],
  'Rust panic': [
    `thread 'main' panicked at src/cart.rs:12:5:
index out of bounds
stack backtrace:
   0: rust_begin_unwind
             at /rustc/90c541806f/library/std/src/panicking.rs:645:5
   1: core::panicking::panic_fmt
             at /rustc/90c541806f/library/core/src/panicking.rs:72:14
   2: shop::cart::total
             at ./src/cart.rs:12:5
   3: shop::main
             at ./src/main.rs:40:3`,
    `thread 'tokio-runtime-worker' panicked at src/cart.rs:19:9:
index out of bounds
stack backtrace:
   0: rust_begin_unwind
             at /rustc/aaaa41806f/library/std/src/panicking.rs:652:5
   1: core::panicking::panic_fmt
             at /rustc/aaaa41806f/library/core/src/panicking.rs:74:14
   2: core::panicking::panic_bounds_check
             at /rustc/aaaa41806f/library/core/src/panicking.rs:276:5
   3: shop::cart::total
             at ./src/cart.rs:19:9
   4: shop::main
             at ./src/main.rs:44:3`,
  ],
  Windows: [
    `Shop!cart_total+0x19 [c:\\src\\cart.cpp @ 12]
Shop!main+0x22 [c:\\src\\main.cpp @ 40]
KERNEL32!BaseThreadInitThunk+0x14
ntdll!RtlUserThreadStart+0x21`,
    `Shop!cart_total+0x29 [d:\\agent\\src\\cart.cpp @ 15]
Shop!main+0x32 [d:\\agent\\src\\main.cpp @ 44]
KERNEL32!BaseThreadInitThunk+0x1d
ntdll!RtlUserThreadStart+0x28`,
  ],
  iOS: [
    `0   CoreFoundation                      0x00000001a1b2c3d4 __exceptionPreprocess + 220
1   libobjc.A.dylib                     0x00000001b1b2c3d4 objc_exception_throw + 60
2   Shop                                0x0000000104b2c3d4 -[Cart total:] + 120
3   Shop                                0x0000000104b2c4d4 main + 88`,
    `0   CoreFoundation                      0x00000001a9999999 __exceptionPreprocess + 224
1   libobjc.A.dylib                     0x00000001b9999999 objc_exception_throw + 56
2   Shop                                0x0000000109999999 -[Cart total:] + 124
3   Shop                                0x000000010999a999 main + 92`,
  ],
};

export const LABELLED_CRASHES: readonly LabelledTrace[] = Object.entries(CRASHES).flatMap(
  ([family, stacks]) =>
    stacks.map((stack) => ({
      cause: family,
      from: 'server' as const,
      type: `${family} crash`,
      message: 'the program crashed',
      stack,
    })),
);
