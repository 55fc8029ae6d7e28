import { describe, expect, it } from 'vitest';
import { readChain, readFrames, readPlaces } from './read-chain.ts';

describe('.NET stack traces', () => {
  it('read methods, constructors and library frames', () => {
    const stack = `System.ArgumentNullException: Value cannot be null. (Parameter 'id')
   at System.ArgumentNullException.Throw(String paramName)
   at Acme.Shop.Cart..ctor(String id) in C:\\src\\Shop\\Cart.cs:line 14
   at Acme.Shop.Registry..cctor()
   at Acme.Shop.Repository\`1.Find[TKey](TKey key) in /src/Shop/Repository.cs:line 20
   at Acme.Shop.Outer.Inner+Deep.Run()
   at lambda_method12(Closure, Object)
   at Microsoft.AspNetCore.Routing.EndpointMiddleware.Invoke(HttpContext httpContext)`;
    expect(readChain(stack)).toEqual([
      [
        "System.ArgumentNullException: Value cannot be null. (Parameter 'id')",
        '~System.ArgumentNullException#Throw',
        'Acme.Shop.Cart#.ctor',
        'Acme.Shop.Registry#.cctor',
        'Acme.Shop.Repository#Find',
        'Acme.Shop.Outer.Inner.Deep#Run',
        '~Microsoft.AspNetCore.Routing.EndpointMiddleware#Invoke',
      ],
    ]);
    expect(readPlaces(stack)[1]).toBe('C:\\src\\Shop\\Cart.cs:14:?');
    expect(readPlaces(stack)[2]).toBe('?:?:?');
  });

  it('read the type of an exception that has a number', () => {
    const stack = (type: string) => `${type}: refused
   at Acme.Store.Open() in /src/Store.cs:line 3`;
    expect(readChain(stack('System.Net.Sockets.SocketException (111)'))[0]?.[0]).toBe(
      'System.Net.Sockets.SocketException: refused',
    );
    expect(readChain(stack('Microsoft.Data.SqlClient.SqlException (0x80131904)'))[0]?.[0]).toBe(
      'Microsoft.Data.SqlClient.SqlException: refused',
    );
  });

  it('pair heads from the outside with groups of frames from the inside', () => {
    const stack = `Acme.OrderException: order failed
 ---> Acme.StoreException: not stored
 ---> System.IO.IOException: disk full
   at Acme.Disk.Write() in /src/Disk.cs:line 1
   --- End of inner exception stack trace ---
   at Acme.Store.Save() in /src/Store.cs:line 2
   --- End of inner exception stack trace ---
   at Acme.Orders.Place() in /src/Orders.cs:line 3`;
    expect(readChain(stack)).toEqual([
      ['Acme.OrderException: order failed', 'Acme.Orders#Place'],
      ['Acme.StoreException: not stored', 'Acme.Store#Save'],
      ['System.IO.IOException: disk full', 'Acme.Disk#Write'],
    ]);
  });

  it('read the heads of .NET Framework, which stand on one line', () => {
    const stack = `Acme.A: outer ---> Acme.B: inner
   at Acme.Inner.Run()
   --- End of inner exception stack trace ---
   at Acme.Outer.Run()`;
    expect(readChain(stack)).toEqual([
      ['Acme.A: outer', 'Acme.Outer#Run'],
      ['Acme.B: inner', 'Acme.Inner#Run'],
    ]);
  });

  it('read a member that an aggregate repeats once', () => {
    const stack = `System.AggregateException: One or more errors occurred. (boom)
 ---> Acme.Boom: boom
   at Acme.Job.Run()
   --- End of inner exception stack trace ---
   at Acme.Host.Wait()
 ---> (Inner Exception #0) Acme.Boom: boom
   at Acme.Job.Run()<---`;
    expect(readChain(stack)).toEqual([
      ['System.AggregateException: One or more errors occurred. (boom)', 'Acme.Host#Wait'],
      ['Acme.Boom: boom', 'Acme.Job#Run'],
    ]);
  });

  it.each([
    ['Acme.Svc.<LoadAsync>d__7.MoveNext()', 'Acme.Svc#LoadAsync'],
    ['Acme.Svc.<LoadAsync>d__7`1.MoveNext()', 'Acme.Svc#LoadAsync'],
    ['Acme.Svc.<>c__DisplayClass3_0.<Load>b__1(Int32 x)', 'Acme.Svc#Load'],
    ['Acme.Svc.<>c.<<LoadAsync>b__4_0>d.MoveNext()', 'Acme.Svc#LoadAsync'],
    ['Acme.Svc+<>c.<Load>b__0_0()', 'Acme.Svc#Load'],
    ['Acme.Svc.<Load>g__Check|2_0(Int32 x)', 'Acme.Svc#Check'],
    ['Acme.Svc.<<Load>g__Check|2_0>d.MoveNext()', 'Acme.Svc#Check'],
    ['Program.<Main>$(String[] args)', 'Program#<main>'],
    ['Program.<<Main>$>d__0.MoveNext()', 'Program#<main>'],
    ['Program.<<Main>$>g__Seed|0_3()', 'Program#Seed'],
    ['Program.<>c.<<Main>$>b__0_1(HttpContext c)', 'Program#<main>'],
    ['Acme.Svc.get_Total()', 'Acme.Svc#get_Total'],
    ['Acme.Svc.Run(Func`2 f, Dictionary`2 d)', 'Acme.Svc#Run'],
    ['Acme.Iter.MoveNext()', 'Acme.Iter#MoveNext'],
  ])('name the place %s as %s', (written, place) => {
    expect(readFrames(`E: m\n   at ${written}`)).toEqual([place]);
  });

  it('skip the marks between asynchronous parts', () => {
    const stack = `Acme.X: y
   at Acme.A.<RunAsync>d__1.MoveNext() in /src/A.cs:line 4
--- End of stack trace from previous location where exception was thrown ---
   at System.Runtime.CompilerServices.TaskAwaiter.ThrowForNonSuccess(Task task)
   at Acme.B.Main()`;
    expect(readFrames(stack)).toEqual([
      'Acme.A#RunAsync',
      '~System.Runtime.CompilerServices.TaskAwaiter#ThrowForNonSuccess',
      'Acme.B#Main',
    ]);
  });

  it('leave lines alone that are JVM or V8 frames', () => {
    expect(readFrames('E: m\n\tat com.acme.Cart.total(Cart.java:3)')).toEqual(['com.acme.Cart#total']);
    expect(readFrames('E: m\n    at Cart.total (cart.js:3:1)')).toEqual(['cart.js#Cart.total']);
  });
});
