import { makeVisit, type Visit } from '../browser/visits.ts';
import { item } from '../report/paper.ts';
import type { ShopProcess } from '../shop/shop-process.ts';
import { checkDelivery, type Stage } from './stage.ts';

/** Lets a visitor in and prints what happened. */
export async function receiveVisit(
  stage: Stage,
  visit: Visit,
  shop: ShopProcess,
): Promise<{ traceId: string }> {
  const { trail, traceId, delivery } = await makeVisit(visit, stage.browser, shop.origin);
  checkDelivery(stage, `the page (${visit.who})`, delivery);
  item(visit.who, trail);
  return { traceId };
}
