import type { StackBlock } from '@culprit/contract/incidents/bundle-stack';
import { describe, expect, it } from 'vitest';
import { assembleBundle } from '../../src/bundles/document/assemble-bundle.ts';
import { topFrameOf } from '../../src/bundles/document/top-frame.ts';
import type { JsonObject } from '../../src/events/envelope/json.ts';
import type { NormalizedEvent } from '../../src/events/normalize/event.ts';
import { structuredExceptions } from '../../src/events/normalize/structured-exceptions.ts';
import { evidenceOf, exception, frontendException, log, requestEvent } from './build-evidence.ts';

/** The structured stack of a bundle (docs/contract/server-additions.md S6). */

function stackOf(occurrence: NormalizedEvent): StackBlock | undefined {
  return assembleBundle(evidenceOf(occurrence)).context.stack;
}

/** An exception whose stack came only as objects. */
function sentAsObjects(frames: JsonObject[]): NormalizedEvent {
  const exceptions = structuredExceptions({
    exceptions: [{ type: 'TypeError', message: 'no rule', frames }],
  });
  return exception({ stack: null, exceptions });
}

const NODE_STACK = [
  'TypeError: no cart',
  '    at renderTheme (/srv/app/src/theme.js:42:27)',
  '    at async CheckoutService.submit (/srv/app/src/service.js:118:12)',
  '    at Layer.handle (/srv/app/node_modules/express/lib/router/layer.js:95:5)',
].join('\n');

describe('the stack block', () => {
  it('has the frames with their place, whose code they are, and the line that was sent', () => {
    expect(stackOf(exception({ stack: NODE_STACK }))).toEqual({
      version: 1,
      frames: [
        {
          function: 'renderTheme',
          file: '/srv/app/src/theme.js',
          line: 42,
          column: 27,
          in_app: true,
          raw: 'at renderTheme (/srv/app/src/theme.js:42:27)',
        },
        {
          function: 'CheckoutService.submit',
          file: '/srv/app/src/service.js',
          line: 118,
          column: 12,
          in_app: true,
          raw: 'at async CheckoutService.submit (/srv/app/src/service.js:118:12)',
        },
        expect.objectContaining({
          in_app: false,
          line: 95,
          raw: 'at Layer.handle (/srv/app/node_modules/express/lib/router/layer.js:95:5)',
        }),
      ],
      causes: [],
    });
  });

  it('finds the lines of other languages, also where the newest call stands last', () => {
    const python = [
      'Traceback (most recent call last):',
      '  File "/srv/app/shop/views.py", line 20, in checkout',
      '    total(cart)',
      '  File "/srv/app/shop/cart.py", line 7, in total',
      '    return cart.sum',
      'AttributeError: no sum',
    ].join('\n');
    expect(stackOf(exception({ name: 'AttributeError', stack: python }))?.frames).toMatchObject([
      { function: 'total', line: 7, raw: 'File "/srv/app/shop/cart.py", line 7, in total' },
      { function: 'checkout', line: 20, raw: 'File "/srv/app/shop/views.py", line 20, in checkout' },
    ]);
    const java = [
      'java.lang.IllegalStateException: no cart',
      '\tat com.acme.Cart.total(Cart.java:42)',
      '\tat com.acme.Cart.total(Cart.java:42)',
      '\tat com.acme.Shop.main(Shop.java:9)',
    ].join('\n');
    const lines = stackOf(exception({ stack: java }))?.frames.map(({ raw }) => raw);
    expect(lines).toEqual([
      'at com.acme.Cart.total(Cart.java:42)',
      'at com.acme.Cart.total(Cart.java:42)',
      'at com.acme.Shop.main(Shop.java:9)',
    ]);
    const oneLine =
      'Error: x\n    at /srv/app/run.js:48:61\n    at Object.<anonymous> (/srv/app/run.js:48:95)';
    expect(stackOf(exception({ stack: oneLine }))?.frames).toMatchObject([
      { column: 61, raw: 'at /srv/app/run.js:48:61' },
      { column: 95, raw: 'at Object.<anonymous> (/srv/app/run.js:48:95)' },
    ]);
  });

  it('has the causes, outermost first, the root cause of a long chain among them', () => {
    const causes = Array.from({ length: 12 }, (_, i) => ({
      name: `E${i}`,
      message: 'm',
      stack: `E${i}: m\n    at step${i} (/srv/app/src/step.js:${i + 1}:1)`,
    }));
    const block = stackOf(exception({ stack: NODE_STACK, causes }));
    expect(block?.causes.map(({ type }) => type)).toEqual(['E0', 'E1', 'E2', 'E3', 'E4', 'E5', 'E11']);
    expect(block?.causes.at(-1)?.frames).toMatchObject([
      { function: 'step11', line: 12, raw: 'at step11 (/srv/app/src/step.js:12:1)' },
    ]);
  });

  it('keeps the first 80 and the last 20 of many frames', () => {
    const lines = Array.from({ length: 150 }, (_, i) => `    at call${i} (/srv/app/src/a.js:${i + 1}:1)`);
    const functions = stackOf(exception({ stack: `Error: deep\n${lines.join('\n')}` }))?.frames.map(
      (frame) => frame.function,
    );
    expect(functions).toHaveLength(100);
    expect([functions?.[79], functions?.[80], functions?.[99]]).toEqual(['call79', 'call130', 'call149']);
  });

  it('shows no secret of the text', () => {
    const stack = [
      'Error: refused',
      '    at load (https://user:pa55@shop.example/app.js?token=abc123:10:5)',
      '    at send (/srv/app/src/api.js:3:1) Authorization: Bearer abcdefghijklmnopqrstuvwxyz012345',
    ].join('\n');
    const text = JSON.stringify(stackOf(frontendException({ stack })));
    expect(text).toContain('app.js');
    for (const secret of ['pa55', 'abc123', 'abcdefghijklmnopqrstuvwxyz012345'])
      expect(text).not.toContain(secret);
  });

  it('has the frames of an exception sent as objects, with the source around the call', () => {
    const block = stackOf(
      sentAsObjects([
        {
          function: 'applyDiscount',
          file: 'pricing/discounts.ts',
          line: 88,
          column: 17,
          in_app: true,
          pre_context: ['1', '2', '3', '4', '5', '  const rule = rules.get(code);'],
          context_line: '  return cart.total - rule.discount.amount;\r\n',
          post_context: ['}', '', 'export function none() {', '4', '5', '6'],
        },
        { function: 'handle', file: 'node_modules/express/lib/router/layer.js', line: 95, in_app: false },
      ]),
    );
    expect(block?.frames).toEqual([
      {
        function: 'applyDiscount',
        file: 'pricing/discounts.ts',
        line: 88,
        column: 17,
        in_app: true,
        raw: null,
        pre_context: ['2', '3', '4', '5', '  const rule = rules.get(code);'],
        context_line: '  return cart.total - rule.discount.amount;',
        post_context: ['}', '', 'export function none() {', '4', '5'],
      },
      expect.not.objectContaining({ context_line: expect.anything() }),
    ]);
  });

  it.each([
    ['lines by their numbers', { code: { '6': 'before', '7': 'call', '8': 'after', '10': 'beyond a gap' } }],
    ['a line and its neighbors', { code: 'call', context: { pre: ['before'], post: ['after'] } }],
  ])('reads source in the form of %s', (_, source) => {
    const frame = { function: 'f', file: 'src/a.js', line: 7, in_app: true, ...source };
    expect(stackOf(sentAsObjects([frame]))?.frames[0]).toMatchObject({
      pre_context: ['before'],
      context_line: 'call',
      post_context: ['after'],
    });
  });

  it('shows no secret of the source, and no neighbors where a secret runs over them', () => {
    const frame = { function: 'f', file: 'src/a.js', line: 7, in_app: true };
    const bearer = "send('Authorization: Bearer abcdefghijklmnopqrstuvwxyz012345')";
    const pem = ['const key = `-----BEGIN PRIVATE KEY-----', 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'];
    const frames = stackOf(
      sentAsObjects([
        { ...frame, context_line: bearer, pre_context: ["get('https://me:pa55@shop.example')"] },
        { ...frame, line: 9, context_line: 'sign(key)', pre_context: [...pem, '-----END PRIVATE KEY-----`'] },
      ]),
    )?.frames;
    expect(frames?.[1]).toMatchObject({ context_line: 'sign(key)', pre_context: [] });
    for (const secret of ['abcdefghijklmnopqrstuvwxyz012345', 'pa55', 'MIIEvQ'])
      expect(JSON.stringify(frames)).not.toContain(secret);
  });

  it('shows the source of 30 frames, those of the application first', () => {
    const frames = Array.from({ length: 60 }, (_, i) => ({
      function: `call${i}`,
      file: i < 40 ? `node_modules/lib/${i}.js` : `src/${i}.js`,
      line: i + 1,
      in_app: i >= 40,
      context_line: 'x'.repeat(5000),
    }));
    const shown = stackOf(sentAsObjects(frames))?.frames.filter((frame) => frame.context_line !== undefined);
    expect(shown?.map(({ in_app: isOwn }) => isOwn)).toEqual([
      ...Array<boolean>(10).fill(false),
      ...Array<boolean>(20).fill(true),
    ]);
    expect(shown?.every((frame) => (frame.context_line?.length ?? 0) <= 300)).toBe(true);
  });

  it('finds the first application frame where the client calls every frame foreign', () => {
    const event = sentAsObjects([
      { function: 'handle', file: '/srv/app/node_modules/express/layer.js', line: 95, in_app: false },
      { function: 'submit', file: '/srv/app/src/checkout.js', line: 12, in_app: false },
    ]);
    expect(assembleBundle(evidenceOf(event)).summary.first_application_frame).toMatchObject({
      function: 'submit',
      line: 12,
    });
  });

  it('is absent without a readable stack, and there for a logged error', () => {
    expect(stackOf(exception({ stack: null }))).toBeUndefined();
    expect(stackOf(exception({ stack: 'nothing to read' }))).toBeUndefined();
    expect(stackOf(requestEvent())).toBeUndefined();
    const attributes = {
      error: { name: 'PayError', stack: 'PayError: refused\n    at pay (/srv/app/pay.js:7:1)' },
    };
    expect(stackOf(log('payment refused', { attributes }))?.frames).toMatchObject([
      { function: 'pay', line: 7, column: 1, raw: 'at pay (/srv/app/pay.js:7:1)' },
    ]);
  });

  it('gives lists the place of the failure', () => {
    const topOf = (stack: string | null) => topFrameOf(assembleBundle(evidenceOf(exception({ stack }))));
    expect(topOf(NODE_STACK)).toEqual({
      function: 'renderTheme',
      file: '/srv/app/src/theme.js',
      line: 42,
      column: 27,
    });
    const library = 'Error: x\n    at Layer.handle (/srv/app/node_modules/express/layer.js:95:5)';
    expect(topOf(library)).toMatchObject({ line: 95, column: 5 });
    expect(topOf(null)).toBeNull();
  });
});
