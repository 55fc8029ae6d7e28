import type { Cart } from './cart.ts';

export interface Customer {
  email: string;
  password: string;
  address: { country: string };
}

const CENTS_PER_KILOGRAM: Readonly<Record<string, number>> = { DE: 190, FR: 290 };
const CENTS_PER_KILOGRAM_ELSEWHERE = 590;

/** Cents for bringing the cart to the customer. */
export function shippingCost(cart: Cart, customer: Customer): number {
  const grams = cart.items.reduce((sum, item) => sum + item.product.weightGrams * item.quantity, 0);
  return Math.ceil((grams / 1000) * centsPerKilogram(customer));
}

function centsPerKilogram(customer: Customer): number {
  // A guest has no address yet, whatever the type says. This is the failure that the demo is about.
  return CENTS_PER_KILOGRAM[customer.address.country] ?? CENTS_PER_KILOGRAM_ELSEWHERE;
}
