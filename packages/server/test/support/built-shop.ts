import { rolldown } from 'rolldown';
import type { BuiltFile } from './map-client.ts';

/** A shop that a bundler put together, and the stack that it leaves when it fails. */
export interface BuiltShop extends BuiltFile {
  code: string;
  map: string;
  debugId: string;
  /** The place of a text in the generated file, from 1. */
  place(text: string): { line: number; column: number };
}

const CART = `interface Item { price: { amount: number } | null }
export class Cart {
  items: Item[] = [];
  total(): number {
    return this.items.reduce((sum, item) => sum + item.price!.amount, 0);
  }
}
export const checkout = (cart: Cart, label: string) => {
  const total = cart.total();
  const apiKey = 'sk_live_51H8abcdefghijklmnop';
  return [label, total, apiKey];
};
export function refund(cart: Cart) {
  throw new RangeError('nothing to refund ' + cart.items.length);
}
`;

/** Builds it anew; each label gives other bytes, and each filler another place of everything. */
export async function buildShop(label: string, filler = ''): Promise<BuiltShop> {
  const files: Record<string, string> = {
    '/shop/src/main.ts': `import { Cart, checkout, refund } from './cart.ts';
${filler}
globalThis.shop = { open: () => checkout(new Cart(), ${JSON.stringify(label)}), refund: () => refund(new Cart()) };
`,
    '/shop/src/cart.ts': CART,
  };
  const bundler = await rolldown({
    input: '/shop/src/main.ts',
    cwd: '/shop',
    plugins: [
      {
        name: 'files',
        resolveId: (source) => (source.startsWith('/') ? source : `/shop/src/${source.replace('./', '')}`),
        load: (id) => files[id] ?? null,
      },
    ],
  });
  const { output } = await bundler.generate({ sourcemap: true, minify: true, sourcemapDebugIds: true });
  await bundler.close();
  const [chunk] = output;
  const map = chunk?.map;
  if (chunk === undefined || map === null || map === undefined) throw new Error('the bundler made no map');
  const debugId = /debugId=([0-9a-f-]{36})/.exec(chunk.code)?.[1] ?? '';
  return {
    path: 'assets/index.js',
    code: chunk.code,
    map: map.toString(),
    debugId,
    place(text) {
      const at = chunk.code.indexOf(text);
      if (at === -1) throw new Error(`the bundle has no ${text}: ${chunk.code}`);
      const before = chunk.code.slice(0, at).split('\n');
      return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
    },
  };
}
