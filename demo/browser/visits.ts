import type { Browser } from 'playwright-core';
import type { Delivery } from '../service/delivery.ts';
import { openPage, type Page } from './open-page.ts';

/** One person's visit, as a script. */
export interface Visit {
  who: string;
  act(page: Page): Promise<void>;
}

/** Secrets that visitors type; Culprit may store none of them. */
export const TYPED_SECRETS = ['correct-horse-battery', '4111111111111111'] as const;
const [PASSWORD, CARD_NUMBER] = TYPED_SECRETS;

/** The visit whose failure the demo follows. */
export const GUEST_VISIT: Visit = {
  who: 'a guest buys',
  act: (page) => buy(page, { email: 'ada@example.test', country: '', payment: 'on-delivery' }),
};

/** Everybody who comes while the first release runs. */
export const FIRST_VISITS: readonly Visit[] = [
  GUEST_VISIT,
  {
    who: 'another guest buys',
    act: (page) => buy(page, { email: 'ben@example.test', country: '', payment: 'on-delivery' }),
  },
  {
    who: 'a customer pays by card',
    act: (page) => buy(page, { email: 'cora@example.test', country: 'DE', payment: 'card' }),
  },
  {
    who: 'a customer presses "Buy" twice',
    async act(page) {
      const values = { email: 'dan@example.test', country: 'FR', payment: 'on-delivery' };
      await buy(page, values);
      await submitCheckout(page, values);
    },
  },
  {
    who: 'a visitor looks around',
    async act(page) {
      await page.click('#show-stock');
      await page.click('#show-dollars');
      await page.click('#show-recommendations');
    },
  },
];

/** The result of a visit. */
interface VisitResult {
  trail: readonly string[];
  traceId: string;
  delivery: Delivery;
}

/** @param origin of the shop */
export async function makeVisit(visit: Visit, browser: Browser, origin: string): Promise<VisitResult> {
  const page = await openPage(browser, origin);
  await visit.act(page);
  const delivery = await page.close();
  return { trail: page.trail, traceId: page.traceId, delivery };
}

interface Buyer {
  email: string;
  country: string;
  payment: string;
}

async function buy(page: Page, buyer: Buyer): Promise<void> {
  await page.click('#add-to-cart');
  await page.click('#to-checkout');
  await submitCheckout(page, buyer);
}

async function submitCheckout(page: Page, buyer: Buyer): Promise<void> {
  await page.submit('#checkout-form', {
    ...buyer,
    password: PASSWORD,
    card_number: buyer.payment === 'card' ? CARD_NUMBER : '',
  });
}
