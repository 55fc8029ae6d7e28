import { randomInt } from 'node:crypto';
import { captureLog, probe, setContext } from '@culprit/node';
import { findCart } from './cart.ts';
import { sendConfirmation } from './confirmation-mail.ts';
import { type Order, storeOrder } from './order-store.ts';
import { takePayment } from './payment-client.ts';
import { type Customer, shippingCost } from './shipping.ts';

/** The request of the page, which is not checked. */
export interface CheckoutRequest {
  cart_id: string;
  customer: Customer;
  payment: { kind: 'card' | 'on-delivery'; card_number?: string };
}

/** Turns a cart into an order. */
export async function checkout(
  request: CheckoutRequest,
  { paymentsUrl }: { paymentsUrl: string },
): Promise<Order> {
  const cart = findCart(request.cart_id);
  const goodsCents = cart.items.reduce((sum, item) => sum + item.product.priceCents * item.quantity, 0);
  setContext('cart', { id: cart.id, items: cart.items.length });
  captureLog('Checkout started', 'info', { cart_id: cart.id, goods_cents: goodsCents });
  probe('checkout.cart', { items: cart.items.length, goods_cents: goodsCents });
  if (request.customer.address === undefined) {
    captureLog('Guest checkout without an address', 'warning', { cart_id: cart.id });
  }

  const totalCents = goodsCents + shippingCost(cart, request.customer);
  probe('checkout.total', { total_cents: totalCents, payment: request.payment.kind });
  if (request.payment.kind === 'card') {
    await takePayment(paymentsUrl, totalCents, request.payment.card_number ?? '');
  }
  const order = { number: `order-${randomInt(100_000, 999_999)}`, totalCents };
  storeOrder(order, cart.id);
  await sendConfirmation(order);
  return order;
}
