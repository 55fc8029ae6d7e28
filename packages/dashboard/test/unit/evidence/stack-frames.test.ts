import { describe, expect, it } from 'vitest';
import { assembleBundle } from '../../../../evidence/src/bundles/document/assemble-bundle.ts';
import { evidenceOf, exception } from '../../../../evidence/test/bundles/build-evidence.ts';
import {
  framesOf,
  groupFrames,
  mapLines,
  stackOfBundle,
  stackOfEvent,
  withoutRepeats,
} from '../../../src/incident/stack/frames.ts';

describe('the frames of a stack', () => {
  it('shows what the engine ran beside what source maps made of it', () => {
    const bundle = assembleBundle(evidenceOf(exception()));
    const mapped = {
      ...{ function: 'Cart.total', file: 'src/cart.ts', line: 5, column: 56, in_app: true },
      raw: 'at e (https://shop.example/assets/index.js:1:734)',
      generated: { function: '<min>', file: '/assets/index.js', line: 1, column: 734 },
    };
    const plain = {
      function: 'run',
      file: 'node:fs',
      line: 3,
      column: 1,
      in_app: false,
      raw: 'at run (node:fs:3:1)',
    };
    const error = bundle.context.error;
    if (error === null) throw new Error('the bundle has no error');
    const stack = stackOfBundle({
      ...bundle,
      context: {
        ...bundle.context,
        error: {
          ...error,
          stack: 'TypeError: x\n    at Cart.total (src/cart.ts:5:56)\n    at run (node:fs:3:1)',
        },
        stack: { version: 1, frames: [mapped, plain], causes: [] },
      },
    });
    expect(stack?.frames.map(({ place }) => place)).toEqual(['src/cart.ts:5:56', 'node:fs:3:1']);
    expect(stack?.generated?.map(({ place }) => place)).toEqual(['/assets/index.js:1:734', 'node:fs:3:1']);
    expect(stack?.raw).toBe(
      'TypeError: x\n    at e (https://shop.example/assets/index.js:1:734)\n    at run (node:fs:3:1)',
    );
    expect(stackOfBundle(bundle)).not.toHaveProperty('generated');
  });

  it('say why no source map led to an original, in a bundle and in an event', () => {
    const frame = (file: string, reason: 'no_map_for_debug_id' | null) => ({
      ...{
        function: 'e',
        file,
        line: 1,
        column: 7,
        in_app: true,
        raw: `at e (https://shop.example${file}:1:7)`,
      },
      map: {
        state: reason === null ? ('mapped' as const) : ('unmapped' as const),
        reason,
        source_map_id: null,
      },
    });
    const stack = {
      version: 1 as const,
      frames: [frame('/a.js', 'no_map_for_debug_id'), frame('/b.js', null)],
      causes: [{ type: 'E', frames: [frame('/a.js', 'no_map_for_debug_id')] }],
    };
    const problem = {
      ...{ reason: 'no_map_for_debug_id' as const, words: 'No map was uploaded.', hint: '`upload`' },
      ...{ file: '/a.js', debug_id: 'a', release: null, frames: 2 },
    };
    const symbolication = {
      ...{ version: 1 as const, state: 'partly' as const, mapped: 1, unmapped: 2, release: null },
      problems: [problem],
    };
    const bundle = assembleBundle(evidenceOf(exception()));
    const shown = stackOfBundle({ ...bundle, context: { ...bundle.context, stack, symbolication } });
    expect(shown?.frames.map(({ why }) => why)).toEqual([problem, undefined]);
    const event = stackOfEvent(
      { stacktrace: 'E: x\n    at e (https://shop.example/a.js:1:7)' },
      { stack, symbolication },
    );
    expect(event?.frames.map(({ why }) => why)).toEqual([problem, undefined]);
    expect(event?.causes[0]?.frames[0]?.why).toEqual(problem);
    expect(event?.maps).toEqual([problem]);
    // Of several files the same is said once.
    expect(
      mapLines([problem, { ...problem, file: '/b.js', frames: 3 }, { ...problem, words: 'Other.' }]),
    ).toEqual([
      { words: 'No map was uploaded.', hint: '`upload`', frames: 5 },
      { words: 'Other.', hint: '`upload`', frames: 2 },
    ]);
  });

  it('are the own ones one by one and runs of others folded, in their order', () => {
    const groups = groupFrames(framesOf(assembleBundle(evidenceOf(exception()))));
    expect(groups[0]).toMatchObject({ kind: 'own', frame: { function: 'renderTheme', isOwn: true } });
    expect(groups.at(-1)).toMatchObject({ kind: 'library' });
    expect(groups.filter(({ kind }) => kind === 'library')).toHaveLength(1);
  });

  it('are one row where a call repeats itself', () => {
    const line = '    at walk (/srv/app/src/tree.js:5:3)';
    const frames = framesOf(
      assembleBundle(evidenceOf(exception({ stack: `Error: x\n${line}\n${line}\n${line}` }))),
    );
    expect(withoutRepeats(frames)).toMatchObject([{ function: 'walk', repeats: 3 }]);
  });

  it('are read from an event as well, as objects and as text', () => {
    const frame = {
      function: 'f',
      filename: 'src/a.js',
      lineno: 7,
      colno: 2,
      in_app: true,
      context_line: 'call()',
    };
    expect(stackOfEvent({ exceptions: [{ type: 'E', frames: [frame] }] })).toMatchObject({
      raw: null,
      frames: [{ function: 'f', place: 'src/a.js:7:2', isOwn: true, source: [{ number: 7, isCall: true }] }],
    });
    expect(stackOfEvent({ stacktrace: 'Error: x\n    at f (/srv/app/src/a.js:1:2)' })?.frames).toHaveLength(
      1,
    );
    expect(stackOfEvent({ message: 'no stack' })).toBeNull();
  });
});
