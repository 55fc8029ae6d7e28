import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openCart } from './cart.ts';
import { findProduct, listProducts } from './catalog.ts';
import { type CheckoutRequest, checkout } from './checkout.ts';
import { exchangeRate } from './exchange-rates.ts';
import { piecesInStock } from './stock-client.ts';
import { redeemVoucher } from './vouchers.ts';

/** The shop's answer to one request. */
export interface Answer {
  status: number;
  contentType: string;
  /** Text, or a value that goes out as JSON. */
  body: unknown;
}

export interface Route {
  method: 'GET' | 'POST';
  /** With `:name` for a part of the path. */
  template: string;
  answer(input: RouteInput): Promise<Answer> | Answer;
}

interface RouteInput {
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  bodyText: string;
}

export interface ShopOptions {
  release: string;
  paymentsUrl: string;
  stockUrl: string;
  ratesUrl: string;
  /** Origin of the widget that the page loads. */
  reviewsUrl: string;
}

/** Everything the shop answers to. */
export function shopRoutes(options: ShopOptions): readonly Route[] {
  return [
    { method: 'GET', template: '/', answer: () => page(options) },
    { method: 'GET', template: '/assets/shop.js', answer: () => asset('shop.js', 'text/javascript') },
    { method: 'GET', template: '/assets/culprit.js', answer: browserLibrary },
    { method: 'GET', template: '/assets/shop.css', answer: () => asset('shop.css', 'text/css') },
    { method: 'GET', template: '/api/products', answer: () => json(200, { products: listProducts() }) },
    { method: 'POST', template: '/api/cart', answer: addToCart },
    { method: 'POST', template: '/api/checkout', answer: (input) => buy(input, options) },
    { method: 'GET', template: '/api/products/:id/stock', answer: (input) => stock(input, options) },
    { method: 'GET', template: '/api/products/:id/price', answer: (input) => price(input, options) },
    { method: 'POST', template: '/api/vouchers/:campaign/:customer', answer: redeem },
    // Disabled intentionally: no exception, and still nothing that a visitor should get.
    {
      method: 'GET',
      template: '/api/recommendations',
      answer: () => json(503, { error: 'recommendations are disabled' }),
    },
  ];
}

export function json(status: number, body: unknown): Answer {
  return { status, contentType: 'application/json', body };
}

async function page(options: ShopOptions): Promise<Answer> {
  const html = await readPageFile('index.html');
  const filled = html.replace('{{release}}', options.release).replace('{{reviews}}', options.reviewsUrl);
  return { status: 200, contentType: 'text/html; charset=utf-8', body: filled };
}

async function asset(name: string, contentType: string): Promise<Answer> {
  return { status: 200, contentType: `${contentType}; charset=utf-8`, body: await readPageFile(name) };
}

/** The library as one script, which a page without a bundler loads first. */
async function browserLibrary(): Promise<Answer> {
  const path = fileURLToPath(import.meta.resolve('@culprit/browser/script'));
  return { status: 200, contentType: 'text/javascript; charset=utf-8', body: await readFile(path, 'utf8') };
}

function addToCart({ bodyText }: RouteInput): Answer {
  const { product_id: productId, quantity } = JSON.parse(bodyText);
  const cart = openCart(String(productId), Number(quantity));
  return json(201, { cart_id: cart.id, cart_token: cart.token });
}

async function buy({ bodyText }: RouteInput, options: ShopOptions): Promise<Answer> {
  const request: CheckoutRequest = JSON.parse(bodyText);
  const order = await checkout(request, options);
  return json(201, { order: { number: order.number, total_cents: order.totalCents } });
}

async function stock({ params }: RouteInput, options: ShopOptions): Promise<Answer> {
  const { id } = findProduct(params.id ?? '');
  return json(200, { pieces: await piecesInStock(options.stockUrl, id) });
}

async function price({ params, query }: RouteInput, options: ShopOptions): Promise<Answer> {
  const { priceCents } = findProduct(params.id ?? '');
  const rate = await exchangeRate(options.ratesUrl, query.get('currency') ?? 'EUR');
  return json(200, { amount: (priceCents * rate) / 100 });
}

function redeem({ params }: RouteInput): Answer {
  return redeemVoucher(params.campaign ?? '', params.customer ?? '');
}

async function readPageFile(name: string): Promise<string> {
  return await readFile(new URL(`./page/${name}`, import.meta.url), 'utf8');
}
