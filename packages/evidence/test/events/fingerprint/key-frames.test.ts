import { describe, expect, it } from 'vitest';
import { keyFrames } from '../../../src/events/fingerprint/key-frames.ts';
import type { ParsedException, ParsedFrame } from '../../../src/events/fingerprint/stack/parsed-stack.ts';

function frame(name: string, fields: Partial<ParsedFrame> = {}): ParsedFrame {
  return { module: 'm', function: name, file: `/src/${name}.js`, line: 7, column: 1, inApp: true, ...fields };
}

function library(name: string): ParsedFrame {
  return frame(name, { inApp: false });
}

function exception(...frames: ParsedFrame[]): ParsedException {
  return { type: 'E', message: 'm', frames };
}

function selectFrames(chain: readonly ParsedException[]) {
  const { frames, applicationFrame } = keyFrames(chain, { language: 'js', rules: [], installRoot: null });
  return { frames, applicationFrame };
}

describe('the frames of the key', () => {
  it('takes the first three in-app frames, newest first', () => {
    const chain = [exception(library('x'), frame('a'), library('y'), frame('b'), frame('c'), frame('d'))];
    expect(selectFrames(chain)).toEqual({
      frames: ['m#a', 'm#b', 'm#c'],
      applicationFrame: { file: '/src/a.js', line: 7, function: 'a' },
    });
  });

  it('counts equal neighbours once, also across the frames it leaves out', () => {
    const chain = [
      exception(frame('a'), frame('a'), library('x'), frame('a'), frame('b'), frame('a'), frame('c')),
    ];
    expect(selectFrames(chain).frames).toEqual(['m#a', 'm#b', 'm#a']);
  });

  it('prefers the innermost exception that has an in-app frame', () => {
    const chain = [
      exception(frame('outer')),
      exception(library('l'), frame('middle')),
      exception(library('inner')),
    ];
    expect(selectFrames(chain)).toEqual({
      frames: ['m#middle'],
      applicationFrame: { file: '/src/middle.js', line: 7, function: 'middle' },
    });
  });

  it('falls back to all frames of the innermost exception with any', () => {
    const chain = [exception(library('outer')), exception(library('a'), library('b')), exception()];
    expect(selectFrames(chain)).toEqual({ frames: ['m#a', 'm#b'], applicationFrame: null });
  });

  it('takes names of a minifier in files that Node mapped itself for what they are', () => {
    const mapped = (name: string, file = '/srv/app/src/main.ts') => frame(name, { file });
    const key = (...frames: ParsedFrame[]) => selectFrames([exception(...frames)]).frames;
    expect(key(mapped('f'), mapped('openCart'))).toEqual(['m#openCart']);
    expect(key(mapped('f'))).toEqual(key(mapped('qe')));
    expect(key(mapped('f', 'webpack://shop/src/main.js'))).toEqual(['m#<min>']);
    expect(key(mapped('f', '/srv/app/src/main.vue?macro=1'))).toEqual(['m#<min>']);
    // People write these, and only a file that was compiled can have others.
    expect(key(mapped('run'), mapped('openCart'))).toEqual(['m#run', 'm#openCart']);
    expect(key(mapped('f', '/srv/app/src/main.js'), mapped('openCart'))).toEqual(['m#f', 'm#openCart']);
  });

  it('selects nothing from a chain without frames', () => {
    expect(selectFrames([exception(), exception()])).toEqual({ frames: [], applicationFrame: null });
    expect(selectFrames([])).toEqual({ frames: [], applicationFrame: null });
  });

  it('names the module where the application frame has no file', () => {
    const chain = [exception(frame('a', { file: null, line: null, module: 'Shop' }))];
    expect(selectFrames(chain).applicationFrame).toEqual({ file: 'Shop', line: null, function: 'a' });
  });
});
