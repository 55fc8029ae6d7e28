import { describe, expect, it } from 'vitest';
import { readChain, readFrames, readPlaces } from './read-chain.ts';

describe('JVM stack traces', () => {
  it('read Java frames with module prefixes, proxies and native methods', () => {
    const stack = `java.lang.NullPointerException: Cannot invoke "String.length()"
	at com.acme.shop.CartService.total(CartService.java:42)
	at com.acme.shop.CartService$$EnhancerBySpringCGLIB$$1a2b3c.total(<generated>)
	at jdk.proxy2/jdk.proxy2.$Proxy98.total(Unknown Source)
	at app//com.acme.shop.CartController.show(CartController.java:18) ~[classes/:na]
	at java.base/jdk.internal.reflect.NativeMethodAccessorImpl.invoke0(Native Method)
	at java.base@21.0.1/java.lang.Thread.run(Thread.java:1583)`;
    expect(readChain(stack)).toEqual([
      [
        'java.lang.NullPointerException: Cannot invoke "String.length()"',
        'com.acme.shop.CartService#total',
        'com.acme.shop.CartController#show',
        '~jdk.internal.reflect.NativeMethodAccessorImpl#invoke0',
        '~java.lang.Thread#run',
      ],
    ]);
    expect(readPlaces(stack)).toEqual([
      'CartService.java:42:?',
      'CartController.java:18:?',
      '?:?:?',
      'Thread.java:1583:?',
    ]);
  });

  it('know libraries of PHP in traces that it writes in this form', () => {
    const stack = `Illuminate.Database.QueryException: deadlock
 at Illuminate.Database.Connection.runQueryCallback(Connection.php:825)
 at App.Services.Checkout.charge(Checkout.php:41)
Caused by: PDOException: deadlock
 at PDOStatement.execute(Connection.php:816)
 ... 2 more`;
    expect(readChain(stack)[0]).toEqual([
      'Illuminate.Database.QueryException: deadlock',
      '~Illuminate.Database.Connection#runQueryCallback',
      'App.Services.Checkout#charge',
    ]);
  });

  it('follow causes and ignore what was suppressed, its causes included', () => {
    const stack = `com.acme.AppException: outer
	at com.acme.App.run(App.java:10)
	Suppressed: java.io.IOException: close failed
		at com.acme.Res.close(Res.java:5)
		... 1 more
	Caused by: java.lang.Error: cause of the suppressed
		at com.acme.Res.flush(Res.java:9)
	... 3 more
Caused by: com.acme.DbException: middle
	at com.acme.Db.query(Db.java:20)
	... 1 more
Caused by: java.net.ConnectException
	at com.acme.Net.open(Net.java:30)
	... 2 more`;
    expect(readChain(stack)).toEqual([
      ['com.acme.AppException: outer', 'com.acme.App#run'],
      ['com.acme.DbException: middle', 'com.acme.Db#query'],
      ['java.net.ConnectException: ', 'com.acme.Net#open'],
    ]);
  });

  it.each([
    ['com.acme.A.lambda$load$3', 'com.acme.A#load'],
    ['com.acme.A.access$000', 'com.acme.A#access'],
    ['com.acme.A$Inner.run', 'com.acme.A$Inner#run'],
    ['com.acme.A$Inner$1.run', 'com.acme.A$Inner#run'],
    ['com.acme.A$1.run', 'com.acme.A#<anonymous>'],
    ['com.acme.A$1.onClick', 'com.acme.A#onClick'],
    ['com.acme.A$Companion.create', 'com.acme.A#create'],
    ['com.acme.A$Companion$create$1.invoke', 'com.acme.A#create'],
    ['com.acme.A$load$2.invokeSuspend', 'com.acme.A#load'],
    ['com.acme.A$Inner$load$2$1.invoke', 'com.acme.A$Inner#load'],
    ['com.acme.A$load$2.toString', 'com.acme.A$load#toString'],
    ['com.acme.A.load$default', 'com.acme.A#load'],
    ['com.acme.A.load$suspendImpl', 'com.acme.A#load'],
    ['com.acme.A.<init>', 'com.acme.A#<init>'],
    ['com.acme.MainKt.main', 'com.acme.MainKt#main'],
    ['com.acme.A$load$$inlined$map$1.invoke', 'com.acme.A#map'],
  ])('name the place %s as %s', (written, place) => {
    expect(readFrames(`E: m\n\tat ${written}(A.kt:3)`)).toEqual([place]);
  });

  it('read Kotlin coroutines', () => {
    const stack = `kotlinx.coroutines.TimeoutCancellationException: Timed out waiting for 5000 ms
	at com.acme.feed.FeedLoader$refresh$2.invokeSuspend(FeedLoader.kt:33)
	at com.acme.feed.FeedLoader.refresh$suspendImpl(FeedLoader.kt:29)
	at kotlin.coroutines.jvm.internal.BaseContinuationImpl.resumeWith(ContinuationImpl.kt:33)
	at androidx.lifecycle.ViewModelKt.run(ViewModel.kt:5)`;
    expect(readFrames(stack)).toEqual([
      'com.acme.feed.FeedLoader#refresh',
      'com.acme.feed.FeedLoader#refresh',
      '~kotlin.coroutines.jvm.internal.BaseContinuationImpl#resumeWith',
      '~androidx.lifecycle.ViewModelKt#run',
    ]);
  });

  it('read Scala and Groovy frames', () => {
    const stack = `scala.MatchError: 3 (of class java.lang.Integer)
	at com.acme.Router$.route(Router.scala:14)
	at com.acme.Router$.$anonfun$main$1(Router.scala:9)
	at com.acme.build.Task.exec(Task.groovy:5)
	at scala.collection.immutable.List.foreach(List.scala:333)`;
    expect(readFrames(stack)).toEqual([
      'com.acme.Router#route',
      'com.acme.Router#$anonfun$main',
      'com.acme.build.Task#exec',
      '~scala.collection.immutable.List#foreach',
    ]);
  });

  it('read obfuscated Android frames as they are', () => {
    const stack = `java.lang.IllegalStateException: x
	at a.b.c.d(SourceFile:12)
	at a.b.e.f(Unknown Source:4)`;
    expect(readFrames(stack)).toEqual(['a.b.c#d', 'a.b.e#f']);
    expect(readPlaces(stack)).toEqual(['?:12:?', '?:4:?']);
  });

  it('read the header of an uncaught exception', () => {
    const stack = 'Exception in thread "main" com.acme.Boom: no\n\tat com.acme.Main.main(Main.java:3)';
    expect(readChain(stack)[0]?.[0]).toBe('com.acme.Boom: no');
  });
});
