/**
 * The facts that an answer to an agent must contain, so that it can find the cause (docs/contract/command-line.md
 * 5.11).
 */
interface ExpectedFacts {
  /** However short the answer is: the place, where there is one, and the message. */
  least: readonly string[];
  /** The rest of what names the cause, at a thousand tokens. */
  more: readonly string[];
}

/** By the name of the incident in `expected-incidents.ts`. */
export const EXPECTED_FACTS: Readonly<Record<string, ExpectedFacts>> = {
  'guest-checkout': {
    least: ['demo/shop/shipping.ts:20', "Cannot read properties of undefined (reading 'country')"],
    more: [
      'centsPerKilogram',
      'POST /api/checkout',
      '"kind":"on-delivery"',
      'Guest checkout without an address',
    ],
  },
  'page-error': {
    least: ['/assets/shop.js:42', "Cannot read properties of undefined (reading 'number')"],
    more: ['showConfirmation', 'POST /api/checkout → 500', 'sent the form html > body > form#checkout-form'],
  },
  'payment-provider': {
    least: ['demo/shop/payment-client.ts:15', 'the payment was not taken (ECONNRESET)'],
    more: ['takePayment', 'caused by Error: read ECONNRESET', '"kind":"card"', 'POST http://localhost:'],
  },
  'second-order': {
    least: ['demo/shop/order-store.ts:20', 'UNIQUE constraint failed: orders.cart_id'],
    more: ['storeOrder', 'refused a row that breaks a constraint', 'body {"cart_id":"cart_'],
  },
  'slow-warehouse': {
    least: ['demo/shop/stock-client.ts:15', 'the warehouse did not say how many are left of lamp-2'],
    more: ['piecesInStock', 'caused by TimeoutError', 'GET /api/products/lamp-2/stock', 'TimeoutError after'],
  },
  'exchange-rates': {
    least: ['demo/shop/exchange-rates.ts:10', "Unexpected token '<'"],
    more: ['parseRates', 'currency=USD', '/latest: 200', 'not the JSON the code expects'],
  },
  'failed-request': {
    least: ['GET /api/recommendations → 503', 'GET /api/recommendations returned 503'],
    more: ['within 24 hours after deploy', 'branch main', 'is failed: last ECONNRESET'],
  },
  'logged-error': {
    least: ['demo/shop/confirmation-mail.ts:8', 'No confirmation was sent for order order-'],
    more: ['sendConfirmation', "open 'shop/mail/order-confirmation.txt'", 'POST /api/checkout → 201'],
  },
  'foreign-script': {
    least: ['Opaque browser error: Script error.'],
    more: ['withheld the error details of a cross-origin script', 'CORS headers', 'crossorigin attribute'],
  },
  'missing-style-sheet': {
    least: ['Failed to load link', '/assets/winter-sale.css'],
    more: ['missing file', 'resource link', 'Check the resource URL'],
  },
};
