import { describe, expect, it } from 'vitest';
import { keyFrames } from '../../../src/events/fingerprint/key-frames.ts';
import { readChain, readExceptions, readFrames, readPlaces } from './read-chain.ts';

/** One goroutine of these calls, newest first: name with arguments, file with position. */
function goroutine(calls: readonly [string, string][]): string {
  const lines = calls.map(([name, file]) => `${name}\n\t${file}`);
  return `panic: boom\n\ngoroutine 17 [running]:\n${lines.join('\n')}`;
}

describe('Go stacks', () => {
  it('read a panic with methods, closures and the standard library', () => {
    const stack = goroutine([
      ['panic({0x6b1f40?, 0x7c0f90?})', '/usr/local/go/src/runtime/panic.go:770 +0x132'],
      ['runtime.mapassign(0x1, 0x2)', '/usr/local/go/src/runtime/map.go:600 +0x1d'],
      ['github.com/acme/shop/cart.(*Cart).Add(0xc0001, {0x1, 0x2})', '/src/cart/cart.go:31 +0x5c'],
      ['github.com/acme/shop/cart.Load.func1.2()', '/src/cart/load.go:12 +0x1f'],
      ['main.main()', '/src/main.go:9 +0x1d'],
    ]);
    expect(readChain(stack)).toEqual([
      [': panic: boom', '~runtime#mapassign', 'shop/cart#(*Cart).Add', 'shop/cart#Load', 'main#main'],
    ]);
    expect(readPlaces(stack)[1]).toBe('/src/cart/cart.go:31:?');
  });

  it('read the dump of debug.Stack', () => {
    const stack = `goroutine 1 [running]:
runtime/debug.Stack()
	/usr/local/go/src/runtime/debug/stack.go:24 +0x5e
github.com/acme/worker/jobs.Run({0x50, 0x3})
	/home/ci/worker/jobs/run.go:41 +0x94`;
    expect(readFrames(stack)).toEqual(['~runtime/debug#Stack', 'worker/jobs#Run']);
  });

  it('leave out modules of the cache, vendored code and the creator of the goroutine', () => {
    const stack = `goroutine 9 [running]:
github.com/lib/queue.(*Queue).Push(0x1)
	/root/go/pkg/mod/github.com/lib/queue@v1.2.0/queue.go:8 +0x1
example.org/x/y.Do()
	/src/vendor/example.org/x/y/do.go:3
example.org/x/z.Do()
	/cache/z@v2.0.1/do.go:3
example.org/app.Go()
	/src/app.go:3
created by example.org/app.Start in goroutine 1
	/src/start.go:3 +0x4`;
    expect(readFrames(stack)).toEqual([
      '~lib/queue#(*Queue).Push',
      '~x/y#Do',
      '~x/z#Do',
      'example.org/app#Go',
    ]);
  });

  it('drop type arguments and the suffixes of the compiler', () => {
    const stack = goroutine([
      ['example.org/app/list.Map[...](0x1)', '/src/list.go:1'],
      ['example.org/app/list.(*Set[go.shape.int]).Add(0x1)', '/src/list.go:2'],
      ['example.org/app/list.Each.gowrap1()', '/src/list.go:3'],
      ['example.org/app/list.(*Set).Add-fm()', '/src/list.go:4'],
      ['example.org/app/list.init.0.func12()', '/src/list.go:5'],
    ]);
    expect(readFrames(stack)).toEqual([
      'app/list#Map',
      'app/list#(*Set).Add',
      'app/list#Each',
      'app/list#(*Set).Add',
      'app/list#init',
    ]);
  });

  it('read assembly files and Windows paths', () => {
    const stack = goroutine([
      ['example.org/app/simd.sum(0x1)', '/src/simd/sum_amd64.s:20 +0x4'],
      ['main.run(0x1)', 'C:/code/app/main.go:20 +0x4'],
    ]);
    expect(readFrames(stack)).toEqual(['app/simd#sum', 'main#run']);
    expect(readPlaces(stack)[1]).toBe('C:/code/app/main.go:20:?');
  });

  describe('of a panic that was recovered', () => {
    const RECOVERY: [string, string][] = [
      ['runtime/debug.Stack()', '/usr/local/go/src/runtime/debug/stack.go:24 +0x5e'],
      ['example.org/app.(*Server).guard.func1()', '/src/guard.go:19 +0x8d'],
    ];
    const PANIC: [string, string] = [
      'panic({0x6b1f40?, 0x7c0f90?})',
      '/usr/local/go/src/runtime/panic.go:770 +0x132',
    ];
    const FAILING: [string, string][] = [
      ['runtime.goPanicIndex(0x5, 0x3)', '/usr/local/go/src/runtime/panic.go:114 +0x74'],
      ['example.org/app.item(0x1)', '/src/item.go:31 +0x5c'],
      ['example.org/app.(*Server).guard(0x1)', '/src/guard.go:25 +0x3c'],
    ];

    function selected(stack: string) {
      const { frames, applicationFrame } = keyFrames(readExceptions(stack), {
        language: 'go',
        rules: [],
        installRoot: null,
      });
      return { frames, leading: applicationFrame?.function };
    }

    it('the call below panic( leads, and the recovery is no part of the key', () => {
      expect(selected(goroutine([...RECOVERY, PANIC, ...FAILING]))).toEqual({
        frames: ['example.org/app#item', 'example.org/app#(*Server).guard'],
        leading: 'item',
      });
    });

    it('a panic that is raised again leads to where it began', () => {
      const again: [string, string] = ['example.org/app.(*Server).again.func2()', '/src/again.go:8 +0x8d'];
      const stack = goroutine([...RECOVERY, PANIC, again, PANIC, ...FAILING]);
      expect(selected(stack).leading).toBe('item');
    });

    it('a panic further down in the dump belongs to its own goroutine', () => {
      const other = goroutine([...RECOVERY, PANIC, ...FAILING]);
      const stack = `${goroutine([['example.org/app.stuck(0x1)', '/src/stuck.go:3 +0x5c']])}\n\n${other}`;
      expect(selected(stack).leading).toBe('stuck');
    });

    it('without code of the application below, the recovery still shows where to begin', () => {
      expect(selected(goroutine([...RECOVERY, PANIC, ...FAILING.slice(0, 1)])).leading).toBe(
        '(*Server).guard',
      );
    });

    it('a panic that ended the process has nothing above it', () => {
      expect(selected(goroutine([PANIC, ...FAILING])).leading).toBe('item');
    });
  });

  it('need both lines of a frame', () => {
    expect(readFrames('main.run(0x1)\nmain.go:3')).toEqual([]);
    expect(readFrames('\t/src/main.go:3 +0x1\nmain.run(0x1)')).toEqual([]);
  });
});
