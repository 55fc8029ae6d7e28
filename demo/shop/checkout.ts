import { randomInt } from 'node:crypto';
import type { ServerCapture } from '../capture/server-capture.ts';
import { findCart } from './cart.ts';
import { sendConfirmation } from './confirmation-mail.ts';
import { type Order, storeOrder } from './order-store.ts';
import { takePayment } from './payment-client.ts';
import { type Customer, shippingCost } from './shipping.ts';

/** What the page sends; nobody checks that it does. */
export interface CheckoutRequest {
  cart_id: string;
  customer: Customer;
  payment: { kind: 'card' | 'on-delivery'; card_number?: string };
}

/** Turns a cart into an order. */
export async function checkout(
  request: CheckoutRequest,
  options: { paymentsUrl: string; capture: ServerCapture },
): Promise<Order> {
  const { capture } = options;
  const cart = findCart(request.cart_id);
  const goodsCents = cart.items.reduce((sum, item) => sum + item.product.priceCents * item.quantity, 0);
  capture.log('info', 'Checkout started', { cart_id: cart.id, goods_cents: goodsCents });
  capture.probe('checkout.cart', { items: cart.items.length, goods_cents: goodsCents });
  if (request.customer.address === undefined) {
    capture.log('warning', 'Guest checkout without an address', { cart_id: cart.id });
  }

  const totalCents = goodsCents + shippingCost(cart, request.customer);
  capture.probe('checkout.total', { total_cents: totalCents, payment: request.payment.kind });
  if (request.payment.kind === 'card') {
    await takePayment(options.paymentsUrl, totalCents, request.payment.card_number ?? '');
  }
  const order = { number: `order-${randomInt(100_000, 999_999)}`, totalCents };
  storeOrder(order, cart.id);
  await sendConfirmation(order, capture);
  return order;
}
