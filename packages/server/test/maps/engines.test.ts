import { createContext, runInContext } from 'node:vm';
import { lineStarts } from '@culprit/source-maps/source-lines';
import { beforeAll, describe, expect, it } from 'vitest';
import { type BuiltShop, buildShop } from '../support/built-shop.ts';
import { STACK_ADDRESS as ADDRESS, readStack, type StackMaps, stackMapsOf } from './mapped-stack.ts';

/** docs/contract/source-maps.md 4.2 and 5.3: stacks of engines, and files of other builds. */

const FAILURES = 12;

/** Code that fails in many ways, behind so much else that every build has it elsewhere. */
const failing = (build: number) => `
const price = (amount) => { const cart = new Cart(); cart.items = [{ price: amount }]; return checkout(cart, 'priced'); };
globalThis.first = ${JSON.stringify('y'.repeat((build * 29) % 47))};
class Till {
  static opened(key) { return key.turned.twice; }
  constructor(drawer) { this.coins = drawer.coins.length; }
  get change() { return this.missing.change; }
  pay(customer) { return [customer].map((each) => each.wallet.open()); }
}
globalThis.second = ${JSON.stringify('z'.repeat((build * 17) % 31))};
const settings = (text) => JSON.parse(text).currency;
const discount = (percent, rules = percent.rules) => rules;
const walk = (depth) => (depth === 0 ? undefinedName.value : walk(depth - 1));
const pick = ({ first: { second } }) => second;
const each = (list) => { for (const item of list) item.sold = true; };
const routes = {
  handleRequest(next) { return this.validateSession(next); },
  validateSession(next) { return this.loadCustomer(next); },
  loadCustomer(next) { return this.renderCheckout(next); },
  renderCheckout(next) { return next(); },
};
globalThis.padding = ${JSON.stringify('x'.repeat(build * 13 + (build % 3)))};
globalThis.failures = [
  () => price(null), () => refund(new Cart()), () => Till.opened({}), () => new Till({}),
  () => Object.create(Till.prototype).change, () => Till.prototype.pay({}), () => settings('{'),
  () => discount(null), () => walk(3), () => pick({}), () => each(7), () => price.total.first(),
].map((fail) => () => routes.handleRequest(fail));
`;

interface Build extends StackMaps {
  built: BuiltShop;
  /** Of each failure, as V8 writes it. */
  stacks: string[];
}

const builds: Build[] = [];
beforeAll(async () => {
  for (let build = 0; build < 10; build += 1) {
    const built = await buildShop(`build ${build}`, failing(build));
    const maps = await stackMapsOf(built);
    const context = createContext({});
    runInContext(built.code, context, { filename: ADDRESS });
    builds.push({ built, ...maps, stacks: stacksOf(context.failures) });
  }
}, 60_000);

function stacksOf(failures: unknown): string[] {
  if (!Array.isArray(failures)) throw new Error('the build has no failures');
  return failures.map((fail: () => unknown) => {
    try {
      fail();
    } catch (error) {
      const lines = Object(error).stack.split('\n');
      return [lines[0], ...lines.filter((line: string) => line.includes(ADDRESS))].join('\n');
    }
    throw new Error('it did not fail');
  });
}

const differs = ({ frames }: Awaited<ReturnType<typeof readStack>>) =>
  frames.some(({ map }) => map?.reason === 'file_differs' || map?.reason === 'position_outside_file');

describe('the file of another build', () => {
  it('is seen in at least three of four events, and never where the file is the right one', async () => {
    let seen = 0;
    let compared = 0;
    for (const [index, own] of builds.entries()) {
      for (const stack of own.stacks) expect(differs(await readStack(stack, own))).toBe(false);
      for (const step of [1, 4]) {
        const other = builds[(index + step) % builds.length] ?? own;
        for (const stack of own.stacks) {
          compared += 1;
          if (differs(await readStack(stack, other))) seen += 1;
        }
      }
    }
    expect(compared).toBe(10 * 2 * FAILURES);
    expect(seen).toBeGreaterThanOrEqual(compared * 0.75);
  });
});

const V8_FRAME = /at (?:(.*) \()?https:\S+?:(\d+):(\d+)\)?$/;

/** The same calls as another engine places them in the text of the file. */
function written(stack: string, { built }: Build, place: (code: string, at: number) => number): string {
  const starts = lineStarts(built.code);
  return stack
    .split('\n')
    .slice(1)
    .map((line) => {
      const [, name = '', at = '1', column = '1'] = V8_FRAME.exec(line) ?? [];
      const start = starts[Number(at) - 1] ?? 0;
      const position = place(built.code, start + Number(column) - 1);
      return `${name.split(/[. ]/, 1)[0]}@${ADDRESS}:${at}:${position - start + 1}`;
    })
    .join('\n');
}

/** SpiderMonkey names the object whose member is read or called, where V8 names the member. */
const spiderMonkey = (code: string, at: number) => {
  const before = /([\w$]+)\.$/.exec(code.slice(Math.max(0, at - 60), at));
  return before === null ? at : at - before[0].length;
};
/** JavaScriptCore names the end of what is called or read. */
const javaScriptCore = (code: string, at: number) => {
  const [word = ''] = /^(?:new )?[\w$]*/.exec(code.slice(at, at + 60)) ?? [];
  return at + word.length;
};

describe('stacks of engines', () => {
  it('lead to the same files, lines and functions, and those of Chromium and Firefox to one key', async () => {
    let compared = 0;
    for (const build of builds.slice(0, 3)) {
      for (const stack of build.stacks) {
        const chromium = await readStack(stack, build);
        const [firefox, safari] = [
          await readStack(written(stack, build, spiderMonkey), build),
          await readStack(written(stack, build, javaScriptCore), build),
        ];
        const originals = ({ frames }: typeof chromium) =>
          frames.map((frame) => `${frame.file}:${frame.line} ${frame.function} ${frame.map?.state}`);
        expect(originals(chromium).length).toBeGreaterThan(0);
        expect(originals(chromium)[0]).toContain('src/');
        expect(originals(firefox)).toEqual(originals(chromium));
        expect(originals(safari)).toEqual(originals(chromium));
        expect(firefox.key).toBe(chromium.key);
        compared += 1;
      }
    }
    expect(compared).toBe(3 * FAILURES);
  });
});
