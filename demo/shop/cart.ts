import { randomBytes } from 'node:crypto';
import { findProduct, type Product } from './catalog.ts';

export interface Cart {
  id: string;
  token: string;
  items: { product: Product; quantity: number }[];
}

const carts = new Map<string, Cart>();

export function openCart(productId: string, quantity: number): Cart {
  const id = `cart_${randomBytes(6).toString('hex')}`;
  const token = randomBytes(18).toString('base64url');
  const cart = { id, token, items: [{ product: findProduct(productId), quantity }] };
  carts.set(id, cart);
  return cart;
}

export function findCart(id: string): Cart {
  const cart = carts.get(id);
  if (cart === undefined) throw new Error(`there is no cart ${id}`);
  return cart;
}
