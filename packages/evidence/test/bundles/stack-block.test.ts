import type { StackBlock } from '@culprit/contract/bundle-context';
import { describe, expect, it } from 'vitest';
import { assembleBundle } from '../../src/bundles/document/assemble-bundle.ts';
import { topFrameOf } from '../../src/bundles/document/top-frame.ts';
import type { NormalizedEvent } from '../../src/events/normalize/event.ts';
import { evidenceOf, exception, frontendException, log, requestEvent } from './build-evidence.ts';

/** The structured stack of a bundle (docs/contract/dashboard.md 9, A-6). */

function stackOf(occurrence: NormalizedEvent): StackBlock | undefined {
  return assembleBundle(evidenceOf(occurrence)).context.stack;
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
