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
    const chain = [
      exception(library('x'), frame('add'), library('y'), frame('buy'), frame('cut'), frame('pay')),
    ];
    expect(selectFrames(chain)).toEqual({
      frames: ['m#add', 'm#buy', 'm#cut'],
      applicationFrame: { file: '/src/add.js', line: 7, function: 'add' },
    });
  });

  it('counts equal neighbours once, also across the frames it leaves out', () => {
    const chain = [
      exception(
        frame('add'),
        frame('add'),
        library('x'),
        frame('add'),
        frame('buy'),
        frame('add'),
        frame('cut'),
      ),
    ];
    expect(selectFrames(chain).frames).toEqual(['m#add', 'm#buy', 'm#add']);
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
    const chain = [exception(library('outer')), exception(library('add'), library('buy')), exception()];
    expect(selectFrames(chain)).toEqual({ frames: ['m#add', 'm#buy'], applicationFrame: null });
  });

  it('takes names of a minifier in files that Node mapped itself for what they are', () => {
    const mapped = (name: string, file = '/srv/app/src/main.ts') => frame(name, { file });
    const key = (...frames: ParsedFrame[]) => selectFrames([exception(...frames)]).frames;
    expect(key(mapped('f'), mapped('openCart'))).toEqual(['m#openCart']);
    expect(key(mapped('f'))).toEqual(key(mapped('qe')));
    expect(key(mapped('f', 'webpack://shop/src/main.js'))).toEqual(['m#<min>']);
    expect(key(mapped('f', '/srv/app/src/main.vue?macro=1'))).toEqual(['m#<min>']);
    // People write longer ones, and a server's bundle of one file is named like a source.
    expect(key(mapped('run'), mapped('openCart'))).toEqual(['m#run', 'm#openCart']);
    expect(key(mapped('f', '/srv/app/src/main.js'), mapped('openCart'))).toEqual(['m#openCart']);
  });

  it('selects nothing from a chain without frames', () => {
    expect(selectFrames([exception(), exception()])).toEqual({ frames: [], applicationFrame: null });
    expect(selectFrames([])).toEqual({ frames: [], applicationFrame: null });
  });

  it('leaves out what a minifier called like this on a server, and goes by the files where that is all', () => {
    const chain = [exception(frame('Xn.total'), frame('e'), frame('tQ'), frame('db.query'))];
    expect(selectFrames(chain).frames).toEqual(['m#total', 'm#db.query']);
    expect(selectFrames([exception(frame('e'), frame('tQ'))]).frames).toEqual(['m#<min>']);
  });

  it('leaves out the calls of a router that a frame gives away', () => {
    const routed = [frame('pay'), frame('Layer.handle'), frame('next2'), frame('Function.process_params')];
    expect(selectFrames([exception(...routed)]).frames).toEqual(['m#pay']);
    expect(selectFrames([exception(frame('pay'), frame('next2'))]).frames).toEqual(['m#pay', 'm#next2']);
  });

  it('shows the function around an operator that has the same place', () => {
    const operator = frame('+', { file: '/src/cart.rb' });
    const around = frame('total', { file: '/src/cart.rb' });
    expect(selectFrames([exception(operator, around)]).applicationFrame?.function).toBe('total');
    const elsewhere = frame('total', { file: '/src/cart.rb', line: 9 });
    expect(selectFrames([exception(operator, elsewhere)]).applicationFrame?.function).toBe('+');
  });

  it('names the module where the application frame has no file', () => {
    const chain = [exception(frame('add', { file: null, line: null, module: 'Shop' }))];
    expect(selectFrames(chain).applicationFrame).toEqual({ file: 'Shop', line: null, function: 'add' });
  });
});
